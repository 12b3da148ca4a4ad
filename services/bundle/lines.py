"""A stored fact as a line of a bundle, and back; a body likewise."""

import base64
import binascii
import re

from pydantic import ValidationError

from cardtrail.events.canonical import raw_digest
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.errors import InputRefused
from cardtrail.services.bundle.manifest import BodyLine, FactLine
from cardtrail.services.bundle.redact import Redaction
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.merkle import HASH_BYTES

_SUBJECT = re.compile(r"cardtrail\.(?:events|decisions|ledger)(?:\.[A-Za-z0-9_=-]+){1,5}")
_LONGEST_SUBJECT = 2_048
"""Characters: half of the longest line that a broker takes, and more than any fact's."""
LAST_SEQUENCE = 200_000_000
"""Beyond it no slice is imported: the gaps before it are filled one by one."""


def kind_of(subject: str) -> str:
    """The kind of fact that is told on a subject, "" where none is."""
    match subject.split("."):
        case ["cardtrail", "events", _, _, _, kind, *_] | ["cardtrail", "ledger", kind]:
            return kind
        case ["cardtrail", "decisions", *_]:
            return ChangeDecided.kind
    return ""


def fact_line(leaf: Leaf, redaction: Redaction | None, *, context: bool) -> FactLine:
    """The line of a fact, with what must not leave made unreadable."""
    members: tuple[str, ...] = ()
    data, text, encoded = leaf.data, None, None
    if redaction is not None:
        data, members = redaction.redacted(leaf.data, kind_of(leaf.subject))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
    return FactLine(
        sequence=leaf.sequence,
        stored_ns=str(leaf.stored_ns),
        subject=leaf.subject,
        leaf=leaf.hash().hex(),
        event=text,
        base64=encoded,
        redacted=members,
        context=context,
    )


def read_fact(line: bytes) -> tuple[FactLine, Leaf]:
    """A line, and the fact as it is in the bundle.

    Raises:
        InputRefused: `bundle-unreadable`; also where the subject is none of the log's, so that it is never published on.
    """
    try:
        told = FactLine.model_validate_json(line)
        data = told.event.encode() if told.event is not None else base64.b64decode(told.base64 or "", validate=True)
        leaf = Leaf(told.sequence, int(told.stored_ns), told.subject, data)
        hashed = bytes.fromhex(told.leaf)
    except (ValidationError, binascii.Error, ValueError) as error:
        raise InputRefused("bundle-unreadable", "a line of the bundle is no fact") from error
    is_placed = 0 < leaf.sequence <= LAST_SEQUENCE and 0 <= leaf.stored_ns < 1 << 63
    is_told = len(leaf.subject) <= _LONGEST_SUBJECT and _SUBJECT.fullmatch(leaf.subject)
    if not is_placed or len(hashed) != HASH_BYTES or not is_told:
        raise InputRefused("bundle-unreadable", "a fact of the bundle can lie on no log")
    return told, leaf


def body_line(agent: str, principal: str, data: bytes) -> BodyLine:
    """The line of a body."""
    return BodyLine(agent=agent, principal=principal, sha256=raw_digest(data), base64=base64.b64encode(data).decode())


def read_body(line: bytes) -> tuple[str, str, bytes]:
    """Agent, principal and bytes of a body.

    Raises:
        InputRefused: `bundle-unreadable`, or `bundle-altered` where the bytes are not those of its digest.
    """
    try:
        told = BodyLine.model_validate_json(line)
        data = base64.b64decode(told.base64, validate=True)
    except (ValidationError, binascii.Error, ValueError) as error:
        raise InputRefused("bundle-unreadable", "a line of the bundle is no body") from error
    if raw_digest(data) != told.sha256:
        raise InputRefused("bundle-altered", f"a body is not {told.sha256[:19]}…")
    return told.agent, told.principal, data
