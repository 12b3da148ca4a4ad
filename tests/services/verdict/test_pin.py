from typing import Any

import pytest

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.lock import lock_digest, write_lock
from cardtrail.services.verdict.pin import credentials_asked_for, pin
from cardtrail.services.verdict.pin_update import pin_update
from cardtrail.services.verdict.view import Baseline, Observed
from tests.services.verdict.cards import CARD, GONE, POLICY, URL, changed, encoded
from tests.services.verdict.rule_cases import NOW, seen

DIGEST = "sha256:" + "0" * 64
EXT = "https://ext.example/receipts/v1"


def pinned(card: dict[str, Any], **wanted: Any) -> Lockfile:
    known = seen(encoded(card), POLICY)
    return pin(known["profile"], known["identity"], workflow="trip", agent="a", card_digest=DIGEST, now=NOW, **wanted)


Changes = dict[str, tuple[Any, Any, str]]
NARROWER = {
    "version": "4.0.0",
    "capabilities/streaming": False,
    "supportedInterfaces/0/tenant": "acme",
    "skills/0/inputModes": ["json", "text/csv"],
    "skills/0/outputModes": ["text/csv"],
    "skills/1/id": "fareRules",
    "securityRequirements": [],
}


def updated(lock: Lockfile, card: dict[str, Any], *, need_less: bool = True) -> tuple[Lockfile, Changes, Changes]:
    known = seen(encoded(card), POLICY)
    found = pin_update(lock, known["profile"], known["identity"], card_digest=DIGEST, now=NOW, need_less=need_less)
    judgement = judge(found.lockfile, Baseline(), Observed(**known), POLICY, NOW)
    assert bool(judgement.findings) is bool(found.unmet)
    changes, unmet = (
        {one.path: (one.before, one.after, one.reason) for one in ones} for ones in (found.changes, found.unmet)
    )
    return found.lockfile, changes, unmet


def test_the_smallest_lock_names_the_skill_its_modes_its_scope_and_the_endpoint() -> None:
    lock = pinned(CARD, skills=["itinerary-pricing"])
    need = lock.requires.skills["itinerary-pricing"]
    assert (need.input, need.output, need.scopes) == (("application/json",), ("application/json",), ("pricing.quote",))
    assert (lock.requires.streaming, lock.requires.extensions) == (False, ())
    assert (lock.interface.url, lock.interface.tenant, lock.interface.version) == (URL, "", "1.0")
    assert (lock.pinned_at, lock.agent_version) == ("2026-11-01T00:00:00Z", "3.2.0")


def test_everything_is_every_skill_flag_and_scope() -> None:
    lock = pinned(changed({"capabilities/pushNotifications": True}), everything=True)
    assert (lock.requires.streaming, lock.requires.push, lock.requires.extended_card) == (True, True, False)
    assert list(lock.requires.skills) == ["fare-rules", "itinerary-pricing"]


def test_pinning_twice_gives_the_same_bytes() -> None:
    assert write_lock(pinned(CARD, everything=True)) == write_lock(pinned(CARD, everything=True))
    assert lock_digest(pinned(CARD)) == lock_digest(pinned(CARD))


@pytest.mark.parametrize(
    ("wanted", "code", "hint"),
    [
        ({"skills": ["itinerary_pricing"]}, "skill-unknown", "did you mean itinerary-pricing?"),
        ({"skills": ["zzz"]}, "skill-unknown", "the card offers fare-rules, itinerary-pricing"),
        ({"push": True}, "capability-unknown", "pin without push"),
        ({"extensions": [EXT]}, "extension-unknown", "the card offers none"),
    ],
)
def test_what_the_card_does_not_offer_cannot_be_pinned(wanted: dict[str, Any], code: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        pinned(CARD, **wanted)
    assert (caught.value.code, caught.value.hint) == (code, hint)


def test_an_agent_that_cannot_be_called_cannot_be_pinned() -> None:
    with pytest.raises(InputRefused) as caught:
        pinned(changed({"supportedInterfaces/0/protocolVersion": "9.0"}), everything=True)
    assert caught.value.code == "profile-unusable"


def test_the_credentials_asked_for_hold_scopes_flow_and_hosts_of_each_scheme_in_use() -> None:
    card = changed(
        {
            "securitySchemes/spare": {"mtlsSecurityScheme": {}},
            "securityRequirements/+": {"schemes": {"lost": {"list": ["x"]}}},
        }
    )
    held = credentials_asked_for(seen(encoded(card), POLICY)["profile"])
    assert set(held) == {"lost", "oauth"}
    assert (held["oauth"].flow, held["oauth"].scopes) == ("clientCredentials", ("pricing.quote",))
    assert held["oauth"].hosts == ("login.partner.example",)
    assert (held["lost"].kind, held["lost"].scopes) == (None, ("x",))


def test_an_update_without_news_changes_no_need() -> None:
    lock = pinned(CARD, skills=["itinerary-pricing"], streaming=True)
    for need_less in (False, True):
        assert updated(lock, CARD, need_less=need_less) == (lock, {}, {})


def test_an_update_keeps_every_need_that_the_card_no_longer_meets_and_says_so() -> None:
    lock = pinned(changed({"capabilities/extensions": [{"uri": EXT}]}), everything=True, extensions=[EXT])
    new, changes, unmet = updated(lock, changed(NARROWER), need_less=False)
    skill = "$.requires.skills['itinerary-pricing']"
    assert set(changes) == {"$.agent_version", "$.interface", f"{skill}.input", f"{skill}.scopes"}
    assert changes[f"{skill}.input"] == (["application/json"], ["json"], "as the card spells it now")
    assert unmet == {
        "$.requires.streaming": (True, False, "the card no longer declares it"),
        "$.requires.skills['fare-rules']": (
            lock.requires.skills["fare-rules"].model_dump(mode="json"),
            None,
            "the card no longer offers it; probably renamed to fareRules",
        ),
        f"{skill}.output": (["application/json"], [], "the card has text/csv there"),
        f"$.requires.extensions['{EXT}']": (EXT, None, "the card no longer declares it"),
    }
    was, kept = lock.requires, new.requires
    assert (kept.streaming, kept.extensions, kept.skills["fare-rules"]) == (True, (EXT,), was.skills["fare-rules"])
    assert kept.skills["itinerary-pricing"].output == was.skills["itinerary-pricing"].output


def test_a_range_that_is_read_is_met_by_a_part_of_it() -> None:
    lock = pinned(changed({"skills/0/outputModes": ["image/*"]}), skills=["itinerary-pricing"])
    known = seen(encoded(changed({"skills/0/outputModes": ["image/png"]})), POLICY)
    found = pin_update(lock, known["profile"], known["identity"], card_digest=DIGEST, now=NOW)
    assert (found.unmet, found.lockfile.requires) == ((), lock.requires)


def test_an_update_that_may_need_less_names_every_need_that_had_to_give_way_and_why() -> None:
    lock = pinned(changed({"capabilities/extensions": [{"uri": EXT}]}), everything=True, extensions=[EXT])
    new, changes, unmet = updated(lock, changed(NARROWER))
    assert unmet == {}
    skill = "$.requires.skills['itinerary-pricing']"
    assert changes["$.agent_version"][:2] == ("3.2.0", "4.0.0")
    assert changes["$.interface"][1]["tenant"] == "acme"
    assert changes["$.requires.streaming"] == (True, False, "the card no longer declares it")
    assert changes[f"{skill}.input"][:2] == (["application/json"], ["json"])
    assert changes[f"{skill}.output"][:2] == (["application/json"], [])
    assert changes[f"{skill}.scopes"][:2] == (["pricing.quote"], [])
    assert (
        changes["$.requires.skills['fare-rules']"][2] == "the card no longer offers it; probably renamed to fareRules"
    )
    assert changes[f"$.requires.extensions['{EXT}']"][:2] == (EXT, None)
    assert set(new.requires.skills) == {"itinerary-pricing"}


def test_an_update_keeps_who_owns_the_lock_and_drops_claims_about_the_old_card() -> None:
    lock = pinned(CARD, skills=["itinerary-pricing"], owner="travel").model_copy(
        update={"verified": {"streaming": "probe ok"}, "severities": {"skill-added": None}, "when_blind": "allow"}
    )
    new, _, _ = updated(lock, changed({"skills/1": GONE}))
    assert (new.owner, new.when_blind, new.severities) == ("travel", "allow", {"skill-added": None})
    assert new.verified == {}
