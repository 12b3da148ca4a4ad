"""What a bundle holds: its scope, what was left out or made unreadable, the digests of its files."""

from typing import Any, Literal

from cardtrail.events.model.value import Value

FORMAT: Literal["cardtrail.bundle/1"] = "cardtrail.bundle/1"
MANIFEST, FACTS, BODIES, TREE = "manifest.json", "facts.jsonl", "bodies.jsonl", "tree.jsonl"
FILES = (FACTS, BODIES, TREE)


class File(Value):
    """A file of the bundle: `sha256:` over its bytes, and how many lines it has."""

    sha256: str
    lines: int


class Scope(Value):
    """Which slice: agents under all their names (empty: the whole log), principals (empty: all), from when, to when, RFC 3339.

    `through` is the last sequence that was looked at; from `known_from` on, nothing of the slice is missing; what stands before
    is context, the last word of each subject.
    """

    agents: tuple[str, ...]
    principals: tuple[str, ...]
    since: str | None
    until: str | None
    through: int
    known_from: int


class Manifest(Value):
    """`redacted` counts facts with something made unreadable, by member; `bodies_left_out` by reason.

    `head` is the signed head that covers the slice, "" where there was none; `release` the version that wrote the bundle.
    """

    format: Literal["cardtrail.bundle/1"]
    release: str
    scope: Scope
    redaction: Literal["default", "none"]
    redacted: dict[str, int]
    facts: int
    context: int
    bodies: int
    bodies_left_out: dict[str, int]
    head: str
    files: dict[str, File]


class FactLine(Value):
    """A fact as it lies on the log: `event` is its text (`base64` where it is none), `stored_ns` the broker's time as a text.

    `leaf` is the hash it has in the tree; with `redacted` members the text does not give it any more, and `head` cannot prove it.
    """

    sequence: int
    stored_ns: str
    subject: str
    leaf: str
    event: str | None
    base64: str | None = None
    redacted: tuple[str, ...] = ()
    context: bool = False


class BodyLine(Value):
    """A card's bytes, as they were served to one principal."""

    agent: str
    principal: str
    sha256: str
    base64: str


class TreeLine(Value):
    """The root over `size` leaves from index `start`, none of which is in the bundle; hex."""

    start: int
    size: int
    hash: str


Json = dict[str, Any]
