"""Which settings a command works with: `--config`, else CARDTRAIL_CONFIG, else `cardtrail.toml` here, else the defaults."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cardtrail.events.errors import UsageError

if TYPE_CHECKING:
    from cardtrail.services.settings import Settings

DEFAULT = Path("cardtrail.toml")
_LARGEST = 4 << 20
config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="The settings file (default: cardtrail.toml, where it exists).",
)


def is_written(config: Path | None) -> bool:
    """Whether there is a settings file: without one nothing is told to the log, and nothing taken back."""
    return config is not None or DEFAULT.exists()


def load_settings(config: Path | None) -> "Settings":
    """The settings in force.

    Raises:
        UsageError: the file named is not there or cannot be read; ConfigInvalid: what is wrong in it, and where.
    """
    from cardtrail.services.config_file import read_settings  # noqa: PLC0415 — offline commands need no settings
    from cardtrail.services.settings import Settings  # noqa: PLC0415 — same

    path = config or (DEFAULT if DEFAULT.exists() else None)
    if path is None:
        return _with_data(Settings())
    try:
        with path.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "no UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError("config-unreadable", f"{path}: {reason}", hint="name it with --config FILE") from error
    if len(data) > _LARGEST:
        raise UsageError("config-unreadable", f"{path}: over {_LARGEST >> 20} MiB", hint="name it with --config FILE")
    return _with_data(read_settings(text, str(path), path.absolute().parent))


def _with_data(settings: "Settings") -> "Settings":
    """CARDTRAIL_DATA outranks the file: a container's folder is not the operator's business."""
    folder = os.environ.get("CARDTRAIL_DATA")
    if not folder:
        return settings
    return settings.model_copy(update={"broker": settings.broker.model_copy(update={"data": Path(folder)})})
