"""When each claim is tested next: a fold over the log, so that no prober keeps a clock of its own. Pure.

`due` (agent, principal): `due`, `host`, `turn`. A first pin, a changed claim, a review, a doubt raised by a call and an operator
who asks make tests due at once; else they come slowly. What was agreed (the contracts) is given by the settings.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from cardtrail.events import (
    AgentEvent,
    AgentTracked,
    AgentUntracked,
    CardFetched,
    ChangeDecided,
    DeadlinePassed,
    LockfilePinned,
    LockfileReleased,
    ProbeRecorded,
    ProbeStarted,
    ProfileCompiled,
    RuntimeErrorObserved,
    Stored,
)
from cardtrail.events.fact import instant
from cardtrail.events.model.evidence import Claim
from cardtrail.projections.lateness import late, repeated
from cardtrail.projections.projection import Key, Rows
from cardtrail.services import places
from cardtrail.services.contract import SafetyContract
from cardtrail.services.kept import drop, keys, load, save
from cardtrail.services.prober import demand, docket
from cardtrail.services.prober.memory import Checks, Subject
from cardtrail.services.prober.plan import ALWAYS, asked, is_affected, next_due, planned
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.settings import ProbeSettings
from cardtrail.services.verdict.claims import same_claim

DUE = "due"
NAME = "probing"
_GAP_S = 60
_TURNED_AWAY = "authentication"


class Agenda:
    """The fold; `contracts` by the operator's name of the agent."""

    name = NAME

    def __init__(self, settings: ProbeSettings, contracts: Mapping[str, SafetyContract]) -> None:
        """Nothing else is set: what is tested comes with locks and profiles."""
        self._settings, self._contracts = settings, contracts
        self._gap = timedelta(seconds=min(_GAP_S, settings.retry))

    def apply(self, stored: Stored, rows: Rows) -> None:  # noqa: C901 — one case for each kind of fact
        """Change what is due by one fact; a late one changes nothing, but that a test was made and the next must come."""
        event, now = stored.fact.data, stored.stored_at
        if not isinstance(event, AgentEvent) or _says_nothing(stored, rows):
            return
        key = (places.resolve(rows, event.agent, event.principal), event.principal)
        match event:
            case AgentTracked() | CardFetched():
                places.learn(rows, event)
                self._met(rows, event, now)
            case AgentUntracked():
                _forget(rows, event)
            case ProfileCompiled():
                told = {"profile": event.profile.model_copy(update={"provenance": {}})}
                self._update(rows, key, {**told, "profile_digest": event.profile_digest}, now)
            case LockfilePinned():
                self._replan(rows, demand.pinned(rows, event), event.principal, now)
            case LockfileReleased():
                self._replan(rows, demand.released(rows, event), event.principal, now)
            case ChangeDecided(action="probe"):
                self._keep(rows, key, docket.at_once(_checks(rows, key), now))
            case RuntimeErrorObserved() if event.contradicts is not None:
                self._want(rows, key, self._doubted(rows, key, event.contradicts), now, self._gap)
            case DeadlinePassed(what="probe"):
                self._want(rows, key, self._asked(rows, key, event.fingerprint), now)
            case ProbeStarted():
                self._keep(rows, key, docket.started(_checks(rows, key), stored, event))
            case ProbeRecorded():
                self._recorded(rows, key, event, now)
            case _:
                pass

    def replan(self, rows: Rows, now: datetime) -> None:
        """Contracts may have changed since the rows were kept: what is agreed now is due now."""
        for agent, principal in tuple(keys(rows, Subject)):
            self._replan(rows, {agent}, principal, now)

    def patience_s(self, agent: str) -> float:
        """How long a test may be under way, seconds: each request in full, and the pause before the next trial."""
        contract = self._contracts.get(agent)
        return 3 * self._settings.total_s + 10 + (contract.rate_s if contract and contract.trials > 1 else 0)

    def _met(self, rows: Rows, event: AgentTracked | CardFetched, now: datetime) -> None:
        key = (event.agent, event.principal)
        if isinstance(event, AgentTracked):
            self._update(rows, key, {"endpoints": event.endpoints, "credential": event.credential}, now)
        elif event.same_as is None and not event.extended and load(rows, Subject, key) is not None:
            self._update(rows, key, {"home": _host(event.location), "card_digest": event.semantic_digest}, now)

    def _update(self, rows: Rows, key: Key, told: dict[str, object], now: datetime) -> None:
        old = load(rows, Subject, key) or Subject()
        new = old.model_copy(update=told)
        save(rows, key, new)
        if (old.profile, old.home) != (new.profile, new.home):
            self._plan(rows, key, old, now)

    def _replan(self, rows: Rows, agents: set[str], principal: str, now: datetime) -> None:
        for agent in sorted(agents):
            subject = load(rows, Subject, (agent, principal))
            if subject is not None:
                self._plan(rows, (agent, principal), subject, now)

    def _plan(self, rows: Rows, key: Key, old: Subject, now: datetime) -> None:
        subject = load(rows, Subject, key) or Subject()
        plan = planned(subject, demand.demanded(rows, *key), self._contracts.get(key[0]))
        self._keep(
            rows,
            key,
            docket.replanned(_checks(rows, key), plan, lambda claim: is_affected(old, subject, claim), now),
        )

    def _doubted(self, rows: Rows, key: Key, claim: Claim) -> Iterator[tuple[str, Claim]]:
        """The tests of what a real call has contradicted."""
        return (test for probe in PROBES for test in self._asked(rows, key, probe) if same_claim(test[1], claim))

    def _asked(self, rows: Rows, key: Key, probe: str) -> tuple[tuple[str, Claim], ...]:
        subject = load(rows, Subject, key) or Subject()
        return asked(subject, _checks(rows, key), probe, self._contracts.get(key[0]))

    def _want(
        self, rows: Rows, key: Key, tests: Iterable[tuple[str, Claim]], now: datetime, gap: timedelta | None = None
    ) -> None:
        self._keep(rows, key, docket.wanted(_checks(rows, key), tests, now, gap=gap))

    def _recorded(self, rows: Rows, key: Key, event: ProbeRecorded, now: datetime) -> None:
        checks = docket.recorded(
            _checks(rows, key), event, now, lambda check: next_due(check, event, now, self._settings, key[0])
        )
        self._keep(rows, key, checks)
        if event.probe == ALWAYS and event.reason == _TURNED_AWAY:
            # A card that asks for no authentication and an agent that does: that claim is put to the test.
            anonymous = Claim(kind="security", value="anonymous")
            self._want(rows, key, self._doubted(rows, key, anonymous), now, self._gap)

    def _keep(self, rows: Rows, key: Key, checks: Checks) -> None:
        """Remember the tests, and when the next of them comes."""
        subject = load(rows, Subject, key)
        next_one = docket.soonest(checks, self._contracts.get(key[0]), self.patience_s(key[0]))
        if checks != Checks() or load(rows, Checks, key) is not None:
            save(rows, key, checks)
        if next_one is None or subject is None or subject.profile is None or subject.profile.interface is None:
            rows.delete(DUE, key)
        else:
            host = _host(subject.profile.interface.url) or "-"
            rows.put(DUE, key, {"due": instant(next_one[1]), "host": host, "turn": checks.turn})


def _says_nothing(stored: Stored, rows: Rows) -> bool:
    return late(stored, rows) and (not isinstance(stored.fact.data, ProbeRecorded) or repeated(stored, rows))


def _checks(rows: Rows, key: Key) -> Checks:
    return load(rows, Checks, key) or Checks()


def _forget(rows: Rows, event: AgentUntracked) -> None:
    key = (event.agent, event.principal)
    places.forget(rows, event)
    for kind in (Subject, Checks):
        drop(rows, kind, key)
    rows.delete(DUE, key)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
