"""The report as a file: the same bytes for the same log, nothing active, nothing loaded, readable without its extra."""

import asyncio
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.projections.store_reader import Reader
from cardtrail.services.report import charts
from cardtrail.services.report.build import build
from cardtrail.services.report.html import html
from cardtrail.services.report.markdown import markdown
from cardtrail.services.report.report import Report
from tests.projections.log import Log
from tests.services.report.world import HOSTILE, stored, world

DRAWS = pytest.mark.skipif(not charts.available(), reason="the extra cardtrail[report] is not installed")
VOID = {"meta", "br", "hr", "img", "input", "link"}
ALLOWED = {
    "html",
    "head",
    "body",
    "title",
    "style",
    "meta",
    "header",
    "main",
    "section",
    "nav",
    "footer",
    "figure",
    "figcaption",
    "details",
}
ALLOWED |= {
    "summary",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "h1",
    "h2",
    "h3",
    "p",
    "ul",
    "li",
    "dl",
    "dt",
    "dd",
    "a",
    "b",
}
ALLOWED |= {
    "code",
    "pre",
    "span",
    "div",
    "bdi",
    "svg",
    "g",
    "path",
    "line",
    "rect",
    "circle",
    "text",
    "tspan",
    "defs",
    "pattern",
}


def report(home: Path, *, provider: str = "", hostile: bool = False) -> Report:
    snapshot = asyncio.run(stored(home, world(days=60, hostile=hostile)))
    with Reader(snapshot) as reader:
        return build(reader, provider=provider, principal="public", since=None, release="1")


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report(tmp_path_factory.mktemp("season"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report(tmp_path_factory.mktemp("hostile"), hostile=True)


class Page(HTMLParser):
    """What is in the page: tags, attributes, text; every element closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag) if tag not in VOID else None

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_same_log_gives_the_same_bytes(season: Report, tmp_path: Path) -> None:
    again = report(tmp_path)
    assert again == season
    assert html(again).encode() == html(season).encode()
    assert markdown(again).encode() == markdown(season).encode()


def test_three_sentences_begin_it_and_every_number_has_its_question(season: Report) -> None:
    page = Page(html(season))
    assert len(season.sentences) == 3
    for sentence in season.sentences:
        assert sentence in page.text.replace("\xa0", " ")
    links = {
        value.removeprefix("#sql-")
        for tag, name, value in page.attributes
        if name == "href" and value.startswith("#sql-")
    }
    assert links
    assert links <= set(season.questions)
    targets = {value for _, name, value in page.attributes if name == "id"}
    assert {value.removeprefix("#") for _, name, value in page.attributes if name == "href"} <= targets


@pytest.mark.parametrize("which", ["season", "hostile"])
def test_nothing_in_it_is_active_and_nothing_is_loaded(which: str, request: pytest.FixtureRequest) -> None:
    text = html(request.getfixturevalue(which))
    page = Page(text)
    assert page.tags <= ALLOWED
    assert [
        one
        for one in page.attributes
        if one[1].startswith("on") or one[1] in {"src", "srcset", "data", "action", "xlink:href"}
    ] == []
    assert {value[0] for _, name, value in page.attributes if name == "href"} == {"#"}
    assert "default-src 'none'" in text
    for address in re.findall(r"url\(([^)]*)\)", text):
        assert address.startswith("#")
    assert "@import" not in text
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_hostile_text_of_a_card_is_shown_as_text(hostile: Report) -> None:
    page, told = html(hostile), markdown(hostile)
    assert "<script" not in page
    assert '<script>alert("x")' in Page(page).text
    for text in (page, told):
        assert "\u202e" not in text
        assert "\x1b" not in text
    assert "<script" not in told
    assert "<img" not in told
    assert "https://evil" not in re.sub(r"`[^`\n]*`", "", told)
    assert any(
        HOSTILE[:8] in lane.summary or HOSTILE[:8] in lane.capability
        for trail in hostile.trails
        for lane in trail.lanes
    )


def test_a_name_of_others_is_no_markup_in_markdown(tmp_path: Path) -> None:
    log = Log()
    name = "a_b*c [x](https://evil.example) <b>|`@team`"
    log.say("agent-tracked", agent=name, target={"kind": "document", "value": "{}"}, provider=name)
    log.say("card-fetched", agent=name)
    log.say(
        "probe-recorded", agent=name, probe="streaming", claim={"kind": "streaming"}, outcome="held", profile_digest="x"
    )
    with Reader(asyncio.run(stored(tmp_path, log.facts))) as reader:
        made = build(reader, provider="", principal="public", since=None, release="1")
    told = markdown(made)
    outside = re.sub(r"`[^`\n]*`", "", told)
    assert "<b>" not in outside
    assert "@team" not in told
    assert not re.search(r"(?<!\\)\]\(", outside)


@DRAWS
def test_charts_are_labelled_follow_the_theme_and_are_the_same_twice(season: Report) -> None:
    drawn = charts.drawn(season)
    assert set(drawn) == {"kept", "days", "weeks", "curve"}
    assert charts.drawn(season) == drawn
    for svg in drawn.values():
        assert "aria-label" in svg
        assert "currentColor" in svg
        assert "<image" not in svg
        assert "http" not in svg.replace("http://www.w3.org/", "")


@DRAWS
def test_hostile_names_stay_text_in_charts(tmp_path: Path) -> None:
    log = Log()
    log.say("agent-tracked", agent=HOSTILE, target={"kind": "document", "value": "{}"}, provider=HOSTILE)
    for at in range(5):
        log.say("card-fetched", agent=HOSTILE)
        told = {"probe": "streaming", "claim": {"kind": "streaming"}, "outcome": "held", "profile_digest": str(at)}
        log.say("probe-recorded", agent=HOSTILE, **told)
    with Reader(asyncio.run(stored(tmp_path, log.facts))) as reader:
        made = build(reader, provider="", principal="public", since=None, release="1")
    page = Page(html(made))
    assert page.tags <= ALLOWED
    assert "\u202e" not in html(made)


def test_without_the_extra_all_tables_remain_and_it_says_so(season: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is on a machine without the libraries: the import system does not find them."""
    found = Page(html(season)).text.count("per 30 days")
    monkeypatch.setitem(sys.modules, "altair", None)
    assert not charts.available()
    plain = html(season)
    assert "pip install &#39;cardtrail[report]&#39;" in plain or "pip install 'cardtrail[report]'" in plain
    assert Page(plain).text.count("per 30 days") >= found - 1
    assert plain.count("<table") == html(season).count("<table")


def test_one_provider_alone_is_about_its_agents_only(tmp_path: Path) -> None:
    made = report(tmp_path, provider="acme.example")
    assert {one.provider for one in made.providers} == {"acme.example"}
    assert {line.agent for line in made.availability} == {"", "invoices", "ledger"}
    assert {line.agent for line in made.locks} == {"invoices"}
    assert "--provider acme.example" in made.command
    assert "seats" not in html(made)


def test_who_is_not_there_cannot_be_reported_on(tmp_path: Path) -> None:
    snapshot = asyncio.run(stored(tmp_path, world(days=3)))
    with Reader(snapshot) as reader:
        with pytest.raises(UsageError) as provider:
            build(reader, provider="nobody", principal="public", since=None, release="1")
        with pytest.raises(UsageError) as principal:
            build(reader, provider="", principal="nobody", since=None, release="1")
    assert (provider.value.code, principal.value.code) == ("provider-unknown", "provider-unknown")
    assert "acme.example" in provider.value.hint


def test_an_empty_log_has_no_report(tmp_path: Path) -> None:
    with Reader(asyncio.run(stored(tmp_path, []))) as reader, pytest.raises(UsageError) as refused:
        build(reader, provider="", principal="public", since=None, release="1")
    assert refused.value.code == "log-empty"
