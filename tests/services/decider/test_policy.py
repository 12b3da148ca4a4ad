"""What our own side changes: felt with the next observation, blamed on nobody, kept for the digest."""

from cardtrail.events.canonical import digest
from cardtrail.events.model.policy import ClientCapabilities, EndpointPolicy, Policy
from cardtrail.services.decider.decider import Decider
from cardtrail.services.verdict.judge import judge
from tests.services.decider.scene import outline, profile, rules, settled

OTHER = profile(binding="HTTP+JSON")
STRICT = Policy(severities={"interface-changed": "breaking"})


def test_another_severity_is_felt_with_the_next_observation_and_named() -> None:
    scene = settled()
    scene.observe(OTHER)
    assert scene.declare(STRICT) == []
    (told,) = scene.fetch(equal=True)
    assert (told.verdict, told.cause, told.policy_digest) == ("breaking", "policy", digest(STRICT))
    assert scene.fetch(equal=True) == []


def test_what_a_policy_brings_goes_to_the_digest_and_blames_nobody() -> None:
    scene = settled()
    scene.declare(Policy(severities={"skill-added": "review"}))
    assert scene.fetch(equal=True) == []
    more = profile().model_copy(
        update={"skills": {**profile().skills, "weather": profile().skills["itinerary-pricing"]}}
    )
    other = settled()
    other.observe(more)
    other.declare(Policy(severities={"skill-added": "review"}))
    (told,) = other.fetch(equal=True)
    assert (told.verdict, told.digest_only) == ("review", True)
    assert {finding.cause for finding in told.findings if finding.severity == "review"} == {"policy"}


def test_what_the_agent_does_after_a_policy_is_still_the_agents() -> None:
    scene = settled()
    scene.declare(STRICT)
    told = scene.observe(OTHER)
    assert [(one.verdict, one.cause) for one in told] == [("breaking", "agent")]


def test_other_rules_are_the_tools_doing() -> None:
    scene = settled()
    scene.observe(OTHER)

    def lenient(lock, baseline, observed, policy, now):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return judge(lock, baseline, observed, Policy(severities={"interface-changed": "note"}), now)

    scene.decider = Decider(lenient, "2")
    (told,) = scene.fetch(equal=True)
    assert (told.verdict, told.cause, told.recovered, told.rules_version) == ("compatible", "tool", True, "2")


def test_a_profile_that_only_our_client_changed_is_policy() -> None:
    scene = settled()
    scene.declare(Policy(client=ClientCapabilities(interfaces=(("GRPC", "1.0"),))))
    scene.fetch(equal=True)
    (told,) = scene.compile(profile(usable=False), cause="client")
    assert (told.verdict, told.cause) == ("breaking", "policy")
    assert {finding.cause for finding in told.findings if finding.severity == "breaking"} == {"policy"}


def test_what_the_source_allows_holds_for_its_agent() -> None:
    http = profile().interface
    assert http is not None
    bare = profile().model_copy(
        update={"interface": http.model_copy(update={"url": "http://pricing.partner.example/a2a"})}
    )
    strict, open_ = settled(), settled()
    open_.track(endpoints=EndpointPolicy(cleartext=True))
    assert rules(strict.observe(bare)[0]) >= {"interface-host-forbidden"}
    assert "interface-host-forbidden" not in {rule for one in open_.observe(bare) for rule in rules(one)}


def test_an_older_declaration_that_comes_late_is_not_in_force() -> None:
    scene = settled()
    scene.observe(OTHER)
    scene.declare(STRICT)
    strict = scene.log[-1]
    scene.declare(Policy())
    scene.again(strict)
    assert outline(scene.fetch(equal=True)) == []
