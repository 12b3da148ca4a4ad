"""What a registry setting means: kind and place, `ai-catalog:https://host`; without a kind, the place of a plain list. Pure."""

from pathlib import Path

from cardtrail.events.errors import UsageError

PLAIN_LIST = "plain-list"
KINDS = (PLAIN_LIST, "ai-catalog", "a2a-registry", "nacos")


def registry_place(setting: str) -> tuple[str, str]:
    """Kind and place.

    Raises:
        UsageError: `registry-unknown`.
    """
    kind, colon, place = setting.partition(":")
    if kind in KINDS and place:
        return kind, place
    if colon and kind not in {"http", "https", "file"}:
        hint = f"write one of {', '.join(KINDS)} before the colon, or the place of a plain list"
        raise UsageError("registry-unknown", f"no kind of registry {kind!r}", hint=hint)
    return PLAIN_LIST, setting


def anchored(setting: str, base: Path) -> str:
    """The same setting with the path of a plain list counted from `base`. Raises as `registry_place`."""
    kind, place = registry_place(setting)
    return f"{kind}:{base / place}" if kind == PLAIN_LIST and "://" not in place else setting
