"""The pipeline over real TLS: one fact for each look, one conditional request when warm, no server believed blindly."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from cardtrail.events.canonical import raw_digest
from cardtrail.events.card_fetched import SignatureSummary, Validators
from cardtrail.events.fact import Fact, encode, observation_id
from cardtrail.services.fetcher.examine import Checks, Verified
from cardtrail.services.outbound.credentials import build
from cardtrail.services.settings import CredentialSettings
from tests.agent_host import AgentHost, Page, Reply, Seen, redirect
from tests.services.fetcher.looks import LEGACY, NOW, WELL_KNOWN, Watch, card, codes, fetched, refused


@pytest.fixture
def host() -> Iterator[AgentHost]:
    with AgentHost("agent.example") as running:
        yield running


def test_the_first_look_is_a_full_observation_with_its_body(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(), headers={"Cache-Control": "max-age=60", "Set-Cookie": "a=b", "Server": "x"}))
    found = Watch(host).look()
    fact = fetched(found)
    assert found.body == json.dumps(card()).encode()
    assert (fact.status, fact.location, fact.address) == (200, host.url(), "127.0.0.1")
    assert fact.raw_digest == raw_digest(found.body)
    assert fact.semantic_digest.startswith("sha256:")
    assert (fact.size, fact.media_type, fact.shape) == (len(found.body), "application/json", "1.0")
    assert (fact.freshness.lifetime_s, fact.freshness.by) == (60, "server")
    assert fact.headers["server"] == "x"
    assert "set-cookie" not in fact.headers
    assert host.seen[0].headers["a2a-version"] == "1.0"
    assert host.seen[0].headers["accept"] == "application/json"


def test_the_warm_path_is_one_conditional_request_and_a_short_fact(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": 'W/"v 1"'}))
    watch = Watch(host)
    watch.look()
    seen = len(host.seen)
    found = watch.look()
    assert [request.headers.get("if-none-match") for request in host.seen[seen:]] == ['W/"v 1"']
    fact = fetched(found)
    assert (fact.status, fact.same_as, found.body) == (304, 1, None)
    stored = encode(Fact(id=observation_id(0, bytes(10)), source="fetcher", time=NOW, data=fact))
    assert len(stored) < 320


def lifetimes(watch: Watch, host: AgentHost, *control: dict[str, str]) -> list[tuple[bool, int | None, int]]:
    """Whether each of these answers is told short, and the freshness that stands in its fact."""
    found = []
    for headers in control:
        host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": "", **headers}))
        fact = fetched(watch.look())
        found.append((fact.same_as is not None, fact.freshness.lifetime_s, fact.freshness.age_s))
    return found


def test_a_short_fact_says_of_freshness_what_is_new_and_how_old_the_answer_is(host: AgentHost) -> None:
    watch = Watch(host)
    hour, minute = {"Cache-Control": "max-age=3600"}, {"Cache-Control": "max-age=60"}
    found = lifetimes(watch, host, hour, hour, {**hour, "Age": "45"}, {**hour, "Age": "45"}, hour, minute, minute)
    assert found == [
        (False, 3600, 0),
        (True, None, 0),
        (True, 3600, 45),
        (True, 3600, 45),
        (True, None, 0),
        (True, 60, 0),
        (True, None, 0),
    ]
    assert (watch.memory.freshness.lifetime_s, watch.memory.freshness.age_s) == (60, 0)
    assert lifetimes(watch, host, {}, {}, {"Age": "7"}, {}) == [
        (False, None, 0),
        (True, None, 0),
        (True, None, 7),
        (True, None, 0),
    ]


def test_notice_given_by_a_header_alone_is_told_in_full_when_it_is_new_and_when_it_is_taken_back(
    host: AgentHost,
) -> None:
    watch = Watch(host)
    for headers, told, notice in (
        ({"ETag": '"1"'}, True, {}),
        ({"ETag": '"1"', "Sunset": "Sat, 31 Oct 2026 00:00:00 GMT"}, True, {"sunset": "Sat, 31 Oct 2026 00:00:00 GMT"}),
        ({"ETag": '"1"', "Sunset": "Sat, 31 Oct 2026 00:00:00 GMT"}, False, {}),
        ({"ETag": '"1"'}, False, {}),
        ({"ETag": '"1"', "Deprecation": "@1790000000"}, True, {"deprecation": "@1790000000"}),
        ({"ETag": ""}, True, {}),
        ({"ETag": ""}, False, {}),
    ):
        host.serve(WELL_KNOWN, Reply(card(), headers=headers))
        fact = fetched(watch.look())
        assert (fact.same_as is None) is told, (headers, fact)
        assert {name: fact.headers[name] for name in notice} == notice


def test_a_304_is_as_old_as_it_says_itself(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(), headers={"Cache-Control": "max-age=3600", "Age": "600"}))
    watch = Watch(host)
    assert fetched(watch.look()).freshness.age_s == 600
    host.serve(WELL_KNOWN, Reply(card(), headers={"Cache-Control": "max-age=3600"}))
    again = fetched(watch.look())
    assert (again.status, again.freshness.age_s) == (304, 0)
    assert (watch.memory.freshness.lifetime_s, watch.memory.freshness.age_s) == (3600, 0)


def test_an_unchanged_body_with_200_is_known_by_its_digest(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": ""}))
    outcomes = Watch(host).looks(5)
    assert [fetched(one).same_as for one in outcomes] == [None, 1, 1, 1, 1]
    assert [fetched(one).status for one in outcomes] == [200] * 5
    assert all(one.body is None for one in outcomes[1:])
    assert "if-none-match" not in host.seen[-1].headers


def alternating(*replies: Reply) -> Page:
    count = 0

    def page(_seen: Seen) -> Reply:
        nonlocal count
        count += 1
        return replies[(count - 1) % len(replies)]

    return page


def test_replicas_with_different_tags_are_no_change(host: AgentHost) -> None:
    tags = ('"a"', 'W/"b"', '"a"', 'W/"a"')
    host.serve(WELL_KNOWN, alternating(*(Reply(card(), headers={"ETag": tag}) for tag in tags)))
    outcomes = Watch(host).looks(6)
    assert [fetched(one).same_as for one in outcomes] == [None, *[1] * 5]


def test_a_new_tag_for_an_old_body_is_sent_the_next_time(host: AgentHost) -> None:
    watch = Watch(host)
    host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": '"old"'}))
    watch.look()
    host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": '"new"'}))
    moved, settled = watch.looks(2)
    assert (fetched(moved).same_as, fetched(moved).validators.etag) == (1, '"new"')
    assert (fetched(settled).status, fetched(settled).validators) == (304, Validators())
    assert host.seen[-1].headers["if-none-match"] == '"new"'


def test_a_card_that_goes_there_and_back_is_three_facts(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, alternating(Reply(card()), Reply(card(version="4")), Reply(card())))
    outcomes = Watch(host).looks(3)
    digests = [fetched(one).semantic_digest for one in outcomes]
    assert [fetched(one).same_as for one in outcomes] == [None] * 3
    assert digests[0] == digests[2] != digests[1]


def test_key_order_is_another_body_with_the_same_meaning(host: AgentHost) -> None:
    turned = dict(reversed(card().items()))
    host.serve(WELL_KNOWN, alternating(Reply(card()), Reply(turned)))
    first, second = Watch(host).looks(2)
    assert fetched(first).semantic_digest == fetched(second).semantic_digest
    assert fetched(first).raw_digest != fetched(second).raw_digest
    assert second.body is not None


def test_a_304_for_nothing_held_is_asked_again_once(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, alternating(Reply(status=304), Reply(card())))
    assert fetched(Watch(host).look()).status == 200
    assert [("if-none-match" in seen.headers, seen.headers["cache-control"]) for seen in host.seen] == [
        (False, "no-cache")
    ] * 2
    host.serve(WELL_KNOWN, Reply(status=304))
    asked = len(host.seen)
    found = refused(Watch(host).look())
    assert (found.stage, found.reason, found.status) == ("fetch", "not-modified-unasked", 304)
    assert len(host.seen) - asked == 2


def test_a_304_for_another_tag_confirms_nothing(host: AgentHost) -> None:
    def page(seen: Seen) -> Reply:
        return Reply(status=304, headers={"ETag": '"other"'}) if "if-none-match" in seen.headers else Reply(card())

    host.serve(WELL_KNOWN, page)
    watch = Watch(host)
    watch.look()
    assert [seen.headers.get("if-none-match") is None for seen in host.seen] == [True]
    assert fetched(watch.look()).status == 200
    assert [seen.headers.get("if-none-match") is None for seen in host.seen] == [True, False, True]


def stubborn(now: dict[str, Any]) -> Page:
    """A server that says 304 to every condition, whatever it serves."""

    def page(seen: Seen) -> Reply:
        asked = "if-none-match" in seen.headers or "if-modified-since" in seen.headers
        headers = {"ETag": "", "Last-Modified": "Thu, 01 Oct 2026 00:00:00 GMT"}
        return Reply(status=304) if asked else Reply(now["card"], headers=headers)

    return page


def test_a_server_that_denies_a_change_is_caught_once_in_a_period_and_doubted_then(host: AgentHost) -> None:
    now = {"card": card()}
    host.serve(WELL_KNOWN, stubborn(now))
    watch = Watch(host)
    watch.look()
    now["card"] = card(version="4")
    *blind, caught = watch.looks(7)
    assert [fetched(one).status for one in blind] == [304] * 6
    assert (fetched(caught).status, codes(caught)) == (200, ["CT102"])
    now["card"] = card(version="5")
    doubted = watch.look()
    assert (fetched(doubted).status, fetched(doubted).same_as, codes(doubted)) == (200, None, [])
    assert "if-modified-since" not in host.seen[-1].headers


def test_an_honest_server_is_asked_in_full_once_in_a_period(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    outcomes = Watch(host).looks(15)
    assert [fetched(one).status for one in outcomes] == [200, *[304] * 6, 200, *[304] * 6, 200]
    assert [fetched(one).same_as for one in outcomes[1:]] == [1] * 14
    assert len(host.seen) == 17


def test_a_forced_look_asks_without_conditions(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    watch = Watch(host, forced=True)
    watch.looks(2)
    assert [seen.headers.get("if-none-match") for seen in host.seen] == [None, None]


def test_an_spa_that_answers_html_is_refused_and_the_last_card_stays(host: AgentHost) -> None:
    watch = Watch(host)
    host.serve(WELL_KNOWN, Reply(card()))
    watch.look()
    before = watch.memory
    host.serve(WELL_KNOWN, Reply(b"<!doctype html>", headers={"Content-Type": "text/html"}))
    found = watch.look()
    assert (refused(found).stage, refused(found).reason, refused(found).fault) == ("fetch", "content-type", "provider")
    assert watch.memory == before


def test_a_card_that_cannot_be_read_is_refused_twice_and_kept_as_evidence(host: AgentHost) -> None:
    body = b'{"url": "https://good.example", "url": "https://evil.example"}'
    host.serve(WELL_KNOWN, Reply(body))
    watch = Watch(host)
    for found in watch.looks(2):
        assert (refused(found).stage, found.body) == ("parse", body)
        assert refused(found).raw_digest == raw_digest(body)
    assert watch.memory.full is None


@pytest.mark.parametrize(
    ("status", "stage", "reason", "fault"),
    [
        (401, "authenticate", "unauthorized", "provider"),
        (403, "authenticate", "forbidden", "provider"),
        (404, "fetch", "not-found", "provider"),
        (418, "fetch", "client-error", "provider"),
        (429, "fetch", "throttled", "ours"),
        (500, "fetch", "server-error", "provider"),
        (503, "fetch", "unavailable", "provider"),
        (204, "fetch", "status-unexpected", "provider"),
        (206, "fetch", "status-unexpected", "provider"),
    ],
)
def test_a_status_that_brings_no_card_has_its_own_reason(
    host: AgentHost, status: int, stage: str, reason: str, fault: str
) -> None:
    host.serve(WELL_KNOWN, Reply({}, status, {"Retry-After": "120"}))
    found = refused(Watch(host).look())
    assert (found.stage, found.reason, found.fault, found.status) == (stage, reason, fault, status)
    assert found.retry_after_s == 120
    assert found.target == host.url()


def test_a_base_path_without_a_card_leads_to_the_origin(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    found = Watch(host, path="/a2a").look()
    assert fetched(found).location == host.url()
    assert host.paths() == [f"/a2a{WELL_KNOWN}", WELL_KNOWN]


def test_the_card_below_the_path_wins_over_the_origins(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(name="Somebody else")))
    host.serve(f"/t/42{WELL_KNOWN}", Reply(card()))
    found = Watch(host, path="/t/42").look()
    assert (fetched(found).location, codes(found)) == (host.url(f"/t/42{WELL_KNOWN}"), ["CT103"])


def test_a_catch_all_405_or_page_is_not_the_answer(host: AgentHost) -> None:
    host.serve(f"/t/42{WELL_KNOWN}", Reply({}, 405))
    host.serve(f"/t{WELL_KNOWN}", Reply(b"<html>", headers={"Content-Type": "text/html"}))
    host.serve(WELL_KNOWN, Reply(card()))
    assert fetched(Watch(host, path="/t/42").look()).location == host.url()


def test_a_known_place_in_trouble_never_leads_to_another_agents_card(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(name="Somebody else")))
    host.serve(f"/t/42{WELL_KNOWN}", Reply(card()))
    watch = Watch(host, path="/t/42")
    watch.look()
    for trouble in (Reply({}, 500), Reply({}, 403), Reply(b"{", headers={}), Reply(raw=b"", ends="reset")):
        host.serve(f"/t/42{WELL_KNOWN}", trouble)
        assert refused(watch.look()).target == host.url(f"/t/42{WELL_KNOWN}")


def test_a_guessed_place_in_trouble_stops_the_search(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(name="Somebody else")))
    host.serve(f"/t/42{WELL_KNOWN}", Reply({}, 503))
    assert refused(Watch(host, path="/t/42").look()).reason == "unavailable"


def test_after_a_search_the_most_telling_refusal_is_told(host: AgentHost) -> None:
    host.serve(f"/t{WELL_KNOWN}", Reply(b"{broken"))
    found = refused(Watch(host, path="/t").look())
    assert (found.stage, found.target) == ("parse", host.url(f"/t{WELL_KNOWN}"))


def test_the_old_name_is_tried_only_where_allowed_and_said(host: AgentHost) -> None:
    host.serve(LEGACY, Reply(card()))
    found = Watch(host, legacy_path=True).look()
    assert (fetched(found).legacy_path, codes(found)) == (True, ["CT100"])
    host.seen.clear()
    assert refused(Watch(host, legacy_path=False).look()).reason == "not-found"
    assert host.paths() == [WELL_KNOWN]


def test_both_names_with_different_cards_are_found_out(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    host.serve(LEGACY, Reply(card(version="1")))
    found = Watch(host, legacy_path=True).look()
    assert codes(found) == ["CT101"]
    host.serve(LEGACY, Reply(dict(reversed(card().items()))))
    assert codes(Watch(host, legacy_path=True).look()) == []


def test_a_move_from_the_old_name_to_the_new_is_one_observation(host: AgentHost) -> None:
    host.serve(LEGACY, Reply(card()))
    watch = Watch(host, legacy_path=True)
    watch.look()
    host.forget(LEGACY)
    host.serve(WELL_KNOWN, Reply(card()))
    found = watch.look()
    assert (fetched(found).location, fetched(found).legacy_path) == (host.url(), False)


def test_a_pinned_card_url_is_asked_and_nothing_else(host: AgentHost) -> None:
    host.serve("/agentCard/v1.0", Reply(card()))
    watch = Watch(host, kind="card-url", path="/agentCard/v1.0", legacy_path=True)
    watch.looks(9)
    host.forget("/agentCard/v1.0")
    assert refused(watch.look()).reason == "not-found"
    assert set(host.paths()) == {"/agentCard/v1.0"}


def test_a_redirect_is_refused_or_followed_and_said(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, redirect("/card"))
    host.serve("/card", Reply(card()))
    assert refused(Watch(host).look()).reason == "redirect-refused"
    watch = Watch(host)
    first, second = watch.looks(2, redirects=1)
    assert (fetched(first).location, codes(first)) == (host.url(), ["CT104"])
    assert fetched(second).status == 304


def test_endpoints_elsewhere_are_noted_at_first_sight_each_of_them(host: AgentHost) -> None:
    interfaces = [
        {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        for url in ("https://a.example/", "https://b.example/")
    ]
    host.serve(WELL_KNOWN, Reply(card(supportedInterfaces=interfaces)))
    found = fetched(Watch(host).look())
    crossing = [finding.path for finding in found.findings if finding.code == "CT031"]
    assert len(crossing) == 2


def test_an_invalid_signature_refuses_the_card(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    watch = Watch(host)
    watch.checks = saying(SignatureSummary(outcome="invalid", reason="mismatch"))
    found = watch.look()
    assert (refused(found).stage, refused(found).reason) == ("verify", "signature-invalid")
    assert found.body is not None


def test_a_304_skips_parsing_but_not_the_validity_of_keys(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    good, gone = (
        SignatureSummary(outcome="verified", kid="k1", signer="thumbprint"),
        SignatureSummary(outcome="unverifiable", reason="expired", kid="k1"),
    )
    watch = Watch(host)
    watch.checks = saying(good, good)
    first, same = watch.looks(2)
    assert (fetched(same).status, fetched(same).same_as, same.body) == (304, 1, None)
    watch.checks = saying(gone, None)
    (changed,) = watch.looks(1)
    assert (fetched(changed).status, fetched(changed).same_as, fetched(changed).signature) == (200, None, gone)
    assert fetched(changed).raw_digest == fetched(first).raw_digest
    watch.checks = saying(gone, gone)
    (settled,) = watch.looks(1)
    assert (fetched(settled).status, fetched(settled).same_as) == (304, 3)


def saying(verified: SignatureSummary, still: SignatureSummary | None = None) -> Checks:
    """Verification with these answers."""

    async def verify(*_: Any) -> Verified:
        return Verified(verified)

    async def again(*_: Any) -> SignatureSummary | None:
        return still

    return Checks(verify, again)


def test_another_a2a_version_never_reuses_what_was_held(host: AgentHost) -> None:
    host.serve(
        WELL_KNOWN, lambda seen: Reply(card(version=seen.headers["a2a-version"]), headers={"Vary": "A2A-Version"})
    )
    watch = Watch(host)
    watch.look()
    older = Watch(host, a2a_version="0.3")
    older.memory, older.sequence = watch.memory, 1
    found = older.look()
    assert "if-none-match" not in host.seen[-1].headers
    assert (fetched(found).a2a_version, fetched(found).same_as) == ("0.3", None)


def test_two_principals_hold_what_each_of_them_saw(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card()))
    one, other = Watch(host, principal="one"), Watch(host, principal="other")
    one.look()
    found = other.look()
    assert (fetched(found).principal, fetched(found).same_as) == ("other", None)
    assert "if-none-match" not in host.seen[-1].headers


def test_a_file_and_a_document_go_the_same_way(host: AgentHost, tmp_path: Any) -> None:
    file = tmp_path / "card.json"
    file.write_text(json.dumps(card()))
    watch = Watch(host, kind="file", path=str(file))
    first, second = watch.looks(2)
    assert (fetched(first).status, fetched(first).location, fetched(second).same_as) == (0, str(file), 1)
    file.write_text("{")
    assert refused(watch.look()).stage == "parse"
    file.unlink()
    assert (refused(watch.look()).reason, refused(watch.look()).fault) == ("file-missing", "ours")
    embedded = Watch(host, kind="document", path=json.dumps(card()))
    assert [fetched(one).same_as for one in embedded.looks(2)] == [None, 1]
    assert refused(Watch(host, kind="registry", path="reg").look()).stage == "locate"
    assert host.seen == []


def test_a_file_beyond_the_limit_is_refused(host: AgentHost, tmp_path: Any) -> None:
    file = tmp_path / "card.json"
    file.write_bytes(b" " * (512 * 1024 + 5))
    assert refused(Watch(host, kind="file", path=str(file)).look()).stage == "parse"
    assert refused(Watch(host, kind="file", path=str(tmp_path)).look()).reason == "file-missing"


def test_no_answer_at_all_is_a_fact_too() -> None:
    with AgentHost("agent.example") as gone:
        watch = Watch(gone)
    with AgentHost("agent.example") as trusted:
        watch.host = trusted
        found = refused(watch.look())
    assert (found.stage, found.reason, found.fault) == ("connect", "connect-refused", "network")


def test_no_secret_reaches_a_fact_and_no_url_inside_a_card_is_ever_called(host: AgentHost, tmp_path: Any) -> None:
    secret = tmp_path / "token"
    secret.write_text("s3cret-Value")
    inside = "https://169.254.169.254/latest/meta-data"
    hostile = card(
        iconUrl=inside,
        documentationUrl=inside,
        provider={"organization": "x", "url": inside},
        securitySchemes={
            "oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": inside}},
            "oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": inside, "scopes": {}}}}},
        },
        signatures=[
            {"protected": "eyJhbGciOiJFUzI1NiIsImprdSI6Imh0dHBzOi8vMTY5LjI1NC4xNjkuMjU0LyJ9", "signature": "AA"}
        ],
    )
    host.serve("/card", Reply(hostile))
    settings = CredentialSettings(kind="bearer", hosts=("agent.example",), file=secret)
    watch = Watch(host, kind="card-url", path="/card", principal="me", credential=build("partner", settings))
    outcomes = watch.looks(3)
    assert host.seen[0].headers["authorization"] == "Bearer s3cret-Value"
    assert set(host.paths()) == {"/card"}
    told = b"".join(
        encode(Fact(id=observation_id(0, bytes(10)), source="f", time=NOW, data=one.fact)) for one in outcomes
    )
    assert b"s3cret" not in told
    assert "s3cret" not in f"{watch.errand!r}{watch.memory!r}"
    host.serve("/card", Reply({}, 401))
    assert "s3cret" not in repr(watch.look())


def test_a_public_card_on_a_host_that_the_credential_is_not_for_is_asked_for_without_it(
    host: AgentHost, tmp_path: Any
) -> None:
    secret = tmp_path / "token"
    secret.write_text("s3cret-Value")
    settings = CredentialSettings(kind="bearer", hosts=("trusted.example",), file=secret)
    host.serve(WELL_KNOWN, card())
    assert fetched(Watch(host, principal="me", credential=build("partner", settings)).look()).status == 200
    assert all("authorization" not in seen.headers for seen in host.seen)
