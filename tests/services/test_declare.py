"""Settings become facts once: twice the same settings tell nothing, and only what they told is taken back."""

from pathlib import Path

from cardtrail.events import AgentTracked, AgentUntracked, LockfilePinned, LockfileReleased, PolicyDeclared
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires
from cardtrail.services.config_file import read_settings
from cardtrail.services.declare import agent_facts, lock_facts, policy_fact, tracked

SETTINGS = read_settings('[agents.pricing]\ndomain = "p.example"\nprincipals = ["public", "acme"]\n', "t", Path("/"))
LOCK = Lockfile(
    agent="pricing", workflow="trip", interface=LockedInterface(binding="JSONRPC", version="1.0"), requires=Requires()
)
KEY = ("trip", "pricing", "public")


def test_an_agent_is_tracked_once_per_principal_and_again_when_it_changed() -> None:
    first = list(agent_facts(SETTINGS, {}, {}))
    assert [(e.agent, e.principal) for e in first if isinstance(e, AgentTracked)] == [
        ("pricing", "public"),
        ("pricing", "acme"),
    ]
    held = tracked(SETTINGS)
    there = dict.fromkeys(held, False)
    assert list(agent_facts(SETTINGS, held, there)) == []
    moved = {key: event.model_copy(update={"interval_s": 5}) for key, event in held.items()}
    assert len(list(agent_facts(SETTINGS, moved, there))) == 2


def test_what_the_settings_told_and_no_longer_name_is_untracked() -> None:
    old = AgentTracked(agent="gone", target=tracked(SETTINGS)[("pricing", "public")].target, by="settings")
    by_hand = old.model_copy(update={"agent": "mine", "by": "mira"})
    held = tracked(SETTINGS) | {("gone", "public"): old, ("mine", "public"): by_hand}
    facts = list(agent_facts(SETTINGS, held, dict.fromkeys(held, False)))
    assert [event.agent for event in facts if isinstance(event, AgentUntracked)] == ["gone"]
    assert list(agent_facts(SETTINGS, held, dict.fromkeys(held, False) | {("gone", "public"): True})) == []


def test_an_untracked_agent_that_stands_in_the_settings_is_tracked_again() -> None:
    held = tracked(SETTINGS)
    assert len(list(agent_facts(SETTINGS, held, dict.fromkeys(held, True)))) == 2


def test_a_lock_is_pinned_when_its_content_changed_and_released_when_it_is_gone() -> None:
    (pinned,) = lock_facts({KEY: LOCK}, {})
    assert isinstance(pinned, LockfilePinned)
    assert list(lock_facts({KEY: LOCK}, {KEY: pinned})) == []
    assert len(list(lock_facts({KEY: LOCK.model_copy(update={"owner": "x"})}, {KEY: pinned}))) == 1
    (released,) = lock_facts({}, {KEY: pinned})
    assert isinstance(released, LockfileReleased)
    assert list(lock_facts({}, {KEY: pinned.model_copy(update={"by": "mira"})})) == []


def test_the_policy_is_declared_once() -> None:
    (policy,) = policy_fact(SETTINGS, None)
    assert isinstance(policy, PolicyDeclared)
    assert list(policy_fact(SETTINGS, policy)) == []
