"""The payloads one card may have been signed over, computed once, grouped by equal bytes, in the fixed order of forms."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from cardtrail.events.errors import InputRefused
from cardtrail.services.card.base64url import encode_base64
from cardtrail.services.card.canonical_forms import FORMS, canonical_form


class Candidate(NamedTuple):
    """Bytes to try (and as base64url), the forms that give them, and the JSON paths of what one of these does not see."""

    payload: bytes
    encoded: str
    forms: tuple[str, ...]
    uncovered: tuple[str, ...]


class Payloads:
    """All candidates of a card. A card of the time before 1.0 has only its raw form: its text knew no presence rules."""

    def __init__(self, card: dict[str, Any]) -> None:
        self._card = card
        self.refusal: InputRefused | None = None

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._candidates)

    @cached_property
    def _candidates(self) -> tuple[Candidate, ...]:
        found: dict[bytes, Candidate] = {}
        for form in ("raw",) if is_legacy(self._card) else FORMS:
            try:
                payload, uncovered = canonical_form(self._card, form)
            except InputRefused as refusal:
                self.refusal = refusal
                continue
            held = found.get(payload, Candidate(payload, encode_base64(payload), (), ()))
            # Equal bytes do not tell which form the signer had in mind: what any of them leaves out may have been taken away.
            found[payload] = held._replace(
                forms=(*held.forms, form), uncovered=tuple(dict.fromkeys(held.uncovered + uncovered))
            )
        return tuple(found.values())


def is_legacy(card: dict[str, Any]) -> bool:
    """Whether the card is of a generation before 1.0: no interfaces of 1.0, but an endpoint or a mark of 0.x."""
    marks = (
        "url",
        "preferredTransport",
        "additionalInterfaces",
        "supportsAuthenticatedExtendedCard",
        "protocolVersion",
    )
    interfaces = card.get("supportedInterfaces", card.get("supported_interfaces"))
    return not interfaces and any(card.get(mark) is not None for mark in marks)
