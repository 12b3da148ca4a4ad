"""The report in a real browser: readable by everybody in light, dark, on paper and on a narrow screen; silent when provoked."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtrail.projections.store_reader import Reader
from cardtrail.services.report.build import build
from cardtrail.services.report.html import html
from tests.browser import Browser, Page
from tests.services.report.world import stored, world

NARROW = 320


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for name in ("season", "hostile"):
        folder = tmp_path_factory.mktemp(name)
        with Reader(asyncio.run(stored(folder, world(days=60, hostile=name == "hostile")))) as reader:
            report = build(reader, provider="", principal="public", since=None, release="1")
        made[name] = folder / "report.html"
        made[name].write_text(html(report), "utf-8")
    return made


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.page()
    yield opened
    opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["season", "hostile"])
def test_it_has_no_barrier(files: dict[str, Path], page: Page, axe: str, name: str, scheme: str) -> None:
    page.media(prefers_color_scheme=scheme)
    page.go(files[name].as_uri())
    page.read("for (const d of document.querySelectorAll('details')) d.open = true")
    page.read(axe + ";0")
    tags = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']"
    told = "({id: v.id, why: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 300))})"
    run = f"axe.run(document, {{runOnly: {tags}}}).then(r => r.violations.map(v => {told}))"
    assert page.read(run) == []


def test_hostile_text_opens_nothing_and_asks_for_nothing(files: dict[str, Path], page: Page) -> None:
    page.go(files["hostile"].as_uri())
    assert page.dialogs == []
    assert page.requests == [files["hostile"].as_uri()]
    assert page.complaints == []
    assert page.read("document.scripts.length") == 0


@pytest.mark.parametrize("name", ["season", "hostile"])
def test_on_a_narrow_screen_only_tables_and_questions_scroll_sideways(
    files: dict[str, Path], page: Page, name: str
) -> None:
    page.size(NARROW)
    page.go(files[name].as_uri())
    assert page.read("document.documentElement.scrollWidth") <= NARROW


def test_light_dark_and_paper_differ_and_charts_follow(files: dict[str, Path], page: Page) -> None:
    seen = {}
    for scheme in ("light", "dark"):
        page.media(prefers_color_scheme=scheme)
        page.go(files["season"].as_uri())
        seen[scheme] = [
            page.read(f"getComputedStyle(document.querySelector('{what}')).color") for what in ("h1", "figure svg")
        ]
    assert seen["light"] != seen["dark"]
    assert seen["dark"][0] == seen["dark"][1]
    page.media(medium="print", prefers_color_scheme="dark")
    page.go(files["season"].as_uri())
    assert page.read("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.read("getComputedStyle(document.querySelector('h1')).color") == seen["light"][0]
