"""`cardtrail help settings` is a file that the real reader takes; it names every setting, and its defaults are true."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from cardtrail.services.config_file import read_settings
from cardtrail.services.settings import Settings
from tests.services.cli.program import cardtrail

TEXT = cardtrail("help", "settings").out


def fields(model: type[BaseModel], at: str = "") -> Iterator[str]:
    """Every setting by its dotted name; `*` stands for a name of the operator's."""
    for name, field in model.model_fields.items():
        inside = list(models(field.annotation))
        star = ".*" if "dict[str" in str(field.annotation) and inside else ""
        path = f"{at}{name}{star}"
        yield from (one for each in inside for one in fields(each, f"{path}."))
        if not inside:
            yield path


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from models(inner)


def stated(value: Any, known: set[str], at: str = "") -> Iterator[str]:
    """Every setting that a file states, by the same names."""
    if isinstance(value, list):
        yield from (one for item in value for one in stated(item, known, at))
    if not isinstance(value, dict) or at in known:
        yield at
        return
    for name, item in value.items():
        path = f"{at}.{name}" if at else name
        exists = any(one == path or one.startswith(f"{path}.") for one in known)
        yield from stated(item, known, path if exists else f"{at}.*")


def test_the_example_is_read_by_the_real_reader() -> None:
    settings = read_settings(TEXT, "cardtrail.toml", Path("/etc/cardtrail"))
    assert settings.agents["pricing"].contract is not None
    assert settings.tls.ca_bundle == Path("/etc/cardtrail/corp-ca.pem")


def test_the_example_names_every_setting() -> None:
    every = set(fields(Settings))
    assert len(every) > 100
    assert every - set(stated(tomllib.loads(TEXT), every)) == set()


@pytest.mark.parametrize("table", ["limits", "probes", "notices", "client"])
def test_what_stands_there_as_a_default_is_the_default(table: str) -> None:
    settings = read_settings(TEXT, "cardtrail.toml", Path("/etc/cardtrail"))
    assert getattr(settings, table) == getattr(Settings(), table)


def test_other_defaults_stand_there_as_they_are() -> None:
    settings, usual = read_settings(TEXT, "cardtrail.toml", Path("/")), Settings()
    assert settings.policy.model_copy(update={"severities": {}}) == usual.policy
    assert settings.web == usual.web
    assert (settings.seal.every, settings.seal.facts) == (usual.seal.every, usual.seal.facts)
    assert settings.discovery.spikes == usual.discovery.spikes
    assert settings.broker.model_copy(update={"data": usual.broker.data}) == usual.broker
