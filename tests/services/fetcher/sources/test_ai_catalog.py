"""AI Catalogs in all their shapes: nested, looping, broken, hostile, and the ARD list behind them."""

import json
from typing import Any

import pytest

from cardtrail.services.fetcher.sources import SOURCES
from tests.services.fetcher.sources.recorded import HTML, Registry, ids, reasons

HOST = "https://nordwind.test"
CATALOG = HOST + "/.well-known/ai-catalog.json"
ARD = HOST + "/.well-known/ard.json"
CARD = "application/a2a-agent-card+json"
NESTED = "application/ai-catalog+json"
SOURCE = SOURCES["ai-catalog"]


def entry(name: str = "rates", **changes: Any) -> dict[str, Any]:
    made = {
        "identifier": f"urn:air:nordwind.test:fx:{name}",
        "type": CARD,
        "url": f"https://fx.nordwind.test/{name}.json",
    }
    return {key: value for key, value in (made | changes).items() if value is not None}


def catalog(*entries: Any, **root: Any) -> dict[str, Any]:
    return {"specVersion": "1.0", "host": {"displayName": "Nordwind AI"}, "entries": list(entries)} | root


SHAPES = {
    "A": entry(
        type=None, mediaType=CARD, displayName="Rate Desk", metadata={"x": 1}, trustManifest={"identity": "urn:x"}
    ),
    "B": entry(
        displayName="Rate Desk", trustManifest={"subject": {"digest": "sha256:ab"}}, extensions={"https://e": {}}
    ),
    "C": entry(displayName="Rate Desk", digest="sha256:ab", trustManifests=[{"contributor": "c"}]),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_three_shapes_are_told_apart_by_their_keys(shape: str) -> None:
    found = Registry({CATALOG: catalog(SHAPES[shape])}).walk(SOURCE, "nordwind.test")
    (candidate,) = found.candidates
    assert candidate.card_url == "https://fx.nordwind.test/rates.json"
    assert (candidate.name, candidate.owner) == ("Rate Desk", "nordwind.test")
    assert candidate.digest == (None if shape == "A" else "sha256:ab")
    assert found.complete


def test_both_well_known_paths_are_tried_and_identical_content_counts_once() -> None:
    registry = Registry({CATALOG: catalog(entry()), ARD: catalog(entry())})
    assert ids(registry.walk(SOURCE, HOST)) == ["urn:air:nordwind.test:fx:rates"]
    assert registry.asked == [CATALOG, ARD]
    assert Registry({ARD: catalog(entry())}).walk(SOURCE, HOST).complete


def test_a_full_url_is_used_as_given() -> None:
    registry = Registry({HOST + "/team/a.json": catalog(entry())})
    assert registry.walk(SOURCE, HOST + "/team/a.json").complete
    assert registry.asked == [HOST + "/team/a.json"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (404, "not-found"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (429, "throttled"),
        (503, "unavailable"),
        (302, "status-302"),
        ((200, HTML), "a-page-not-json"),
        ((200, b""), "json-syntax"),
        ((200, [1]), "not-a-catalog"),
        ((200, {"entries": {}}), "not-a-catalog"),
        ((200, {"entries": [], "specVersion": "2.0"}), "spec-version-unknown"),
        ((200, {"entries": [], "specVersion": 1}), "spec-version-unknown"),
        ("timeout", "timeout"),
    ],
)
def test_a_catalog_that_does_not_answer_means_unknown_never_empty(answer: Any, problem: str) -> None:
    found = Registry({CATALOG: answer, ARD: answer}).walk(SOURCE, HOST)
    assert (found.complete, found.problem, found.candidates) == (False, problem, ())


def test_an_empty_catalog_is_complete_and_empty() -> None:
    assert Registry({CATALOG: catalog()}).walk(SOURCE, HOST).complete


def test_one_broken_entry_is_reported_and_the_others_kept() -> None:
    found = Registry(
        {
            CATALOG: catalog(
                entry("a"),
                entry("both", data={}),
                entry("neither", url=None),
                entry("relative", url="/cards/x.json"),
                entry("file", url="file:///etc/passwd"),
                entry("list", url=None, data=[]),
                {"type": CARD, "url": "https://x.test"},
                "text",
                None,
                entry("mcp", type="application/mcp-server+json"),
                entry("z", type="Application/A2A-Agent-Card+JSON; charset=utf-8", unknown={"kept": True}),
            )
        }
    ).walk(SOURCE, HOST)
    assert [name.rpartition(":")[2] for name in ids(found)] == ["a", "z"]
    assert {name.rpartition(":")[2]: reason for name, reason in reasons(found).items()} == {
        "both": "url-or-data",
        "neither": "url-or-data",
        "relative": "url-not-absolute",
        "file": "url-not-absolute",
        "list": "data-not-an-object",
        "#6": "no-identifier",
        "#7": "no-identifier",
        "#8": "no-identifier",
    }
    assert found.complete


def test_an_embedded_card_is_handed_on_as_a_document() -> None:
    card = {"name": "Rates", "n": 1.0, "é": 2**60}
    (candidate,) = Registry({CATALOG: catalog(entry(url=None, data=card))}).walk(SOURCE, HOST).candidates
    assert candidate.card_url is None
    assert json.loads(candidate.card_document or "") == card


def test_nested_catalogs_are_followed_by_url_and_by_data() -> None:
    inner = entry("inner", type=NESTED, url=None, data=catalog(entry("b")))
    outer = entry("outer", type=NESTED, url=HOST + "/hr.json")
    found = Registry({CATALOG: catalog(entry("a"), outer, inner), HOST + "/hr.json": catalog(entry("c"))}).walk(
        SOURCE, HOST
    )
    assert [name.rpartition(":")[2] for name in ids(found)] == ["a", "b", "c"]


def test_a_catalog_inside_itself_and_one_too_deep_are_refused() -> None:
    def level(number: int) -> str:
        return HOST + f"/{number}.json"

    pages = {level(n): catalog(entry(f"c{n}"), entry(f"n{n}", type=NESTED, url=level(n + 1))) for n in range(9)}
    found = Registry(pages).walk(SOURCE, level(0))
    assert len(found.candidates) == 5
    assert list(reasons(found).values()) == ["nested-too-deep"]
    loop = {
        level(0): catalog(entry("n", type=NESTED, url=level(1))),
        level(1): catalog(entry("m", type=NESTED, url=level(0))),
    }
    assert list(reasons(Registry(loop).walk(SOURCE, level(0))).values()) == ["nested-in-itself"]
    deep: Any = catalog(entry("bottom"))
    for number in range(6):
        deep = catalog(entry(f"d{number}", type=NESTED, url=None, data=deep))
    assert list(reasons(Registry({level(0): deep}).walk(SOURCE, level(0))).values()) == ["nested-too-deep"]


def test_one_nested_catalog_that_fails_makes_the_walk_incomplete() -> None:
    found = Registry({CATALOG: catalog(entry("a"), entry("n", type=NESTED, url=HOST + "/gone.json"))}).walk(
        SOURCE, HOST
    )
    assert (len(found.candidates), found.complete, found.problem) == (1, False, "not-found")


def test_of_several_versions_the_highest_is_kept_else_the_latest() -> None:
    versions = [entry(version=version) for version in ("1.9.0", "1.10.0", "1.2")]
    (candidate,) = Registry({CATALOG: catalog(*versions)}).walk(SOURCE, HOST).candidates
    assert candidate.registry_version == "1.10.0"
    dated = [entry(updatedAt=at) for at in ("2026-09-01T08:00:00Z", "2026-09-03T08:00:00Z", "2026-09-02T08:00:00Z")]
    (candidate,) = Registry({CATALOG: catalog(*dated)}).walk(SOURCE, HOST).candidates
    assert candidate.updated_at == "2026-09-03T08:00:00Z"


@pytest.mark.parametrize("named", ["https://reg.test/ard", "https://reg.test/ard/search", "https://reg.test/ard/"])
@pytest.mark.parametrize(("member", "token"), [("items", "pageToken"), ("entries", "nextPageToken")])
def test_the_list_of_a_search_api_is_paged_in_both_spellings(named: str, member: str, token: str) -> None:
    first = "https://reg.test/ard/agents?pageSize=100"
    registry = Registry(
        {
            CATALOG: catalog(entry("s", type="application/ai-registry+json", url=named)),
            first: {member: [entry("a"), entry("b")], token: "t/2"},
            first + "&pageToken=t%2F2": {member: [entry("b"), entry("c")]},
        }
    )
    found = registry.walk(SOURCE, HOST)
    assert [name.rpartition(":")[2] for name in ids(found)] == ["a", "b", "c"]
    assert found.complete


def test_a_cursor_that_comes_again_ends_the_walk_as_incomplete() -> None:
    first = "https://reg.test/agents?pageSize=100"
    again = {"items": [entry("a")], "pageToken": "x"}
    registry = Registry(
        {
            CATALOG: catalog(entry("s", type="application/ai-registry+json", url="https://reg.test")),
            first: again,
            first + "&pageToken=x": again,
        }
    )
    found = registry.walk(SOURCE, HOST)
    assert (found.complete, found.problem) == (False, "cursor-repeated")
    assert len(registry.asked) == 4


def test_a_search_api_without_a_list_harms_nobody_and_tags_join_capabilities() -> None:
    searched = entry("s", type="application/ai-registry", url="https://reg.test")
    found = Registry({CATALOG: catalog(entry(tags=["fx"], capabilities=["quote", "fx", 5]), searched)}).walk(
        SOURCE, HOST
    )
    assert found.complete
    assert found.candidates[0].tags == ("fx", "quote")
    assert Registry({CATALOG: catalog(entry())}).walk(SOURCE, HOST).candidates[0].tags is None


def test_an_endless_registry_is_cut_at_the_caps() -> None:
    class Endless(Registry):
        async def fetch(self, request: Any) -> Any:
            self.pages[request.url] = {"items": [entry(str(len(self.asked)))], "pageToken": str(len(self.asked))}
            return await super().fetch(request)

    pages = Endless({}).walk(SOURCE, HOST + "/a", max_pages=20)
    assert (len(pages.candidates), pages.problem) == (20, "too-many-pages")
    entries = Endless({}).walk(SOURCE, HOST + "/a", max_candidates=7)
    assert (len(entries.candidates), entries.problem) == (7, "too-many-entries")
