"""Subjects: reversible, without wildcards, without cross-match, whatever an id holds."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from cardtrail.events import ChangeDecided, LockfilePinned, PolicyDeclared, ProbeStarted
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires
from cardtrail.events.model.policy import Policy
from cardtrail.events.subjects import shard, subject, token, untoken

HOSTILE = st.text(max_size=40) | st.sampled_from(
    ["*", ">", ".", "..", " ", "", "=", "=h", "$JS.API.>", "a\x00b", "ü.de", "a" * 300]
)
SAFE = re.compile(r"^[A-Za-z0-9_=-]+$")


@given(HOSTILE)
@example("=h" + "0" * 64)
def test_a_token_is_safe_and_reversible(text: str) -> None:
    encoded = token(text)
    assert SAFE.match(encoded)
    assert untoken(encoded) == (text if not encoded.startswith("=h") else None)


@given(HOSTILE, HOSTILE)
def test_two_ids_never_share_a_token(one: str, other: str) -> None:
    assert (token(one) == token(other)) == (one == other)


def test_a_long_id_is_hashed_and_stays_under_the_limit() -> None:
    assert len(token("é" * 300)) <= 128
    assert token("é" * 300) != token("é" * 301)


def test_plain_words_stay_readable() -> None:
    assert token("trip-planner_2") == "trip-planner_2"
    assert token("pricing.partner.example") == "pricing=2Epartner=2Eexample"


def test_each_family_of_facts_has_its_place() -> None:
    lock = Lockfile(agent="p", interface=LockedInterface(binding="JSONRPC", version="1.0"), requires=Requires())
    pinned = LockfilePinned(agent="p", workflow="trip planner", lockfile=lock, lock_digest="sha256:" + "0" * 64)
    assert subject(pinned) == f"cardtrail.events.{shard('p')}.p.public.lockfile-pinned.trip=20planner"
    assert subject(PolicyDeclared(policy=Policy(), digest="")) == "cardtrail.ledger.policy-declared"
    started = ProbeStarted(agent="p", probe="streaming", claim=Claim(kind="input-mode", skill="q", value="a/b"))
    assert subject(started).endswith(".probe-started.input-mode=2Fq=2Fa=2Fb")
    decided = ChangeDecided(
        agent="p.x",
        workflow="w",
        verdict="review",
        action="probe",
        valid_from="",
        considered_through=1,
        lock_digest="",
        rules_version="1",
        policy_digest="",
    )
    assert subject(decided) == "cardtrail.decisions.w.p=2Ex"
