"""Cards that take turns hold the worst verdict: how many equal looks were made, counted from the log as the decider counts."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from cardtrail.events import (
    AgentUntracked,
    CardFetched,
    ChangeDecided,
    LockfilePinned,
    LockfileReleased,
    ProfileCompiled,
    Stored,
)
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.policy import Policy
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.audit.shown_by import FLAPPING, alternating
from cardtrail.services.cli.live.directory import Directory, Table
from cardtrail.services.cli.live.past import facts_of
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.turns import Turning
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.decider import flapping
from cardtrail.services.decider.memory import Watch


@dataclass
class Turns:
    """Fed with the facts about one agent, under all its names, in stream order."""

    policy: Policy
    _watches: dict[str, Watch] = field(default_factory=dict)
    _decided: dict[Key, ChangeDecided] = field(default_factory=dict)
    _rows: Rows = field(default_factory=Rows)

    def tell(self, stored: Stored) -> None:
        """One more fact; a late one counts nowhere."""
        if late(stored, self._rows):
            return
        match stored.fact.data:
            case CardFetched() as event:
                watch = self._watch(event.principal, stored)
                certain = event.same_as is not None
                self._watches[event.principal] = flapping.seen_again(watch, event.checks, self.policy, certain=certain)
            case ProfileCompiled() as event:
                watch, state = self._watch(event.principal, stored), flapping.state_of(event)
                if watch.recent[-1:] != (state,):
                    self._watches[event.principal] = flapping.changed(watch, state, self.policy)
            case ChangeDecided() as event:
                self._decided[(event.workflow, event.agent, event.principal)] = event
            case LockfilePinned() | LockfileReleased() as event:
                self._decided.pop((event.workflow, event.agent, event.principal), None)
            case AgentUntracked() as event:
                self._watches.pop(event.principal, None)
                self._decided = {key: one for key, one in self._decided.items() if key[2] != event.principal}

    def held(self) -> Iterator[Turning]:
        """The locks that are held back by it now."""
        for (workflow, agent, principal), event in sorted(self._decided.items()):
            if principal in self._watches and alternating(event):
                yield Turning(
                    workflow=workflow,
                    agent=agent,
                    principal=principal,
                    verdict=event.verdict,
                    equal=self._watches[principal].equal,
                    needed=self.policy.flap_settle,
                )

    def _watch(self, principal: str, stored: Stored) -> Watch:
        return self._watches.get(principal) or Watch(now=stored.stored_at)


async def turning(tracker: Tracker, known: Directory, locks: Table) -> tuple[Turning, ...]:
    """Of these rows of `lockfile_status` those that it holds back; the log is read about their agents alone."""
    keys = {key for key, row in locks.items() if any(one["rule"] == FLAPPING for one in row["findings"])}
    found: list[Turning] = []
    for agent in sorted({known.called(key[2], key[0]) for key in keys}):
        turns = Turns(policy_of(known))
        async for stored in facts_of(tracker, known.names(agent), (await tracker.bus.info()).last):
            turns.tell(stored)
        found += [one for one in turns.held() if (one.principal, one.workflow, one.agent) in keys]
    return tuple(found)


def policy_of(known: Directory) -> Policy:
    """The policy in force."""
    return known.told.policy.policy if known.told.policy else Policy()


def held_line(one: Turning, style: Style) -> str:
    """`✗ breaking  trip-planner  held by card-flapping: …`."""
    return f"{style.marked(VERDICTS[one.verdict], one.verdict)}  {plain(one.workflow)}  {why(one)}"


def why(one: Turning) -> str:
    """`held by card-flapping: 1 of 3 equal looks; cardtrail refresh pricing looks again`."""
    return f"held by {FLAPPING}: {looks(one)}"


def looks(one: Turning) -> str:
    """`1 of 3 equal looks; cardtrail refresh pricing looks again`."""
    who = "" if one.principal == PUBLIC else f" --principal {shlex.quote(plain(one.principal))}"
    again = f"cardtrail refresh {shlex.quote(plain(one.agent))}{who}"
    return f"{one.equal} of {one.needed} equal looks; {again} looks again"
