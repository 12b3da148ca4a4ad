"""A card as a command gets it: read from a file, stdin or a URL, with the bytes it was read from."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from cardtrail.events.canonical import raw_digest
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.errors import CardtrailError, DocumentRefused, InputRefused
from cardtrail.events.model.card import AgentCard
from cardtrail.events.model.profile import Identity
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import CardReading, read_card
from cardtrail.services.cli.live.config import is_written
from cardtrail.services.cli.shell.inputs import Given, is_url, read_file
from cardtrail.services.cli.shell.options import Reach


class OpenedCard(NamedTuple):
    """Bytes and their reading; `reading.card` is None where the document cannot be used.

    `signature`: what verification said (`open_signed`), None where nobody has verified; `absent`: why there are no bytes.
    """

    given: Given
    reading: CardReading
    signature: SignatureSummary | None = None
    absent: CardtrailError | None = None

    @property
    def digest(self) -> str:
        """`sha256:` + 64 hex over the bytes."""
        return raw_digest(self.given.data)

    def usable(self) -> AgentCard:
        """The card.

        Raises:
            CardtrailError: why it cannot be used, with its place.
        """
        if self.reading.card is None or self.is_forged:
            raise self.refusal()
        return self.reading.card

    @property
    def is_forged(self) -> bool:
        """Whether a key that is trusted for it says that the card is not what was signed."""
        return self.signature is not None and self.signature.outcome == "invalid"

    def identity(self) -> Identity:
        """Who the card says it is, and who signed it. Raises as `usable`."""
        return identify(self.usable(), self.signature)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """A refusal inside is about this card, and says so."""
        try:
            yield
        except InputRefused as refusal:
            refusal.file = refusal.file or self.given.file
            raise

    def refusal(self) -> CardtrailError:
        """Why the card cannot be used, with the file it was read from."""
        refusal = self.absent or self.reading.refusal or self._forged() or InputRefused("card-unreadable", "no card")
        refusal.file = self.given.file
        return refusal

    def _forged(self) -> InputRefused | None:
        if self.signature is None or not self.is_forged:
            return None
        what = f"a signature does not fit the card: {self.signature.reason or 'invalid'}"
        return InputRefused("signature-invalid", what, hint="cardtrail verify says which, and why", path="$.signatures")


def open_card(name: str, reach: Reach) -> OpenedCard:
    """Read a card; a document that cannot be used is a value, a file or host that does not answer an error.

    Raises:
        UsageError: `file-unreadable`, or a URL that may not be called.
        Unreachable: a host that does not answer.
    """
    if not is_url(name):
        given = read_file(name, holds=("supportedInterfaces", "skills"))
        return OpenedCard(given, read_card(given.data))
    try:
        given = _fetched(name, reach)
    except DocumentRefused as refusal:
        return OpenedCard(Given(name, b"", refusal.file), CardReading("not-a-card", None, refusal, None, None))
    return OpenedCard(given, read_card(given.data, given.location))


def open_each(names: Sequence[str], opened: Callable[[str], OpenedCard]) -> list[OpenedCard]:
    """Several cards; one that cannot be had is a value then, and the others are read all the same. Raises as `opened`."""
    return [opened(names[0])] if len(names) == 1 else [_had(name, opened) for name in names]


def _had(name: str, opened: Callable[[str], OpenedCard]) -> OpenedCard:
    try:
        return opened(name)
    except CardtrailError as error:
        if error.code == "argument-repeated":  # wrong is what was typed, not this card
            raise
        nothing = CardReading("not-a-card", None, None, None, None)
        return OpenedCard(Given(name, b"", error.file or name), nothing, absent=error)


def open_signed(name: str, named: tuple[str, ...], reach: Reach) -> OpenedCard:
    """A card with what verification says of it, where it is signed and there are keys to trust. Raises as `open_card`."""
    card = open_card(name, reach)
    held, document = card.reading.card, card.reading.document
    if held is None or document is None or not held.signatures or not (named or is_written(reach.config)):
        return card
    from cardtrail.services.cli.shell.keys import summary  # noqa: PLC0415 — an unsigned card needs no keys

    return card._replace(signature=summary(card, document, named, reach))


def _fetched(name: str, reach: Reach) -> Given:
    from cardtrail.services.cli.shell.remote import fetch_card  # noqa: PLC0415 — files need no network

    return fetch_card(name, reach)
