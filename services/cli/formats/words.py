"""Words that several formats share: counts, facts of a finding, one-line messages; all that a card said goes through `plain`."""

from cardtrail.services.cli.formats.report import LEVELS, Remark, Section
from cardtrail.services.cli.shell.text import plain, shown

FINGERPRINT = 12
_MESSAGE = 500
_DIGEST_ENDS = (4, -2)


def facts(remark: Remark, limit: int = 200) -> list[tuple[str, str]]:
    """What the lock needs, what was, what is: the pairs that are known."""
    pairs = [] if remark.needs is None else [("needs", remark.needs)]
    if remark.before is not None:
        pairs.append(("before", remark.before))
    if remark.before is not None or remark.after is not None:
        pairs.append(("now", remark.after))
    return [(name, shown(value, limit)) for name, value in pairs]


def message(remark: Remark) -> str:
    """The message on one line."""
    return plain(remark.message, _MESSAGE)


def counted(number: int, noun: str) -> str:
    """`1 note`, `2 bodies`, `1,000 facts`; breaking and review have no plural."""
    if number == 1 or noun in {"breaking", "review", "info"}:
        return f"{number:,} {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("dy") else f"{noun}s"
    return f"{number:,} {plural}"


def counts(section: Section, *nouns: str) -> str:
    """`1 breaking, 1 review, 3 notes`: by level, in the tool's words."""
    return ", ".join(counted(section.count(level), noun) for level, noun in zip(LEVELS, nouns, strict=True))


def short_digest(digest: str) -> str:
    """`6f1c…e2` for people; the whole stands in the JSON."""
    head, tail = _DIGEST_ENDS
    bare = plain(digest.removeprefix("sha256:"))
    return f"{bare[:head]}…{bare[tail:]}" if bare else ""


def pair(section: Section) -> str:
    """Workflow × agent, as far as named."""
    return " × ".join(plain(part) for part in (section.workflow, section.agent or section.card) if part)
