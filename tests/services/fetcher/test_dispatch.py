"""Who is looked at when: at once when tracked, pinned or contradicted; after the interval; later and later while it fails."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from cardtrail.events import (
    AgentTracked,
    AgentUntracked,
    CardFetched,
    CardRefused,
    Event,
    Fact,
    LockfilePinned,
    ProbeRecorded,
    RegistryScanned,
    RuntimeErrorObserved,
    Stored,
    observation_id,
)
from cardtrail.events.agent_tracked import Target
from cardtrail.events.card_fetched import Freshness
from cardtrail.events.fact import instant
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.projections.projection import Rows
from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.dispatch import DUE, PACE, Dispatch
from cardtrail.services.fetcher.listed import settings_digest
from cardtrail.services.fetcher.pace import FORCED, begin, scan_key, wanted
from cardtrail.services.fetcher.schedule import next_look

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
KEY = ("pricing", "public")
URL = "https://pricing.example/.well-known/agent-card.json"
TRACKED = AgentTracked(agent="pricing", target=Target(kind="card-url", value=URL), interval_s=300)
CONTRADICTED = ProbeRecorded(
    agent="pricing", probe="streaming", claim=Claim(kind="streaming"), outcome="contradicted", profile_digest=""
)


def lock(agent: str, *fallback: str) -> Lockfile:
    stand_ins = tuple(Candidate(agent=name) for name in fallback)
    return Lockfile(
        agent=agent,
        interface=LockedInterface(binding="JSONRPC", version="1.0"),
        requires=Requires(),
        fallback=stand_ins,
    )


class Log:
    """Facts a minute apart."""

    def __init__(self) -> None:
        self.rows, self.sequence = Rows(), 0

    def tell(self, event: Event, behind: timedelta = timedelta()) -> datetime:
        self.sequence += 1
        at = START + timedelta(minutes=self.sequence)
        seen = at - behind
        fact = Fact(id=observation_id(int(seen.timestamp() * 1000), bytes(10)), source="t", time=seen, data=event)
        Dispatch(3_600).apply(Stored(sequence=self.sequence, stored_at=at, fact=fact), self.rows)
        return at

    def due(self) -> datetime | None:
        row = self.rows.get(DUE, KEY)
        return None if row is None else datetime.fromisoformat(row["due"])


def test_a_new_agent_is_due_at_once_and_an_untracked_one_never() -> None:
    log = Log()
    assert log.tell(TRACKED) == log.due()
    log.tell(AgentUntracked(agent="pricing"))
    assert log.due() is None


def test_a_host_that_no_look_goes_to_any_more_is_forgotten() -> None:
    log = Log()
    for number in range(50):
        moved = Target(kind="card-url", value=f"https://h{number}.example/card.json")
        log.tell(TRACKED.model_copy(update={"target": moved}))
        assert set(log.rows.table(PACE)) == {(f"h{number}.example",)}
    log.tell(AgentUntracked(agent="pricing"))
    assert log.rows.table(PACE) == {}


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({"registry_metadata": {"digest": "sha256:0"}}, FORCED),
        ({"endpoints": EndpointPolicy(same_origin_only=True)}, FORCED),
        ({"target": Target(kind="domain", value="pricing.example")}, FORCED),
        ({"credential": "planner"}, FORCED),
        ({"registry_metadata": {"updated_at": "today"}}, ""),
        ({"interval_s": 60, "provider": "Ada"}, ""),
    ],
)
def test_an_agent_told_again_is_asked_for_in_whole_where_its_card_is_judged_by_other_terms(
    changes: dict[str, object], mark: str
) -> None:
    log = Log()
    log.tell(TRACKED)
    assert marks(log) == ""
    log.tell(CardFetched(agent="pricing"))
    at = log.tell(TRACKED.model_copy(update=changes))
    assert (log.due(), marks(log)) == (at, mark)
    log.tell(CardFetched(agent="pricing"))
    assert marks(log) == ""


def marks(log: Log) -> str:
    row = log.rows.get(DUE, KEY)
    assert row is not None
    return wanted(KEY, row).fingerprint


@pytest.mark.parametrize(
    "late", [CardFetched(agent="pricing"), CardRefused(agent="pricing", stage="connect", reason="x")]
)
def test_a_look_by_a_clock_that_is_behind_changes_nothing_but_the_next_one_comes(late: Event) -> None:
    log = Log()
    log.tell(TRACKED)
    log.tell(CardFetched(agent="pricing"))
    log.tell(CardRefused(agent="pricing", stage="connect", reason="x"))
    before, at = log.rows.get(DUE, KEY), log.tell(late, behind=timedelta(hours=1))
    due = log.due()
    assert before is not None
    assert due is not None
    assert timedelta(0) < due - at <= timedelta(seconds=1.2 * TRACKED.interval_s)
    assert log.rows.get(DUE, KEY) == before | {"due": instant(due)}
    log.tell(TRACKED.model_copy(update={"credential": "planner"}))
    log.tell(late, behind=timedelta(hours=1))
    assert marks(log) == FORCED


def test_after_an_answer_the_interval_passes_with_a_little_jitter() -> None:
    log = Log()
    log.tell(TRACKED)
    at = log.tell(CardFetched(agent="pricing"))
    due = log.due()
    assert due is not None
    assert timedelta(seconds=300) <= due - at <= timedelta(seconds=330)


def test_a_server_that_vouches_for_longer_is_left_alone_whether_it_says_so_again_or_not() -> None:
    log = Log()
    log.tell(TRACKED)
    long = Freshness(lifetime_s=3_600, by="server")
    short = CardFetched(agent="pricing", same_as=2)
    aged = short.model_copy(update={"freshness": long.model_copy(update={"age_s": 3_300})})
    for event, least in (
        (CardFetched(agent="pricing", location=URL, freshness=long), 600),
        (short, 600),
        (aged, 300),
        (short, 600),
        (short.model_copy(update={"freshness": Freshness(lifetime_s=400, by="server")}), 400),
        (short, 400),
    ):
        at = log.tell(event)
        due = log.due()
        assert due is not None
        assert timedelta(seconds=least) <= due - at <= timedelta(seconds=least * 1.1)


def test_while_it_fails_the_pause_grows_to_the_cap_and_an_answer_ends_it() -> None:
    log = Log()
    log.tell(TRACKED)
    pauses = []
    for _ in range(12):
        at = log.tell(CardRefused(agent="pricing", stage="connect", reason="refused"))
        due = log.due()
        assert due is not None
        pauses.append((due - at).total_seconds())
    assert pauses[0] <= 60
    assert max(pauses) <= 3_600
    assert pauses[-1] >= 1_800
    log.tell(CardFetched(agent="pricing"))
    row = log.rows.get(DUE, KEY)
    assert row is not None
    assert row["failures"] == 0


def test_a_server_that_asks_for_patience_gets_it() -> None:
    log = Log()
    log.tell(TRACKED)
    at = log.tell(CardRefused(agent="pricing", stage="fetch", reason="throttled", status=429, retry_after_s=900))
    due = log.due()
    assert due is not None
    assert due - at >= timedelta(seconds=900)


def test_a_lock_makes_its_agent_due_under_whatever_name_and_its_stand_ins_too() -> None:
    for pinned in (lock("pricing"), lock(URL), lock("other", "pricing"), lock("other", URL)):
        log = Log()
        log.tell(TRACKED)
        log.tell(CardFetched(agent="pricing", location=URL))
        at = log.tell(LockfilePinned(agent=pinned.agent, workflow="trip", lockfile=pinned, lock_digest=""))
        assert log.due() == at


def test_what_contradicts_the_card_makes_the_agent_due() -> None:
    error = RuntimeErrorObserved(
        agent="pricing", workflow="w", operation="SendStreamingMessage", error="x", profile_digest=""
    )
    speaks = error.model_copy(update={"contradicts": Claim(kind="streaming")})
    for event, is_due in ((CONTRADICTED, True), (speaks, True), (error, False)):
        log = Log()
        log.tell(TRACKED)
        log.tell(CardFetched(agent="pricing"))
        before = log.due()
        at = log.tell(event)
        assert (log.due() == at) is is_due
        assert is_due or log.due() == before


def test_facts_about_agents_nobody_tracks_set_nothing() -> None:
    log = Log()
    log.tell(CardFetched(agent="pricing"))
    log.tell(CONTRADICTED)
    assert log.due() is None


def herd(agents: int, hosts: int) -> list[tuple[str, datetime]]:
    """So many agents on so many hosts, all tracked at the same moment: host and instant of each first look."""
    rows, fold = Rows(), Dispatch(3_600)
    for number in range(agents):
        url = f"https://h{number % hosts}.example/{number}.json"
        event = AgentTracked(agent=f"a{number}", target=Target(kind="card-url", value=url), interval_s=86_400)
        fact = Fact(id=observation_id(0, number.to_bytes(10, "big")), source="t", time=START, data=event)
        fold.apply(Stored(sequence=number + 1, stored_at=START, fact=fact), rows)
    return [(row["host"], datetime.fromisoformat(row["due"])) for row in rows.table(DUE).values()]


@pytest.mark.parametrize(("agents", "hosts"), [(10_000, 1), (10_000, 200), (10_000, 10_000)])
def test_ten_thousand_agents_tracked_at_once_are_asked_at_each_hosts_own_pace(agents: int, hosts: int) -> None:
    by_host: dict[str, list[datetime]] = {}
    for host, due in herd(agents, hosts):
        by_host.setdefault(host, []).append(due)
    assert len(by_host) == hosts
    for instants in by_host.values():
        ordered = sorted(instants)
        assert ordered[0] == START
        assert all(later - at >= timedelta(seconds=0.25) for at, later in pairwise(ordered))
        assert ordered[-1] - START <= timedelta(seconds=0.25 * agents / hosts)


def test_after_their_first_look_ten_thousand_agents_are_spread_over_a_tenth_of_their_interval() -> None:
    seconds = [
        int((next_look(START, 86_400, Freshness(), f"a{number}", 1) - START).total_seconds())
        for number in range(10_000)
    ]
    assert max(seconds) - min(seconds) > 8_000
    assert max(Counter(seconds).values()) < 15


def test_a_contradicted_card_is_asked_for_in_whole_and_a_pinned_one_as_usual() -> None:
    for event, mark in ((CONTRADICTED, "forced"), (None, "anew")):
        log = Log()
        log.tell(TRACKED)
        log.tell(CardFetched(agent="pricing"))
        log.tell(event or LockfilePinned(agent="pricing", workflow="w", lockfile=lock("pricing"), lock_digest=""))
        row = log.rows.get(DUE, KEY)
        assert row is not None
        assert wanted(KEY, row).fingerprint == mark
        log.tell(CardFetched(agent="pricing"))
        row = log.rows.get(DUE, KEY)
        assert row is not None
        assert wanted(KEY, row).fingerprint == ""


def test_registries_are_walked_after_their_interval_sooner_when_broken_and_at_once_when_set_up_anew() -> None:
    registry = RegistrySettings(source="list.json", every=7_200)
    log = Log()
    begin({"own": registry}, DUE, log.rows, START)
    row = log.rows.get(DUE, scan_key("own"))
    assert row is not None
    assert (row["due"], wanted(scan_key("own"), row).fingerprint) == ("2026-11-30T09:00:00.000Z", "scan")
    told = RegistryScanned(registry="own", complete=True, interval_s=7_200, settings_digest=settings_digest(registry))
    at = log.tell(told)
    assert timedelta(seconds=7_200) <= scan_due(log) - at <= timedelta(seconds=7_920)
    pauses = []
    for _ in range(8):
        at = log.tell(told.model_copy(update={"complete": False}))
        pauses.append((scan_due(log) - at).total_seconds())
    assert pauses[0] <= 60
    assert max(pauses) <= 3_600
    before = log.rows.get(DUE, scan_key("own"))
    begin({"own": registry}, DUE, log.rows, START)
    assert log.rows.get(DUE, scan_key("own")) == before
    begin({"own": registry.model_copy(update={"tags": ("fx",)})}, DUE, log.rows, START)
    assert scan_due(log) == START
    begin({}, DUE, log.rows, START)
    assert log.rows.get(DUE, scan_key("own")) is None


def scan_due(log: Log) -> datetime:
    row = log.rows.get(DUE, scan_key("own"))
    assert row is not None
    return datetime.fromisoformat(row["due"])
