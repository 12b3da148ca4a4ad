"""`status` for people: a row per lock, worst first, and the counts below."""

from collections.abc import Iterator
from datetime import datetime

from cardtrail.events.fact import PUBLIC
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.doctor_text import line
from cardtrail.services.cli.live.turns import why
from cardtrail.services.cli.live.when import age
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.status import Lag, LockStanding, StatusOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain

_HEADER = ("WORKFLOW", "AGENT", "VERDICT", "SINCE", "OPEN", "ACK", "EVIDENCE", "CARD")


def lines(found: StatusOutput, style: Style) -> Iterator[str]:
    """The table, what keeps it from being up to date, then one line that sums up."""
    now = datetime.fromisoformat(found.at)
    if found.locks:
        yield from style.table(_HEADER, [_row(lock, style, now) for lock in found.locks])
    for one in found.alone:
        who = ", ".join(f"{plain(each.stands_in)} {each.verdict}{_by(each.rules)}" for each in one.behind)
        yield f"note: {plain(one.workflow)}: no agent stands behind {agent(one.agent, one.principal)}: {who}"
    for held in found.turning:
        yield f"note: {plain(held.workflow)} × {agent(held.agent, held.principal)} is {why(held)}"
    yield from (line(one, style) for one in found.troubles)
    yield summary(found)


def _by(rules: tuple[str, ...]) -> str:
    return f" ({plain(', '.join(rules))})" if rules else ""


def summary(found: StatusOutput) -> str:
    """`1 of 2 locks stopped; 12 agents: 10 fresh, 1 stale, 1 unreachable; lag 0.3 s`."""
    counts = found.agents.model_dump(exclude={"total"})
    heard = ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "none watched"
    locks = f"{found.stopped} of {counted(len(found.locks), 'lock')} stopped" if found.locks else "no lock"
    return f"{locks}; {counted(found.agents.total, 'agent')}: {heard}; {behind(found.lag)}"


def behind(lag: Lag) -> str:
    """`lag 0.3 s (2 facts)`: how far what is shown is behind the log."""
    return f"lag {lag.seconds:.1f} s" + (f" ({counted(lag.facts, 'fact')})" if lag.facts else "")


def verdict(lock: LockStanding, style: Style) -> str:
    """`✓ compatible`; a pending lock on an agent that nobody watches waits for nothing, and says so."""
    word = "not watched" if lock.verdict == "pending" and lock.heard == "unwatched" else lock.verdict
    return style.marked(VERDICTS[lock.verdict], word)


def agent(name: str, principal: str) -> str:
    """An agent, and as whom it is seen where that is not the public."""
    return plain(name) if principal == PUBLIC else f"{plain(name)} as {plain(principal)}"


def _row(lock: LockStanding, style: Style, now: datetime) -> tuple[str, ...]:
    times = [age(at, now, terminal=bool(style.columns)) for at in (lock.since, lock.evidence_at, lock.card_at)]
    return (
        plain(lock.workflow),
        agent(lock.agent, lock.principal),
        verdict(lock, style),
        times[0],
        str(lock.open),
        str(lock.acknowledged),
        *times[1:],
    )
