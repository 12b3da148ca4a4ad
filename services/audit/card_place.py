"""Where in a kept card something stands: a JSON path followed in the very bytes that were served."""

from typing import Any

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.value import Value
from cardtrail.services.card.parse import parse
from cardtrail.services.card.paths import member


class CardPlace(Value):
    """A member of a card, by the digest of its body. `kept` False: the body is not kept any more, or never was.

    `there` says whether the card has the member; `line` and `column` count from 1, 0 = unknown.
    """

    card_digest: str
    path: str
    kept: bool
    there: bool = False
    line: int = 0
    column: int = 0
    value: Any = None


def place_in(card_digest: str, data: bytes | None, path: str) -> CardPlace:
    """The member at an RFC 9535 path as `services/card` spells it; a card that this release refuses has no members."""
    if data is None:
        return CardPlace(card_digest=card_digest, path=path, kept=False)
    try:
        document = parse(data)
    except DocumentRefused:
        return CardPlace(card_digest=card_digest, path=path, kept=True)
    found = _followed(document.value, "$", path)
    if not found:
        return CardPlace(card_digest=card_digest, path=path, kept=True)
    line, column = document.place(path)
    return CardPlace(
        card_digest=card_digest, path=path, kept=True, there=True, line=line, column=column, value=found[0]
    )


def _followed(value: Any, at: str, path: str) -> list[Any]:  # noqa: ANN401 — any JSON value
    """The value at a path in a list, empty where there is none; only ways that begin like the path are gone."""
    if at == path:
        return [value]
    if isinstance(value, dict):
        ways = ((member(at, name), inner) for name, inner in value.items())
    elif isinstance(value, list):
        ways = ((f"{at}[{index}]", inner) for index, inner in enumerate(value))
    else:
        return []
    for way, inner in ways:
        if path.startswith(way) and (found := _followed(inner, way, path)):
            return found
    return []
