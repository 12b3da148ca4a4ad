"""Endpoints off the card's origin: a finding at first sight, refused where the source demands one origin."""

from collections.abc import Iterator
from typing import Any

import pytest

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.card.read import read_card
from cardtrail.services.verdict.structure import compare
from tests.agent_host import AgentHost, Reply
from tests.services.fetcher.looks import WELL_KNOWN, Watch, card, fetched, refused

LOOPBACK = ("127.0.0.0/8",)
STRICTLY = EndpointPolicy(cidrs=LOOPBACK, same_origin_only=True)


@pytest.fixture
def host() -> Iterator[AgentHost]:
    with AgentHost("agent.example") as running:
        yield running


def interface(url: str, binding: str = "JSONRPC") -> dict[str, str]:
    return {"url": url, "protocolBinding": binding, "protocolVersion": "1.0"}


def seen(host: AgentHost, *urls: str, policy: EndpointPolicy | None = None, **changes: Any) -> Watch:
    entries = [interface(url) for url in urls] or [interface(host.url("/a2a"))]
    host.serve(WELL_KNOWN, Reply(card(supportedInterfaces=entries, **changes)))
    return Watch(host, policy=policy or EndpointPolicy(cidrs=LOOPBACK))


def found(watch: Watch) -> set[tuple[str, str]]:
    return {(one.code, one.path) for one in fetched(watch.look()).findings}


def test_every_interface_elsewhere_is_a_finding_at_first_sight_and_not_only_the_chosen_one(host: AgentHost) -> None:
    watch = seen(host, host.url("/a2a"), "https://other.example/a2a", "https://third.example/a2a")
    crossing = {path for code, path in found(watch) if code == "CT031"}
    assert crossing == {"$.supportedInterfaces[1].url", "$.supportedInterfaces[2].url"}


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://10.0.0.5/", "CT029"),
        ("http://0.0.0.0:8000/", "CT028"),
        ("https://localhost/a2a", "CT028"),
        ("http://public.example/a2a", "CT030"),
        ("https://169.254.169.254/latest", "CT029"),
    ],
)
def test_an_endpoint_nobody_else_can_call_is_recorded_with_a_finding(host: AgentHost, url: str, code: str) -> None:
    """The card is recorded all the same, and nothing is asked of the endpoint."""
    assert (code, "$.supportedInterfaces[0].url") in found(seen(host, url))
    assert host.paths() == [WELL_KNOWN]


def test_token_and_openid_hosts_elsewhere_are_findings_too(host: AgentHost) -> None:
    schemes = {
        "oauth": {
            "oauth2SecurityScheme": {
                "flows": {"clientCredentials": {"tokenUrl": "https://tokens.example/t", "scopes": {"a": "b"}}}
            }
        },
        "oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://oidc.example/.well-known"}},
    }
    needs = [{"schemes": {"oauth": {"list": ["a"]}}}, {"schemes": {"oidc": {"list": []}}}]
    watch = seen(host, securitySchemes=schemes, securityRequirements=needs)
    assert len([path for code, path in found(watch) if code == "CT054"]) == 2


def test_a_source_of_one_origin_refuses_the_card_for_any_interface_and_keeps_the_last_good_one(host: AgentHost) -> None:
    watch = seen(host, policy=STRICTLY)
    good = fetched(watch.look())
    for urls in (
        (host.url("/a2a"), "https://other.example/a2a"),
        ("https://other.example/a2a",),
        (f"https://{host.names[0]}:1/a2a",),
        (f"http://{host.names[0]}:{host.port}/a2a",),
        (f"https://{host.names[0]}.evil.example:{host.port}/a2a",),
        (f"https://evil.example/?x={host.names[0]}",),
    ):
        host.serve(WELL_KNOWN, Reply(card(supportedInterfaces=[interface(url) for url in urls])))
        for _ in range(2):  # what was refused once is refused again
            why = refused(watch.look())
            assert (why.stage, why.reason, why.status) == ("policy", "cross-origin-interface", 200)
            assert why.path.startswith("$.supportedInterfaces[")
            assert why.raw_digest
    assert watch.memory.full == good


def test_without_that_demand_and_for_a_card_without_a_place_nothing_is_refused(host: AgentHost) -> None:
    assert fetched(seen(host, "https://other.example/a2a").look()).status == 200
    entry = '{"url":"https://other.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}'
    document = f'{{"name":"x","version":"1","supportedInterfaces":[{entry}]}}'
    assert fetched(Watch(host, kind="document", path=document, policy=STRICTLY).look()).status == 0


def test_an_agent_seen_directly_and_through_a_gateway_differs_in_its_endpoint_alone(host: AgentHost) -> None:
    """Two sources of one agent, and the structure of both says what the gateway did."""
    bodies = []
    for url in ("https://agent.example/a2a", "http://agent.svc.cluster.local/gateway/gateway/a2a"):
        host.serve(WELL_KNOWN, Reply(card(supportedInterfaces=[interface(url)])))
        bodies.append(read_card(Watch(host, policy=EndpointPolicy(cidrs=LOOPBACK)).look().body or b""))
    subjects = {one.subject.partition("[")[0] for one in compare(*bodies).differences}
    assert subjects == {"interfaces"}
