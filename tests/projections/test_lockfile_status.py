import pytest

from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.projection import Row, Rows
from tests.projections.facts import decided, lock, pinned
from tests.projections.log import Log

KEY = ("public", "trip", "pricing")


def status(log: Log) -> Row | None:
    rows = Rows()
    for stored in log.facts:
        LockfileStatus().apply(stored, rows)
    return rows.get("lockfile_status", KEY)


def standing(log: Log) -> Row:
    row = status(log)
    assert row is not None
    return row


def test_a_new_pin_is_pending_until_the_first_decision_about_it() -> None:
    log = Log()
    pinned(log, lock())
    assert (standing(log)["verdict"], standing(log)["action"], standing(log)["owner"]) == ("pending", None, "travel")
    decision = decided(log, "compatible", "allow", cause="pin")
    row = standing(log)
    assert (row["verdict"], row["decision"], row["judged_through"]) == ("compatible", str(decision.fact.id), 1)


def test_a_decision_about_a_replaced_lock_is_not_about_this_one() -> None:
    log = Log()
    pinned(log, lock())
    pinned(log, lock(person="ada"), digest="sha256:two")
    decided(log, "breaking", "stop", "skill-removed")
    assert standing(log)["verdict"] == "pending"


def test_since_tells_when_a_verdict_and_a_finding_began() -> None:
    log = Log()
    pinned(log, lock())
    decided(log, "review", "probe", "a")
    decided(log, "review", "probe", "a", "b")
    row = standing(log)
    assert row["since"] == "2026-11-30T09:00:01Z"
    assert [finding["since"] for finding in row["findings"]] == ["2026-11-30T09:00:01Z", "2026-11-30T09:00:02Z"]


def acknowledged(log: Log) -> list[str | None]:
    return [finding["acknowledged"] and finding["acknowledged"]["by"] for finding in standing(log)["findings"]]


def test_an_acknowledgement_stays_with_its_finding_and_goes_with_it() -> None:
    log = Log()
    pinned(log, lock())
    decided(log, "review", "probe", "a", "b")
    log.say(
        "change-acknowledged", workflow="trip", fingerprint="a", reason="known", until="2026-12-15T00:00:00Z", by="mira"
    )
    decided(log, "review", "probe", "a", "b")
    assert acknowledged(log) == ["mira", None]
    decided(log, "review", "probe", "b")
    decided(log, "review", "probe", "a")
    assert acknowledged(log) == [None]


def accepted(log: Log, until: str | None = None) -> Log:
    pinned(log, lock())
    decided(log, "review", "probe", "a", "b")
    log.say("change-acknowledged", workflow="trip", fingerprint="a", reason="known", until=until, by="mira")
    return log


def test_a_lock_pinned_anew_keeps_what_was_said_of_the_findings_that_stand_on() -> None:
    log = accepted(Log())
    for digest in ("sha256:two", "sha256:three"):
        pinned(log, lock(person="ada"), digest=digest)
    assert standing(log)["findings"] == []
    decided(log, "review", "probe", "a", "c", lock_digest="sha256:three")
    row = standing(log)
    assert acknowledged(log) == ["mira", None]
    assert [finding["since"] for finding in row["findings"]] == ["2026-11-30T09:00:01Z", row["valid_from"]]


def test_what_is_said_while_a_new_pin_waits_holds_for_its_first_decision() -> None:
    log = accepted(Log(), until="2026-12-01T00:00:00Z")
    pinned(log, lock(person="ada"), digest="sha256:two")
    log.say("change-acknowledged", workflow="trip", fingerprint="b", reason="known", until=None, by="omar")
    log.say("deadline-passed", due="2026-12-01T00:00:00Z", what="acknowledgement", workflow="trip", fingerprint="a")
    decided(log, "review", "probe", "a", "b", lock_digest="sha256:two")
    assert acknowledged(log) == [None, "omar"]


def test_what_went_before_a_new_pin_or_a_release_is_not_remembered() -> None:
    log = accepted(Log())
    decided(log, "compatible", "allow")
    pinned(log, lock(person="ada"), digest="sha256:two")
    decided(log, "review", "probe", "a", lock_digest="sha256:two")
    assert acknowledged(log) == [None]
    log = accepted(Log())
    pinned(log, lock(person="ada"), digest="sha256:two")
    log.say("lockfile-released", workflow="trip", by="mira")
    pinned(log, lock())
    decided(log, "review", "probe", "a")
    assert acknowledged(log) == [None]


def test_a_lock_on_an_agent_that_nobody_watches_waits_and_forgets_what_was_accepted() -> None:
    log = accepted(Log())
    log.say("agent-untracked")
    row = standing(log)
    assert (row["verdict"], row["action"], row["findings"], row["owner"]) == ("pending", None, [], "travel")
    decided(log, "review", "probe", "a")
    assert acknowledged(log) == [None]


def test_a_deadline_ends_the_acknowledgement_it_was_set_for_and_no_renewed_one() -> None:
    log = Log()
    pinned(log, lock())
    decided(log, "review", "probe", "a")
    for until in ("2026-12-01T00:00:00Z", "2026-12-20T00:00:00Z"):
        log.say("change-acknowledged", workflow="trip", fingerprint="a", reason="known", until=until, by="mira")
    due = {"what": "acknowledgement", "workflow": "trip", "fingerprint": "a"}
    log.say("deadline-passed", due="2026-12-01T00:00:00Z", **due)
    assert acknowledged(log) == ["mira"]
    log.say("deadline-passed", due="2026-12-20T00:00:00Z", **due)
    assert acknowledged(log) == [None]


@pytest.mark.parametrize("until", ["2026-12-01", "2026-12-01T00:00:00", "2026-12-01T01:00:00+01:00"])
def test_an_acceptance_ends_at_its_instant_however_that_was_spelled(until: str) -> None:
    log = accepted(Log(), until=until)
    assert standing(log)["findings"][0]["acknowledged"]["until"] == "2026-12-01T00:00:00.000Z"
    log.say("deadline-passed", due="2026-12-01T00:00:00.000Z", what="acknowledgement", workflow="trip", fingerprint="a")
    assert acknowledged(log) == [None, None]


@pytest.mark.parametrize("until", ["2020-01-01T00:00:00Z", "next week", "9999-12-31T23:59:59-05:00"])
def test_an_acceptance_that_is_over_already_or_never_began_is_none(until: str) -> None:
    assert acknowledged(accepted(Log(), until=until)) == [None, None]


def test_only_conclusive_probes_of_needed_claims_are_evidence() -> None:
    log = Log()
    pinned(log, lock())
    told = {"probe": "p", "profile_digest": "sha256:p"}
    log.say("probe-recorded", claim={"kind": "streaming"}, outcome="inconclusive", **told)
    log.say("probe-recorded", claim={"kind": "push"}, outcome="held", **told)
    log.say("probe-recorded", claim={"kind": "input-mode", "skill": "other", "value": "x"}, outcome="held", **told)
    assert standing(log)["evidence_at"] is None
    log.say("probe-recorded", claim={"kind": "streaming"}, outcome="contradicted", **told)
    assert standing(log)["evidence_at"] == "2026-11-30T08:00:05.000Z"


def test_evidence_counts_for_a_lock_that_names_its_agent_by_a_location() -> None:
    log, url = Log(), "https://p.example/c"
    pinned(log, lock(agent=url), agent=url)
    decided(log, "compatible", "allow", agent=url, watched="pricing")
    log.say("probe-recorded", claim={"kind": "streaming"}, outcome="held", probe="p", profile_digest="sha256:p")
    rows = Rows()
    for stored in log.facts:
        LockfileStatus().apply(stored, rows)
    row = rows.get("lockfile_status", ("public", "trip", url))
    assert row is not None
    assert (row["evidence_at"], row["watched"]) == ("2026-11-30T08:00:03.000Z", "pricing")


def test_a_released_lock_stands_nowhere() -> None:
    log = Log()
    pinned(log, lock())
    log.say("lockfile-released", workflow="trip")
    decided(log, "breaking", "stop")
    assert status(log) is None
