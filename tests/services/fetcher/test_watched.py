"""What a walk must know of the agents that others have named: by where they are looked for, and by where they were found."""

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.services.fetcher.watched import watching

WELL_KNOWN = "https://fx.example/.well-known/agent-card.json"


def agent(kind: str, value: str, principal: str = "public") -> AgentTracked:
    return AgentTracked(agent="fx", principal=principal, target=Target.model_validate({"kind": kind, "value": value}))


def test_an_agent_is_watched_where_it_is_looked_for_before_it_was_ever_found() -> None:
    for one in (
        agent("card-url", WELL_KNOWN),
        agent("card-url", "HTTPS://FX.example:443/.well-known/agent-card.json"),
        agent("base-url", "https://fx.example"),
        agent("domain", "fx.example"),
    ):
        watched = watching([one], {})
        assert watched(WELL_KNOWN, "public")
        assert not watched(WELL_KNOWN, "mira")
        assert not watched("https://other.example/card.json", "public")


def test_and_where_it_was_found_while_it_is_watched() -> None:
    found_at = {("https://cdn.example/fx.json", "public"): {"value": '{"agent": "fx"}'}}
    assert watching([agent("domain", "fx.example")], found_at)("https://cdn.example/fx.json", "public")
    assert not watching([], found_at)("https://cdn.example/fx.json", "public")
