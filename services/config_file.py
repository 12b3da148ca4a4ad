"""From the text of `cardtrail.toml` to `Settings`: each wrong setting is told with file, line, key and reason, all at once."""

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cardtrail.events.errors import UsageError
from cardtrail.services.config_meaning import empty_problems, nul_problems
from cardtrail.services.config_names import name_problems
from cardtrail.services.config_trust import problems
from cardtrail.services.places import without_login
from cardtrail.services.registry_place import anchored
from cardtrail.services.settings import Settings

_PART = r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[A-Za-z0-9_\-. ])+?"
_HEADER = re.compile(rf"\s*\[\[?\s*({_PART})\s*\]")
_KEY = re.compile(rf"\s*({_PART})\s*=")


class ConfigInvalid(UsageError):
    """A settings file that cannot be used; `problems` holds every wrong setting, the first is in the message."""

    def __init__(self, problems: list[UsageError]) -> None:
        """Take the first problem's place."""
        first = problems[0]
        super().__init__(
            "config-invalid", first.message, hint=first.hint, file=first.file, line=first.line, path=first.path
        )
        self.problems = problems


def read_settings(text: str, file: str, base: Path) -> Settings:
    """The settings in TOML text; relative paths count from `base`.

    Raises:
        ConfigInvalid: no TOML, an unknown key, a value out of range, a reference to nothing.
    """
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+), column (\d+)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        raise ConfigInvalid(
            [UsageError("config-invalid", f"no TOML: {error}", file=file, line=line, column=column)]
        ) from error
    except RecursionError as error:
        raise ConfigInvalid([UsageError("config-invalid", "nested too deeply", file=file)]) from error
    try:
        settings = Settings.model_validate(value)
    except ValidationError as error:
        raise ConfigInvalid([_problem(detail, text, file) for detail in error.errors()]) from error
    meaningless = _meaningless(settings, value, text, file)
    if meaningless:
        raise ConfigInvalid(meaningless)
    return _anchored(settings, base)


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line (from 1) on which a dotted key is set, or the nearest table that should hold it; 0 where neither stands."""
    table: tuple[str, ...] = ()
    best, depth = 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            table = _parts(header[1])
            here = table
        elif key:
            here = table + _parts(key[1])
        else:
            continue
        shared = len(here) if path[: len(here)] == here else 0
        if shared > depth:
            best, depth = number, shared
    return best


def _parts(dotted: str) -> tuple[str, ...]:
    """A dotted key as TOML reads it, escapes and quoted dots included; empty where it is none."""
    found: list[str] = []
    try:
        value: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        found.append(name)
    return tuple(found)


def _problem(detail: ErrorDetails, text: str, file: str) -> UsageError:
    path = tuple(str(part) for part in detail["loc"])
    message, _, hint = detail["msg"].removeprefix("Value error, ").partition(" hint: ")
    given = detail["input"]
    if detail["type"] == "extra_forbidden":
        message, hint = "unknown setting", _near(path)
    elif not isinstance(given, dict):
        message = f"{_shown(given)}: {message[:1].lower()}{message[1:]}"
    return UsageError("config-invalid", message, hint=hint, file=file, line=line_of(text, path), path=_dotted(path))


def _dotted(path: tuple[str, ...]) -> str:
    return without_login(".".join(path))


def _near(path: tuple[str, ...]) -> str:
    names = list(_around(path).model_fields)
    close = difflib.get_close_matches(path[-1], names, n=1)
    return f"did you mean {close[0]}?" if close else f"known here: {', '.join(names)}"


def _around(path: tuple[str, ...]) -> type[BaseModel]:
    """The model that the last part of a path would be a member of; names and indexes on the way are passed over."""
    model: type[BaseModel] = Settings
    parts = iter(path[:-1])
    for part in parts:
        annotation = model.model_fields[part].annotation if part in model.model_fields else None
        if get_origin(annotation) in {dict, tuple}:
            next(parts, None)
        model = _model(annotation) or model
    return model


def _model(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 — an annotation is any type form
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _model(inner))), None)


def _shown(given: object) -> str:
    return f'"{given}"' if isinstance(given, str) else repr(given)[:80]


def _meaningless(settings: Settings, value: object, text: str, file: str) -> list[UsageError]:
    return [
        UsageError(
            "config-invalid",
            one.message,
            hint=one.hint,
            file=file,
            line=line_of(text, one.path),
            path=_dotted(one.path),
        )
        for one in (*problems(settings), *name_problems(settings), *empty_problems(settings), *nul_problems(value))
    ]


def _anchored(settings: Settings, base: Path) -> Settings:
    agents = {
        name: agent.model_copy(update={"file": base / agent.file}) if agent.file else agent
        for name, agent in settings.agents.items()
    }
    workflows = {
        name: flow.model_copy(update={"lockfiles": tuple(base / lock for lock in flow.lockfiles)})
        for name, flow in settings.workflows.items()
    }
    credentials = {
        name: held.model_copy(
            update={
                "file": base / held.file if held.file else None,
                "certificate": base / held.certificate if held.certificate else None,
            }
        )
        for name, held in settings.credentials.items()
    }
    tls = settings.tls.model_copy(
        update={"ca_bundle": base / settings.tls.ca_bundle if settings.tls.ca_bundle else None}
    )
    broker = settings.broker.model_copy(update={"data": base / settings.broker.data})
    keys = {
        origin: held.model_copy(update={"file": base / held.file if held.file else None})
        for origin, held in settings.keys.items()
    }
    registries = {
        name: registry.model_copy(update={"source": anchored(registry.source, base)})
        for name, registry in settings.registries.items()
    }
    return settings.model_copy(
        update={
            "agents": agents,
            "workflows": workflows,
            "credentials": credentials,
            "tls": tls,
            "broker": broker,
            "keys": keys,
            "registries": registries,
            "seal": settings.seal.anchored(base),
        }
    )
