"""Every published document by name: the JSON Schemas and the AsyncAPI document, as they stand under schemas/."""

from typing import Any

from cardtrail.services.cli.catalogue.asyncapi import asyncapi
from cardtrail.services.cli.catalogue.schemas import schemas
from cardtrail.services.cli.shell.release import release

ASYNCAPI = "asyncapi"


def names() -> list[str]:
    """Every name that can be asked for."""
    return [*schemas(), ASYNCAPI]


def document(name: str) -> dict[str, Any]:
    """One of them, made from the code that is running."""
    return asyncapi(release()) if name == ASYNCAPI else schemas()[name]()


def documents() -> dict[str, dict[str, Any]]:
    """All of them by name."""
    return {name: document(name) for name in names()}
