"""Published shapes: the copies under schemas/ are those of the code, and every output is what its schema says."""

import json
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter

from cardtrail.events import EVENTS
from cardtrail.events.fact import Fact, encode
from cardtrail.services.cli.catalogue.documents import documents
from cardtrail.services.cli.catalogue.planner_shapes import CHANNELS
from cardtrail.services.cli.catalogue.schemas import schemas
from cardtrail.services.cli.shell.console import as_json
from tests.house.tree import ROOT
from tests.services.cli.cards import HOSTILE, card, lock, skill, written
from tests.services.cli.program import cardtrail

FOLDER = ROOT / "schemas"
RENEW = "cardtrail schema --all -o schemas"


def test_the_copies_are_those_of_the_code() -> None:
    wanted = {f"{name}.json": as_json(document) + "\n" for name, document in documents().items()}
    held = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    assert sorted(held) == sorted(wanted), RENEW
    assert [name for name, text in wanted.items() if held[name] != text] == [], RENEW


@pytest.mark.parametrize("name", sorted(schemas()))
def test_each_is_a_valid_schema_with_a_name_of_its_own(name: str) -> None:
    schema = schemas()[name]()
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].startswith(f"urn:cardtrail:schema:{name}:")


@pytest.mark.parametrize("kind", sorted(EVENTS))
def test_an_event_as_it_is_told_is_what_its_schema_says(kind: str) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    told = json.loads(
        encode(Fact(id=UUID(int=1), source="test", time=at, causation=UUID(int=2), data=least(EVENTS[kind])))
    )
    validator = Draft202012Validator(schemas()[f"event.{kind}"]())
    validator.validate(told)
    assert not validator.is_valid({**told, "type": "another"})
    assert not validator.is_valid({**told, "data": {**told["data"], "more": 1}})


@pytest.mark.parametrize("text", ["", HOSTILE], ids=["plain", "hostile"])
def test_every_document_is_what_its_schema_says(tmp_path: Path, text: str) -> None:
    written(tmp_path / "card.json", card(name=f"P{text}", version=f"1{text}", skills=[skill(), skill(id=f"s{text}")]))
    written(tmp_path / "new.json", card(version=f"2{text}", capabilities={}))
    written(tmp_path / "page.json", f"<html>{text}")
    written(tmp_path / "trip.lock.json", lock(agent=f"pricing{text}"))
    for name, arguments in (
        ("check", ["trip.lock.json", "new.json"]),
        ("check", ["trip.lock.json", "card.json", "new.json", "page.json"]),
        ("check", ["trip.lock.json", "page.json"]),
        ("diff", ["card.json", "new.json"]),
        ("lint", ["card.json"]),
        ("lint", ["card.json", "page.json"]),
        ("compile", ["card.json"]),
        ("verify", ["card.json"]),
        ("pin", ["card.json", "--workflow", "w", "--everything"]),
        ("pin", ["new.json", "--update", "trip.lock.json"]),
        ("rules", []),
        ("rules", ["--errors"]),
        ("rules", ["--diagnostics"]),
        ("events", []),
        ("schema", []),
        ("help", []),
        ("help", ["exit-codes"]),
        ("completion", ["bash"]),
        ("error", ["absent"]),
        ("error", ["compile", "page.json"]),
    ):
        called = arguments if name == "error" else [name, *arguments]
        done = cardtrail(*called, "--json", cwd=tmp_path)
        Draft202012Validator(schemas()[name]()).validate(done.json)
        assert exactly(name, done.json) == done.json


def exactly(name: str, document: Any) -> Any:
    """What the shape makes of it: no member is more or less than published."""
    union = None
    for shape in import_module(f"cardtrail.services.cli.outputs.{name}").OUTPUTS:
        union = shape if union is None else union | shape
    adapter = TypeAdapter(union)
    return adapter.dump_python(adapter.validate_json(json.dumps(document)), mode="json")


def test_the_asyncapi_document_refers_to_nothing_that_is_not_there() -> None:
    document = documents()["asyncapi"]
    missing = [reference for reference in references(document) if not resolves(document, reference)]
    assert missing == []
    assert document["asyncapi"] == "3.0.0"
    assert {message["name"] for message in document["components"]["messages"].values()} == {
        *(event.type_name() for event in EVENTS.values()),
        *(f"cardtrail.{name}" for name in CHANNELS),
    }


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for inner in value.values() for found in references(inner)]
    return [found for inner in value for found in references(inner)] if isinstance(value, list) else []


def resolves(document: Any, reference: str) -> bool:
    for step in reference.removeprefix("#/").split("/"):
        if step not in document:
            return False
        document = document[step]
    return reference.startswith("#/")


def least(model: type[BaseModel]) -> Any:
    """The smallest value of a model."""
    return model(
        **{name: sample(field.annotation) for name, field in model.model_fields.items() if field.is_required()}
    )


def sample(annotation: Any) -> Any:
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return least(annotation)
    return {str: "x", int: 1, float: 1.0, bool: True, UUID: UUID(int=3)}[annotation]
