"""The door on real sockets: pinning, certificates, caps, redirects, proxies; each fault by its own name."""

import asyncio
import socket
import tracemalloc

import httpcore
import pytest
import trustme

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.call import Answer, Call, Limits, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.lane import Lanes
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.outbound.trust import Trust
from cardtrail.services.settings import LimitSettings, TlsSettings
from tests.agent_host import AgentHost, Reply, drip, endless, gzip_bomb, redirect
from tests.services.outbound.doors import HERE, answer, door, listening, refusal, send
from tests.streams import PATIENCE_S

CARD = "/.well-known/agent-card.json"
CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n5\r\n{"a":\r\n'
HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{}"


def test_the_name_stands_in_sni_and_host_while_the_judged_address_is_called(host: AgentHost) -> None:
    host.serve(CARD, {"name": "a"})
    found = answer(door(host), Call(host.url(), HERE))
    assert (found.status, found.body, found.address) == (200, b'{"name": "a"}', "127.0.0.1")
    assert (host.seen[0].host, host.seen[0].sni) == (f"agent.example:{host.port}", "agent.example")


def test_a_name_is_called_where_it_was_judged_and_not_where_it_points_now(host: AgentHost) -> None:
    with AgentHost("agent.example", address="127.0.0.2", port=host.port, ca=host.ca) as rebound:
        rebound.serve(CARD, {"name": "evil"})
        host.serve(CARD, {"name": "good"})
        policy = EndpointPolicy(cidrs=("127.0.0.1/32",))
        made = door(host, ("127.0.0.1",), ("127.0.0.2",), judged_s=0.0)
        first, second = send(made, Call(host.url(), policy), Call(host.url(), policy))
        assert isinstance(first, Answer)
        assert first.body == b'{"name": "good"}'
        assert isinstance(second, Refusal)
        assert (second.stage, second.reason) == ("policy", "loopback")
        assert rebound.connections == 0


@pytest.mark.parametrize("spelling", ["bücher.example", "xn--bcher-kva.example", "Bücher.Example"])
def test_an_idn_host_is_pinned_like_any_other(spelling: str) -> None:
    with AgentHost("xn--bcher-kva.example") as host:
        host.serve(CARD, {"name": "good"})
        asked: list[str] = []

        async def resolver(name: str) -> tuple[str, ...]:
            asked.append(name)
            return ("127.0.0.1",) if len(asked) == 1 else ("127.0.0.3",)

        made = Door(None, TlsSettings(ca_bundle=host.ca_file, only=True), resolver=resolver)
        url = host.url(host=spelling)
        found = send(made, Call(url, HERE), Call(url, HERE))
        assert [getattr(one, "status", None) for one in found] == [200, 200]
        assert asked == ["xn--bcher-kva.example"]
        assert host.seen[0].sni == "xn--bcher-kva.example"


def test_one_forbidden_address_among_several_refuses_the_name(host: AgentHost) -> None:
    found = refusal(door(host, ("127.0.0.1", "169.254.169.254")), Call(host.url(), HERE))
    assert (found.reason, found.detail) == ("metadata", "agent.example resolves to 169.254.169.254")
    assert host.connections == 0


def test_a_name_that_moves_inside_the_policy_gets_a_new_connection(host: AgentHost) -> None:
    with AgentHost("agent.example", address="127.0.0.2", port=host.port, ca=host.ca) as moved:
        host.serve(CARD, {"at": 1})
        moved.serve(CARD, {"at": 2})
        made = door(host, ("127.0.0.1",), ("127.0.0.2",), judged_s=0.0)
        found = send(made, Call(host.url(), HERE), Call(host.url(), HERE))
        assert [getattr(one, "body", b"") for one in found] == [b'{"at": 1}', b'{"at": 2}']


def test_connections_are_kept_and_a_closed_one_costs_nothing_but_a_new_one(host: AgentHost) -> None:
    host.serve(CARD, {})
    host.serve("/last", Reply({}, ends="close"))
    found = send(door(host), *[Call(host.url(path), HERE) for path in (CARD, CARD, "/last", CARD)])
    assert [getattr(one, "status", one) for one in found] == [200, 200, 200, 200]
    assert host.connections == 2


def test_a_304_gives_its_connection_back(host: AgentHost) -> None:
    host.serve(CARD, {})
    tag = answer(door(host), Call(host.url(), HERE)).headers["etag"]
    call = Call(host.url(), HERE, headers={"If-None-Match": tag})
    found = send(door(host), call, call, call)
    assert [getattr(one, "status", one) for one in found] == [304, 304, 304]
    assert host.connections == 2


def test_the_second_address_is_tried_when_the_first_takes_no_connection(host: AgentHost) -> None:
    host.serve(CARD, {})
    assert answer(door(host, ("127.0.0.9", "127.0.0.1")), Call(host.url(), HERE)).address == "127.0.0.1"


@pytest.mark.parametrize(
    ("page", "reason", "stage"),
    [
        (drip(b"x" * 60, pause_s=0.05), "total-timeout", "fetch"),
        (endless(), "body-too-large", "fetch"),
        (gzip_bomb(), "decompressed-too-large", "fetch"),
        (Reply(b"x" * 20_000), "body-too-large", "fetch"),
        (Reply(b"<html>", headers={"Content-Type": "text/html; charset=utf-8"}), "content-type", "fetch"),
        (Reply(b"{}", headers={"Content-Type": ""}), "content-type", "fetch"),
        (Reply(b"{}", headers={"Content-Encoding": "br"}), "content-encoding", "fetch"),
        (Reply(b"{}", headers={"Content-Encoding": "gzip, gzip"}), "content-encoding", "fetch"),
        (Reply(b"not gzip", headers={"Content-Encoding": "gzip"}), "body-broken", "fetch"),
        (Reply(headers={"X-Long": "y" * 9_000}), "headers-too-large", "fetch"),
        (Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000, ends="hang"), "headers-too-large", "fetch"),
        (Reply(raw=HALF, ends="reset"), "connection-lost", "fetch"),
        (Reply(raw=HALF, ends="close"), "connection-lost", "fetch"),
        (Reply(raw=CHUNKED, ends="close"), "connection-lost", "fetch"),
        (Reply(raw=b"", ends="close"), "connection-lost", "fetch"),
        (Reply(raw=b"", ends="reset"), "connection-lost", "fetch"),
        (Reply(raw=b"SSH-2.0-OpenSSH_9.6\r\n\r\n", ends="close"), "protocol-broken", "fetch"),
        (Reply(raw=b"HTTP/1.1 100 Continue\r\n\r\n" * 50, ends="hang"), "total-timeout", "fetch"),
        (Reply(raw=b"", ends="hang"), "total-timeout", "fetch"),
    ],
)
def test_a_hostile_answer_is_cut_with_its_own_reason(host: AgentHost, page: Reply, reason: str, stage: str) -> None:
    host.serve(CARD, page)
    total_s = 0.6 if reason == "total-timeout" else PATIENCE_S
    limits = Limits(total_s=total_s, header_bytes=8_192, wire_bytes=16_384, body_bytes=65_536)
    if reason == "decompressed-too-large":
        limits = Limits(total_s=total_s, wire_bytes=2**20, body_bytes=65_536)
    found = refusal(door(host), Call(host.url(), HERE, limits=limits))
    assert (found.stage, found.reason) == (stage, reason), found
    assert found.latency_ms < 1_000 * PATIENCE_S / 2, "it was not cut, it came to its end"


def test_a_refused_answer_says_where_it_came_from(host: AgentHost) -> None:
    host.serve(CARD, Reply(b"<html>", headers={"Content-Type": "text/html"}))
    found = refusal(door(host), Call(host.url(), HERE))
    assert (found.status, found.address, found.target) == (200, "127.0.0.1", host.url())


def test_ten_gigabytes_and_a_bomb_leave_memory_flat(host: AgentHost) -> None:
    host.serve("/endless", endless())
    host.serve("/bomb", gzip_bomb())
    tracemalloc.start()
    try:
        found = send(door(host), Call(host.url("/endless"), HERE), Call(host.url("/bomb"), HERE))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [one.reason for one in found if isinstance(one, Refusal)] == ["body-too-large", "decompressed-too-large"]
    assert peak < 16 * 2**20


@pytest.mark.parametrize(
    ("location", "allowed", "reason"),
    [
        ("https://169.254.169.254/latest/meta-data", 3, "redirect-target"),
        ("http://agent.example/", 3, "redirect-target"),
        ("//127.0.0.1@evil.example/", 3, "redirect-target"),
        ("https://evil.example/", 3, "redirect-cross-origin"),
        ("https://agent.example:1/", 3, "redirect-cross-origin"),
        ("https://169.254.169.254/", 0, "redirect-target"),
        ("/elsewhere", 0, "redirect-refused"),
        (CARD, 2, "redirect-loop"),
        ("https://[", 2, "redirect-target"),
    ],
)
def test_a_redirect_is_judged_at_every_hop(host: AgentHost, location: str, allowed: int, reason: str) -> None:
    host.serve(CARD, redirect(location))
    found = refusal(door(host), Call(host.url(), HERE, limits=Limits(redirects=allowed)))
    assert (found.reason, found.status, found.address) == (reason, 302, "127.0.0.1")
    assert len(host.seen) == (3 if reason == "redirect-loop" else 1)


def test_a_chain_of_redirects_that_ends_in_metadata_is_refused_there(host: AgentHost) -> None:
    host.serve(CARD, redirect("/a"))
    host.serve("/a", redirect("/b"))
    host.serve("/b", redirect("https://169.254.169.254/"))
    found = refusal(door(host), Call(host.url(), HERE, limits=Limits(redirects=5)))
    assert (found.reason, found.detail.split(":")[0]) == ("redirect-target", "metadata")


@pytest.mark.parametrize(
    "location",
    ["https://evil.example/in?code=hunter2", "https://u:hunter2@agent.example/", "/x#hunter2", "//hunter2@[?"],
)
def test_what_a_redirect_would_log_somebody_in_with_is_kept_nowhere(host: AgentHost, location: str) -> None:
    host.serve(CARD, redirect(location))
    assert "hunter2" not in refusal(door(host), Call(host.url(), HERE)).detail


def test_a_redirect_on_the_origin_is_followed_where_allowed(host: AgentHost) -> None:
    host.serve(CARD, redirect("/card#part"))
    host.serve("/card", {"moved": True})
    found = answer(door(host, limits=LimitSettings(redirects=1, per_host=1)), Call(host.url(), HERE))
    assert (found.url, found.hops) == (host.url("/card"), (host.url(),))


@pytest.mark.parametrize(
    ("served", "asked", "reason"),
    [
        ("agent.example", "other.example", "certificate-wrong-host"),
        ("agent.example", "127.0.0.1", "certificate-wrong-host"),
    ],
)
def test_a_certificate_for_another_name_is_refused(served: str, asked: str, reason: str) -> None:
    with AgentHost(served) as host:
        found = refusal(door(host), Call(host.url(host=asked), HERE))
        assert (found.stage, found.reason) == ("connect", reason)
        assert host.seen == []


def test_an_authority_nobody_trusts_is_refused(host: AgentHost) -> None:
    with AgentHost("agent.example", ca=trustme.CA()) as stranger:
        found = refusal(door(host), Call(stranger.url(), HERE))
        assert (found.stage, found.reason, found.fault) == ("connect", "certificate-untrusted", "provider")


def test_cleartext_needs_the_policy_and_a_plain_server_is_no_tls(host: AgentHost) -> None:
    with AgentHost("agent.example", cleartext=True) as plain:
        plain.serve(CARD, {"plain": True})
        assert refusal(door(plain), Call(plain.url(), HERE)).reason == "cleartext"
        opened = HERE.model_copy(update={"cleartext": True})
        assert answer(door(plain), Call(plain.url(), opened)).body == b'{"plain": true}'
    with listening(b"HTTP/1.1 400 Bad Request\r\n\r\n") as (port, _):
        assert refusal(door(host), Call(f"https://agent.example:{port}/", HERE)).reason == "tls-failed"


def test_nobody_listening_is_the_networks_fault() -> None:
    with socket.socket() as taken, AgentHost("agent.example") as host:
        taken.bind(("127.0.0.1", 0))
        found = refusal(door(host), Call(f"https://agent.example:{taken.getsockname()[1]}/", HERE))
        assert (found.stage, found.reason, found.fault) == ("connect", "connect-refused", "network")


def test_a_resolver_that_knows_nothing_refuses_at_resolve() -> None:
    async def unknown(_name: str) -> tuple[str, ...]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def broken(_name: str) -> tuple[str, ...]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure")

    async def silent(_name: str) -> tuple[str, ...]:
        await asyncio.Event().wait()
        return ()

    async def empty(_name: str) -> tuple[str, ...]:
        return ()

    for resolver, reason, fault in (
        (unknown, "name-unknown", "provider"),
        (broken, "resolver-failed", "network"),
        (silent, "resolver-timeout", "network"),
        (empty, "name-unknown", "provider"),
    ):
        found = refusal(Door(resolver=resolver), Call("https://agent.example/", limits=Limits(connect_s=0.1)))
        assert (found.stage, found.reason, found.fault) == ("resolve", reason, fault)


def test_an_error_status_is_an_answer_and_its_html_is_not_taken(host: AgentHost) -> None:
    host.serve(CARD, Reply(b"<html>", 503, {"Content-Type": "text/html", "Retry-After": "7"}))
    found = answer(door(host), Call(host.url(), HERE))
    assert (found.status, found.body, found.headers["retry-after"]) == (503, b"", "7")


@pytest.mark.parametrize(
    "media",
    ["application/json", "Application/JSON; charset=utf-8", "application/a2a+json", "application/agent-card+json"],
)
def test_json_and_its_kin_are_taken(host: AgentHost, media: str) -> None:
    host.serve(CARD, Reply(b"{}", headers={"Content-Type": media}))
    assert answer(door(host), Call(host.url(), HERE)).body == b"{}"


def test_cookies_are_neither_kept_nor_sent(host: AgentHost) -> None:
    host.serve(CARD, Reply(b"{}", headers={"Set-Cookie": "id=1"}))
    found = send(door(host), Call(host.url(), HERE), Call(host.url(), HERE))
    assert all("set-cookie" not in one.headers for one in found if isinstance(one, Answer))
    assert "cookie" not in host.seen[1].headers


def test_a_caller_sets_no_header_that_is_the_doors(host: AgentHost) -> None:
    for name in ("Host", "authorization", "Cookie", "Transfer-Encoding"):
        assert refusal(door(host), Call(host.url(), HERE, headers={name: "x"})).reason == "header-forbidden"
    found = refusal(door(host), Call(host.url(), HERE, headers={"X-Split": "a\r\nY: b"}))
    assert (found.reason, found.fault) == ("request-invalid", "ours")
    assert host.seen == []


def test_a_post_carries_its_body(host: AgentHost) -> None:
    host.serve("/rpc", lambda seen: Reply({"got": seen.body.decode()}))
    assert answer(door(host), Call(host.url("/rpc"), HERE, "POST", body=b"hi")).body == b'{"got": "hi"}'


def test_a_stream_is_read_in_pieces_and_cut_at_its_deadline(host: AgentHost) -> None:
    events = (f"data: {n}\n\n".encode() for n in range(1_000))
    host.serve("/sse", lambda _seen: Reply(headers={"Content-Type": "text/event-stream"}, chunks=events, pause_s=0.05))

    async def run() -> tuple[int, str]:
        async with door(host) as made:
            call = Call(host.url("/sse"), HERE, accepts=("text/event-stream",), limits=Limits(total_s=2.0))
            async with made.open(call) as opened:
                assert not isinstance(opened, Refusal)
                count = len([chunk async for chunk in opened.chunks()])
                return count, opened.refusal.reason if opened.refusal else ""

    count, reason = asyncio.run(run())
    assert 0 < count < 100
    assert reason == "total-timeout"


def test_a_busy_host_makes_others_wait_and_never_more_than_its_share(host: AgentHost) -> None:
    host.serve(CARD, lambda _seen: Reply(chunks=iter([b"{}"]), pause_s=0.05))

    async def run() -> list[Answer | Refusal]:
        async with door(host, limits=LimitSettings(per_host=2)) as made:
            return list(await asyncio.gather(*(made.send(Call(host.url(), HERE)) for _ in range(8))))

    assert [getattr(one, "status", one) for one in asyncio.run(run())] == [200] * 8
    assert host.connections == 2


def test_the_systems_resolver_is_asked_by_default(host: AgentHost) -> None:
    with AgentHost("localhost") as local:
        local.serve(CARD, {})
        policy = EndpointPolicy(cidrs=("127.0.0.0/8", "::1/128"))
        found = answer(Door(None, TlsSettings(ca_bundle=local.ca_file)), Call(local.url(), policy))
        assert found.address == "127.0.0.1"
        names = static_names({"Agent.Example.": "127.0.0.1"})
        pinned = Door(None, TlsSettings(ca_bundle=host.ca_file), resolver=names)
        assert answer(pinned, Call(host.url("/nothing"), policy)).status == 404
        assert refusal(Door(resolver=names), Call(host.url("/nothing"))).reason == "loopback"


def test_lanes_beyond_the_number_kept_are_closed(host: AgentHost) -> None:
    host.serve(CARD, {})

    async def run() -> int:
        lanes = Lanes(per_host=1, keep=3)
        context = Trust(TlsSettings(ca_bundle=host.ca_file, only=True)).context(None)
        made = []
        for number in range(8):
            lane = await lanes.lane((number,), ("127.0.0.1",), context, None)
            response = await lane.send(httpcore.Request("GET", host.url(), headers={"Host": "agent.example"}), Limits())
            await response.aread()
            await response.aclose()
            made.append(lane)
        still = sum(bool(lane.pool.connections) for lane in made)
        await lanes.close()
        assert not any(lane.pool.connections for lane in made)
        return still

    assert asyncio.run(run()) == 3


def test_calls_that_begin_while_an_old_lane_is_closed_share_one_new_lane(host: AgentHost) -> None:
    host.serve(CARD, {})

    async def run() -> bool:
        lanes = Lanes(per_host=1, keep=1)
        context = Trust(TlsSettings(ca_bundle=host.ca_file, only=True)).context(None)
        old = await lanes.lane(("old",), ("127.0.0.1",), context, None)
        response = await old.send(httpcore.Request("GET", host.url(), headers={"Host": "agent.example"}), Limits())
        await response.aread()
        await response.aclose()
        one, other = await asyncio.gather(*(lanes.lane(("new",), ("127.0.0.1",), context, None) for _ in range(2)))
        await lanes.close()
        return one is other

    assert asyncio.run(run())


def test_a_private_authority_is_believed_beside_the_public_ones(host: AgentHost) -> None:
    host.serve(CARD, {})

    async def here(_name: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    assert answer(Door(None, TlsSettings(ca_bundle=host.ca_file), resolver=here), Call(host.url(), HERE)).status == 200
    assert refusal(Door(None, resolver=here), Call(host.url(), HERE)).reason == "certificate-untrusted"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_ipv6_literal_is_called_by_its_address_and_named_in_brackets() -> None:
    with AgentHost("::1", address="::1") as host:
        host.serve(CARD, {})
        policy = EndpointPolicy(cidrs=("::1/128",))
        found = answer(door(host), Call(host.url(host="[::1]"), policy))
        assert (found.address, host.seen[0].host) == ("::1", f"[::1]:{host.port}")
        assert refusal(door(host), Call(host.url(host="[::1]"))).reason == "loopback"
