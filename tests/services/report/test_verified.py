"""Whether needed claims were verified in time, case by case."""

from typing import Any

import pytest

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.profile import Interface, Profile, SkillProfile
from cardtrail.services.report.rows import Demand, LockEvent, Proof
from cardtrail.services.report.verified import evidence
from tests.services.report.cases import FLEET, at, held

DAY = 86_400
STREAMS, TEXT = Claim(kind="streaming"), Claim(kind="input-mode", skill="main", value="text/plain")


def pinned(
    day: float, *, age_days: float | None = 10, needs: Requires | None = None, workflow: str = "trip"
) -> LockEvent:
    lock = Lockfile(
        agent="pricing",
        workflow=workflow,
        interface=LockedInterface(binding="JSONRPC", version="1.0"),
        requires=needs or Requires(streaming=True),
        evidence_max_age_s=None if age_days is None else int(age_days * DAY),
    )
    told = lock.model_dump_json(exclude_defaults=True)
    return LockEvent(int(day * 100), at(day), "pricing", workflow, "pricing", "lockfile-pinned", None, "pin", told)


def released(day: float) -> LockEvent:
    return LockEvent(int(day * 100), at(day), "pricing", "trip", "pricing", "lockfile-released", None, "pin")


def shown(day: float, outcome: str = "held", claim: Claim = STREAMS) -> Proof:
    told = claim.model_dump_json(exclude_defaults=True)
    return Proof(int(day * 100) + 1, at(day), at(day), "pricing", outcome, told, None)


def compiled(day: float, *, streaming: bool = True, modes: tuple[str, ...] = ("text/plain",)) -> Proof:
    way = Interface(url="https://pricing.example", binding="JSONRPC", version="1.0")
    skills = {"main": SkillProfile(input=modes, output=("text/plain",))}
    profile = Profile(usable=True, interface=way, interfaces=(way,), streaming=streaming, skills=skills)
    return Proof(
        int(day * 100), at(day), at(day), "pricing", "compiled", None, profile.model_dump_json(exclude_defaults=True)
    )


@pytest.mark.parametrize(
    ("proofs", "days"),
    [
        ([], 0),
        ([shown(0.5)], 9.5),
        ([shown(0.5), shown(5)], 14),
        ([shown(0.5), shown(5, "contradicted")], 4),
        ([shown(0.5), shown(3, "contradicted"), shown(4)], 2 + 10),
        ([shown(0.5), shown(3, claim=TEXT)], 9.5),
        ([compiled(0.1), shown(0.5), compiled(4)], 9.5),
        ([compiled(0.1), shown(0.5), compiled(4, modes=("image/png",))], 9.5),
        ([compiled(0.1), shown(0.5), compiled(4, streaming=False)], 3),
        ([compiled(0.1), shown(0.5), compiled(4, streaming=False), compiled(5)], 3),
        ([shown(30)], 10),
        ([shown(195)], 5),
    ],
    ids=[
        "never",
        "once before the pin",
        "again in time",
        "contradicted",
        "held again",
        "of another claim",
        "the same card",
        "a card that changed elsewhere",
        "a card that claims otherwise",
        "taken back is not shown anew",
        "late",
        "still",
    ],
)
def test_a_claim_counts_as_verified_while_its_evidence_is_young_enough(proofs: list[Proof], days: float) -> None:
    (line,) = evidence(held(locks=[pinned(1)], proofs=proofs), FLEET)
    assert (line.demanded_s / DAY, line.verified_s / DAY) == (199, pytest.approx(days))
    assert line.share == pytest.approx(days / 199, abs=1e-6)
    assert (line.claims, line.verified) == (1, days == 5)


def test_each_claim_of_each_lock_counts() -> None:
    needs = Requires(streaming=True, skills={"main": SkillNeed(input=("text/plain; charset=utf-8",))})
    locks = [pinned(0, needs=needs), pinned(100, age_days=20, workflow="b")]
    (line,) = evidence(held(locks=locks, proofs=[shown(195), shown(110, claim=TEXT)]), FLEET)
    assert (line.demanded_s / DAY, line.verified_s / DAY) == (2 * 200 + 100, 5 + 10 + 5)
    assert (line.claims, line.verified, line.undemanded) == (3, 2, 0)


def test_what_nobody_demands_is_neither_late_nor_in_time() -> None:
    (line,) = evidence(held(locks=[pinned(1, age_days=0)], proofs=[shown(2)]), FLEET)
    assert (line.share, line.claims, line.undemanded) == (None, 0, 1)
    assert evidence(held(locks=[pinned(1, needs=Requires())]), FLEET) == ()


@pytest.mark.parametrize(
    ("demands", "demanded"),
    [([], 0), ([Demand(5, at(0), 10 * DAY)], 199), ([Demand(5, at(0), DAY), Demand(5_000, at(50), 0)], 49)],
)
def test_policy_demands_where_the_lock_says_nothing(demands: list[Demand], demanded: float) -> None:
    (line,) = evidence(held(locks=[pinned(1, age_days=None)], demands=demands), FLEET)
    assert line.demanded_s / DAY == demanded


def test_a_lock_is_counted_until_it_is_released_and_from_the_period_on() -> None:
    told: dict[str, Any] = {"locks": [pinned(1), released(101)], "proofs": [shown(50)]}
    (whole,) = evidence(held(**told), FLEET)
    assert (whole.demanded_s / DAY, whole.verified_s / DAY, whole.claims) == (100, 10, 0)
    (part,) = evidence(held(**told, since=at(55)), FLEET)
    assert (part.demanded_s / DAY, part.verified_s / DAY) == (46, 5)
