"""What people do with the page, in a real headless Chromium before a real tracker: sights, keys, live updates, barriers."""

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cardtrail.events.fact import dump
from cardtrail.services.demo import cards
from tests.browser import Browser, Page
from tests.journeys.page_stage import PageStage
from tests.journeys.page_story import DESKS, SIGNER
from tests.streams import PATIENCE_S

WIDE, NARROW = 1280, 320
VIEWS = (
    "fleet",
    "agent",
    "/agents/rates?principal=night-desk",
    "timeline",
    "compare",
    "decision",
    "acknowledge",
    "rules",
    "rule",
    "fact",
    "card",
    "nothing",
    "empty",
)
EVIL = (
    "/",
    "/agents/evil",
    "/agents/evil/timeline",
    "/agents/evil/compare",
    "evil-decision",
    "evil-card",
    "/?q=<script>x",
)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab at the size of a desk."""
    opened = browser.page()
    opened.size(WIDE)
    yield opened
    opened.close()


def address(site: PageStage, name: str) -> str:
    """The address of a view, by its name."""
    if name.startswith("/"):
        return site.url + name
    decision, card = site.decision("trip-planner"), site.get("/agents/pricing.json").json["card"]
    paths = {
        "fleet": "/",
        "agent": "/agents/pricing",
        "timeline": "/agents/pricing/timeline",
        "compare": "/agents/pricing/compare?left=2026-01-01",
        "decision": decision,
        "rules": "/rules",
        "rule": "/rules/input-mode-removed",
        "fact": f"/facts/{card}",
        "card": f"/facts/{card}/card",
        "nothing": "/agents/nobody",
        "empty": "/?at=2020-01-01",
    }
    if name == "acknowledge":
        print_ = site.get(decision + ".json").json["findings"][0]["fingerprint"]
        return f"{site.url}/acknowledge?fingerprint={print_}&reason=known&by=mira"
    if name == "evil-decision":
        return site.url + site.decision("evil ")
    if name == "evil-card":
        return f"{site.url}/facts/{site.get('/agents/evil.json').json['card']}/card"
    return site.url + paths[name]


def decided(site: PageStage, verdict: str) -> str:
    """When this was first decided about pricing."""
    numbers = [number for line in site.get("/agents/pricing.json").json["story"] for number in line["facts"]]
    facts = [site.get(f"/facts/{number}.json").json for number in sorted(numbers)]
    return next(str(one["stored_at"]) for one in facts if one["event"]["data"].get("verdict") == verdict)


def test_the_fleet_comes_first_worst_on_top_with_all_that_a_row_must_say(site: PageStage, page: Page) -> None:
    page.go(site.url)
    assert page.read("document.querySelector('.tile.breaking b').textContent") == "2"
    verdicts = page.read(
        "[...document.querySelectorAll('tbody tr td:first-child .badge')].map(e => e.innerText.trim())"
    )
    assert [re.sub(r"\W", "", word) for word in verdicts] == ["breaking", "breaking", "compatible", "nolock", "nolock"]
    assert page.read("document.querySelectorAll('tbody tr')[2].innerText").count("stands in for pricing") == 1
    row = "[...document.querySelectorAll('tbody tr')].find(r => r.querySelector('a.row').innerText === 'pricing')"
    cells = page.read(f"[...({row}).cells].map(c => c.innerText.trim())")
    assert cells[0].startswith("✗"), "a mark beside the word"
    assert cells[2] == "trip-planner"
    assert re.fullmatch(r"\d+ [sm]", cells[3])
    assert cells[4] == "mira"
    assert "open" in cells[5]
    assert re.fullmatch(r"\d+ [sm]", cells[7])
    assert page.read(f"({row}).querySelector('svg.strip').getAttribute('aria-label')").startswith("last ")
    assert page.complaints == []


def test_facets_and_search_narrow_and_the_address_says_so(site: PageStage, page: Page) -> None:
    page.go(site.url)
    page.acting(lambda: page.read("document.querySelector('.facets a[href*=\"rule=output-modes-disjoint\"]').click()"))
    assert page.read("document.querySelectorAll('tbody tr').length") == 1
    assert page.read("location.search") == "?rule=output-modes-disjoint"
    assert page.read("document.querySelector('.facets [aria-current=true] .count').textContent") == "1"
    page.press("/")
    page.type("itinerary")
    page.acting(lambda: page.press("Enter"))
    assert page.read("document.querySelector('tbody').innerText").count("skill itinerary-pricing") >= 1
    page.press("/")
    page.read("document.activeElement.value = ''")
    page.type("no such thing")
    page.acting(lambda: page.press("Enter"))
    assert "Nothing matches" in page.read("document.querySelector('main').innerText")


def about(page: Page) -> dict[str, str]:
    """What the block about an agent says, by its labels."""
    pairs = "[...document.querySelectorAll('.about dt')].map(t => [t.innerText, t.nextElementSibling.innerText.trim()])"
    return dict(page.read(pairs))


def test_about_an_agent_stands_who_owns_what_is_spoken_who_signed_who_sees_it_and_who_depends(
    site: PageStage, page: Page
) -> None:
    page.go(f"{site.url}/agents/rates?principal={DESKS[0]}")
    said = about(page)
    assert said["Calls itself"] == "Rates 3.2.0"
    assert said["Signature"] == f"verified by {SIGNER}"
    assert said["Interface"].startswith("JSONRPC 1.0 at https://rates.example/a2a")
    assert "the first of 1 in the agent's order that our client speaks" in said["Interface"]
    assert said["Seen by"] == ", ".join(DESKS)
    assert page.read("document.querySelector('.about dd b').innerText") == DESKS[0], "as whom one looks"
    (lock,) = page.read("[...document.querySelectorAll('.locks li')].map(l => l.innerText)")
    assert re.search(r"compatible\s+rota since .*, owner noor", lock)
    titles = page.read("[...document.querySelectorAll('main h2')].map(h => h.innerText)")
    assert titles[:3] == ["About", "Who depends on it", "Capabilities over time"], "then the timeline"

    page.acting(lambda: page.read("document.querySelector('.about dd a[href*=\"night-desk\"]').click()"))
    assert about(page)["Calls itself"] == "Rates 4.0.0"
    assert about(page)["Signature"] == "unverifiable"
    assert "No workflow has a lock on it" in page.read("document.querySelector('.about').innerText")
    assert about(page)["Found at"] == "a document of the operator's"
    command = "cardtrail pin CARD.json --workflow WORKFLOW --everything -o WORKFLOW.lock.json"
    assert page.read("document.querySelector('.about [data-copy^=cardtrail]').dataset.copy") == command
    page.go(f"{site.url}/agents/evil")
    assert "the first of 2 in the agent's order" in about(page)["Interface"]
    page.go(address(site, "agent"))
    assert re.search(r"trip-planner since .*, owner mira", page.read("document.querySelector('.locks').innerText"))


def test_what_was_found_about_a_card_stands_with_its_place_and_what_to_do(site: PageStage, page: Page) -> None:
    path = f"/agents/rates?principal={DESKS[1]}"
    told = site.get(path.replace("?", ".json?")).json
    found = {one["code"]: one for one in told["findings"]}
    assert [one["level"] for one in told["findings"]][:2] == ["error", "warning"]
    page.go(site.url + path)
    section = "document.querySelector('[aria-labelledby=card-title]')"
    text = page.read(f"{section}.innerText")
    for code, what in (("CT011", "tags is empty"), ("CT201", "no key 'ed' is held here")):
        one = found[code]
        assert f"{code} {one['name']}: " in text
        assert what in text
        assert f"{one['path']}, line {one['line']}, column {one['column']}. {one['hint']}" in text
    assert page.read(f"{section}.querySelector('a.fact').innerText").split()[-1] == str(told["found_in"])
    page.acting(lambda: page.read(f"{section}.querySelector('a.fact').click()"))
    assert '"CT201"' in page.read("document.querySelector('pre').innerText")


def test_the_timeline_merges_what_is_equal_and_hatches_what_is_not_known(site: PageStage, page: Page) -> None:
    page.go(address(site, "agent"))
    lane = "[...document.querySelectorAll('.lane:not(.axis)')].find(l => l.querySelector('.name').innerText === 'interface')"
    assert page.read(f"({lane}).querySelectorAll('.bar:not(.assumed)').length") == 3
    assert page.read(f"({lane}).querySelectorAll('.unsure').length") == 2
    assert page.read("getComputedStyle(document.querySelector('#hatch .hatch')).stroke") != "none"
    assert page.read(f"({lane}).querySelector('svg.track').getAttribute('role')") == "img"
    fill = page.read(f"({lane}).querySelector('.unsure').getAttribute('fill')")
    assert fill == "url(#hatch)"
    lanes = page.read("[...document.querySelectorAll('.lane.marks .name')].map(l => l.innerText)")
    assert {"looks", "decisions", "people"} <= set(lanes)
    page.read("document.getElementById('quiet-lanes').open = true")
    assert "streaming" in page.read("document.getElementById('quiet-lanes').innerText")


def test_the_same_is_a_table_to_walk_by_keyboard_with_csv_and_json_beside_it(site: PageStage, page: Page) -> None:
    page.go(address(site, "timeline"))
    page.press("j")
    page.press("j")
    second = page.read("document.activeElement.innerText")
    assert second.startswith("fact")
    assert page.read("[...document.querySelectorAll('tbody tr')].indexOf(document.activeElement.closest('tr'))") == 1
    link = "document.querySelector('.more a[href*=\"{}\"]').href"
    got = {form: page.read(f"fetch({link.format(form)}).then(r => r.text())") for form in (".csv", ".json")}
    rows = page.read("document.querySelectorAll('tbody tr').length")
    assert len(got[".csv"].strip().splitlines()) == rows + 1
    assert len(json.loads(got[".json"])["spans"]) == rows
    page.acting(lambda: page.press("Enter"))
    assert page.read("document.querySelector('h1').innerText").startswith("Fact ")


def test_a_decision_explains_itself_down_to_the_raw_card(site: PageStage, page: Page) -> None:
    page.go(address(site, "decision"))
    box = page.read("document.querySelector('.can').innerText")
    assert "Cannot be delegated to" in box
    assert "fares" in box
    assert "the travel desk" in box
    text = page.read("document.querySelector('article.finding').innerText")
    words = "output-modes-disjoint,needs,before,now,application/pdf,first seen,fingerprint,cardtrail ack"
    for word in words.split(","):
        assert word in text
    page.read("document.querySelector('article.finding details').open = true")
    assert "Do:" in page.read("document.querySelector('article.finding').innerText")
    page.acting(
        lambda: page.read("[...document.querySelectorAll('.causes a')].find(a => a.innerText === 'raw card').click()")
    )
    assert '"application/pdf"' in page.read("document.querySelector('pre').innerText")


def test_two_points_in_time_stand_side_by_side(site: PageStage, page: Page) -> None:
    page.go(f"{site.url}/agents/pricing/compare?left={decided(site, 'review')}")
    differing = page.read(
        "[...document.querySelectorAll('tr.differs')].map(r => [...r.cells].map(c => c.innerText.trim()))"
    )
    assert ["~ skills.itinerary-pricing.output", "[application/json]", "[application/pdf]"] in differing
    assert "outputModes" in page.read("document.querySelector('.members').innerText")
    assert page.read("document.getElementById('alike').open") is False


def test_two_principals_stand_side_by_side(site: PageStage, page: Page) -> None:
    page.go(f"{site.url}/agents/rates/compare?principal={DESKS[0]}")
    assert "No capability differs" in page.read("document.querySelector('main').innerText")
    page.read(f"document.querySelector('form.compare [name=as]').value = {DESKS[1]!r}")
    page.acting(lambda: page.read("document.querySelector('form.compare button').click()"))
    heads = page.read("[...document.querySelectorAll('.sides thead th')].map(h => h.innerText)")
    assert heads == ["What", f"left: now as {DESKS[0]}", f"right: now as {DESKS[1]}"]
    cells = page.read(
        "[...document.querySelectorAll('.sides tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))"
    )
    rows = {row[0]: row[1:] for row in cells}
    assert rows["version"] == ["3.2.0", "4.0.0"]
    assert re.search(r"compatible\s+rota", rows["verdicts"][0])
    assert rows["verdicts"][1] == "no lock"
    assert rows["~ skills.quote.output"] == ["[application/json]", "[text/csv]"]
    assert rows["~ signature"] == ["verified", "unverifiable"]
    assert rows["~ signer"] == [SIGNER, "-"]
    assert "skills.quote.input" in page.read("document.getElementById('alike').textContent")
    assert page.read("document.getElementById('alike').open") is False
    assert page.read("document.getElementById('texts').open") is False, "texts are folded"
    assert "Quotes by night" not in page.read("document.querySelector('main').innerText")


def test_a_finding_is_accepted_after_a_look_and_shows_at_once(site: PageStage, page: Page) -> None:
    page.go(address(site, "decision"))
    page.read("document.querySelector('article.finding details[id^=ack]').open = true")
    page.read("document.querySelector('form.ack [name=reason]').value = 'agreed with \"the partner\" & us'")
    page.read("document.querySelector('form.ack [name=by]').value = 'mira'")
    page.read("document.querySelector('form.ack [name=until]').value = '2099-01-31T00:00'")
    before = site.accepted()
    page.acting(lambda: page.read("document.querySelector('form.ack button').click()"))
    assert "Accept a finding?" in page.read("document.querySelector('h1').innerText")
    assert "cardtrail ack" in page.read("document.querySelector('.command').innerText")
    assert site.accepted() == before, "a look tells nothing"
    page.acting(lambda: page.read("document.querySelector('form.ack button.strong').click()"))
    text = page.read("document.querySelector('main').innerText")
    assert "Accepted by mira" in text
    assert site.accepted() == [*before, 'agreed with "the partner" & us']
    assert "until 2099-01-31" in text
    assert page.complaints == []


def test_the_page_moves_by_itself_and_moves_nothing_under_the_reader(site: PageStage, page: Page) -> None:
    page.size(WIDE, 500)
    page.go(f"{site.url}/agents/fares")
    page.until("document.getElementById('live-text').textContent === 'live'")
    page.read("document.getElementById('quiet-lanes').open = !document.getElementById('quiet-lanes').open")
    opened = page.read("document.getElementById('quiet-lanes').open")
    page.read("document.querySelector('.more a').focus(); scrollTo(0, 200); window.mark = 1")
    changed = cards.fares(site.tracked.host.port)
    changed["version"] = "2.0.0"
    site.tracked.publish(cards.FARES, dump(changed))
    site.look("fares")
    page.until("document.querySelector('main').innerText.includes('2.0.0')")
    assert page.read("window.mark") == 1, "no reload"
    assert page.read("document.activeElement === document.querySelector('.more a')")
    assert page.read("scrollY") == 200
    assert page.read("document.getElementById('quiet-lanes').open") is opened
    assert page.complaints == []


def test_the_focus_goes_with_the_row_that_moves(site: PageStage, page: Page) -> None:
    site.look("fares")
    page.go(f"{site.url}/?sort=-card")
    page.until("document.getElementById('live-text').textContent === 'live'")
    rows = "[...document.querySelectorAll('tbody a.row')].map(a => a.innerText)"
    last = page.read(f"{rows}.indexOf('fares')")
    page.read("[...document.querySelectorAll('a.row')].find(a => a.innerText === 'fares').focus()")
    site.look("evil")
    site.look("pricing")
    page.until(f"{rows}.indexOf('fares') < {last}")
    assert page.read("document.activeElement.innerText") == "fares"


def test_it_can_be_paused_and_says_what_waits(site: PageStage, page: Page) -> None:
    page.go(f"{site.url}/agents/fares")
    page.until("document.getElementById('live-text').textContent === 'live'")
    page.read("document.getElementById('pause').click()")
    changed = cards.fares(site.tracked.host.port)
    changed["version"] = "2.1.0"
    site.tracked.publish(cards.FARES, dump(changed))
    site.look("fares")
    page.until("document.getElementById('pause').textContent.includes('news')")
    assert "2.1.0" not in page.read("document.querySelector('main').innerText")
    assert page.read("document.getElementById('live-text').textContent").startswith("paused at ")
    page.read("document.getElementById('pause').click()")
    page.until("document.querySelector('main').innerText.includes('2.1.0')")


def test_a_lost_connection_is_shown_and_resumed_from_the_last_event(site: PageStage, page: Page) -> None:
    page.go(f"{site.url}/agents/fares")
    page.until("document.getElementById('live-text').textContent === 'live'")
    assert sum(".live?" in url for url in page.requests) == 1, "one connection"
    first = page.read("document.getElementById('feed').getAttribute('hx-sse:connect')")
    page.block(".live?")
    page.cut("document.getElementById('feed')._htmx.sse.reader.cancel()")
    page.until("document.getElementById('live').dataset.state === 'waiting'")
    changed = cards.fares(site.tracked.host.port)
    changed["version"] = "2.2.0"
    site.tracked.publish(cards.FARES, dump(changed))
    site.look("fares")
    assert "2.2.0" not in page.read("document.querySelector('main').innerText")
    page.block()
    page.until("document.querySelector('main').innerText.includes('2.2.0')")
    page.until("document.getElementById('live-text').textContent === 'live'")
    assert "seen=" in first


def test_what_is_said_aloud_is_rare_and_polite(site: PageStage, page: Page) -> None:
    page.go(site.url)
    page.until("document.getElementById('live-text').textContent === 'live'")
    assert page.read("document.getElementById('said').getAttribute('aria-live')") == "polite"
    assert page.read("document.getElementById('said').textContent") == ""
    observe = "new MutationObserver(() => window.said++).observe(document.getElementById('said'), {childList: true})"
    page.read(f"window.said = 0; {observe}")
    for word in ("1 breaking, 0 review", "0 breaking, 2 review", "0 breaking, 1 review"):
        page.read(f"document.getElementById('view').dataset.said = {word!r}; announce()")
    assert page.read("window.said") == 1


def test_without_scripts_all_is_readable_and_forms_work(site: PageStage, page: Page) -> None:
    page.scripts(on=False)
    for name in ("fleet", "agent", "decision", "timeline"):
        page.go(address(site, name))
        text = page.read("document.querySelector('main').innerText")
        assert "breaking" in text or "fact" in text
        assert page.read("document.getElementById('live-text').textContent") == "as loaded"
        assert (
            page.read("getComputedStyle(document.querySelector('#keys-open')).display") == "none"
            or page.read("document.querySelector('#keys-open').offsetParent") is None
        )
    page.go(site.url)
    page.read("document.getElementById('q').value = 'fares'")
    page.acting(lambda: page.read("document.querySelector('form.search').submit()"))
    assert page.read("document.querySelectorAll('tbody tr').length") == 1
    page.acting(lambda: page.read("document.querySelector('form.theme button[value=dark]').click()"))
    assert page.read("document.documentElement.dataset.theme") == "dark"
    assert page.read("location.search") == "?q=fares"


def test_keys_walk_open_travel_and_can_be_switched_off(site: PageStage, page: Page) -> None:
    page.go(site.url)
    page.press("t")
    assert page.read("document.activeElement.id") == "at"
    page.press("Escape")
    page.read("document.activeElement.blur()")
    page.press("?")
    assert page.read("document.getElementById('keys').open")
    page.press("j")
    assert not page.read("document.activeElement.matches('a.row')"), "no key acts behind the list"
    page.press("Escape")
    page.until("!document.getElementById('keys').open")
    page.until("document.activeElement === document.body")
    page.press("j")
    page.press("j")
    page.press("k")
    assert page.read("[...document.querySelectorAll('a.row')].indexOf(document.activeElement)") == 0
    page.press("/")
    page.type("jk")
    assert page.read("document.getElementById('q').value") == "jk", "typing is typing"
    page.read("document.activeElement.blur(); document.getElementById('keys-on').click()")
    page.go(site.url)
    page.press("j")
    assert page.read("document.activeElement === document.body")


def test_tab_reaches_the_skip_link_first_and_is_never_trapped(site: PageStage, page: Page) -> None:
    page.go(address(site, "decision"))
    page.press("Tab")
    assert page.read("document.activeElement.className") == "skip"
    assert page.read("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter")
    assert page.read("location.hash") == "#view"
    page.go(address(site, "decision"))
    seen = []
    for _ in range(120):
        page.press("Tab")
        seen.append(page.read("(e => e === document.body ? '' : e.outerHTML.slice(0, 90))(document.activeElement)"))
        if seen[-1] == "":
            break
    assert seen[-1] == "", "one gets out at the end"
    assert len(set(seen)) > 15


@pytest.mark.parametrize("name", VIEWS)
def test_no_view_has_a_barrier_in_light_or_dark(site: PageStage, page: Page, axe: str, name: str) -> None:
    for scheme in ("light", "dark"):
        page.media(prefers_color_scheme=scheme)
        page.go(address(site, name))
        page.read("for (const d of document.querySelectorAll('main details')) d.open = true")
        page.read(axe + ";0")
        tags = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']"
        told = "({id: v.id, why: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html)})"
        run = f"axe.run(document, {{runOnly: {tags}}}).then(r => r.violations.map(v => {told}))"
        assert page.read(run) == [], f"{name} in {scheme}"


@pytest.mark.parametrize("name", VIEWS)
def test_at_four_hundred_per_cent_nothing_but_tables_scrolls_sideways(site: PageStage, page: Page, name: str) -> None:
    page.size(NARROW)
    page.go(address(site, name))
    assert page.read("document.documentElement.scrollWidth") <= NARROW
    page.read(
        "for (const e of document.querySelectorAll('*')) e.style.cssText += 'letter-spacing: .12em; word-spacing: .16em'"
    )
    assert page.read("document.documentElement.scrollWidth") <= NARROW, (
        "with the text spacing of WCAG 1.4.12, or a wide font"
    )


def test_dark_light_forced_colours_less_motion_and_paper(site: PageStage, page: Page) -> None:
    def colour() -> Any:
        return page.read("getComputedStyle(document.documentElement).backgroundColor")

    seen = {}
    for scheme in ("light", "dark"):
        page.media(prefers_color_scheme=scheme)
        page.go(site.url)
        seen[scheme] = colour()
    assert seen["light"] != seen["dark"]
    page.acting(lambda: page.read("document.querySelector('form.theme button[value=light]').click()"))
    assert colour() == seen["light"], "the reader outranks the system"
    page.media(forced_colors="active")
    assert page.read("getComputedStyle(document.querySelector('.badge')).borderTopStyle") == "solid"
    page.media(medium="print")
    assert page.read("getComputedStyle(document.querySelector('header.top')).display") == "none"
    page.media(prefers_reduced_motion="reduce")
    page.read("document.getElementById('live').dataset.state = 'waiting'")
    assert page.read("getComputedStyle(document.querySelector('.lamp')).animationName") == "none"


def test_time_travel_is_said_on_every_page_and_shows_nothing_that_came_later(site: PageStage, page: Page) -> None:
    at = decided(site, "compatible")
    for path in ("/", "/agents/pricing", "/agents/pricing/timeline", "/agents/pricing/compare", "/rules"):
        page.go(f"{site.url}{path}?at={at}")
        assert "As known at" in page.read("document.querySelector('aside.banner').innerText")
        assert page.read("document.getElementById('feed')") is None
        assert "application/pdf" not in page.read("document.body.innerText")
        links = page.read("[...document.querySelectorAll('main a')].map(a => a.getAttribute('href'))")
        assert all("at=" in link for link in links if not link.endswith(".txt"))
    page.go(f"{site.url}/agents/pricing?at={at}")
    assert "compatible" in page.read("document.querySelector('.head').innerText")
    page.acting(lambda: page.read("document.querySelector('aside.banner a').click()"))
    assert "breaking" in page.read("document.querySelector('.head').innerText")


def test_evidence_can_be_copied_and_times_tell_the_readers_own(site: PageStage, page: Page) -> None:
    page.go(address(site, "decision"))
    page.allow_clipboard(site.url)
    whole = page.read("document.querySelector('article.finding [data-copy]').dataset.copy")
    assert re.fullmatch(r"[0-9a-f]{64}", whole)
    page.read("document.querySelector('article.finding [data-copy]').click()")
    page.until("document.querySelector('article.finding [data-copy]').classList.contains('done')")
    assert page.read("navigator.clipboard.readText()") == whole
    page.read("document.querySelector('main time').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
    title = page.read("document.querySelector('main time').title")
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, .* here, ", title)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", EVIL)
def test_a_hostile_card_opens_no_dialog_asks_for_nothing_and_breaks_no_layout(
    site: PageStage, page: Page, name: str, width: int
) -> None:
    page.size(width)
    page.go(address(site, name))
    page.read("for (const d of document.querySelectorAll('details')) d.open = true")
    assert page.dialogs == []
    assert page.complaints == []
    assert all(url.startswith((site.url, "data:")) for url in page.requests if url != "about:blank")
    assert page.read("document.querySelectorAll('img, iframe, object, embed, style, main script').length") == 0
    assert page.read("document.scripts.length") == 3
    assert page.read("document.documentElement.scrollWidth") <= width
    links = page.read("[...document.querySelectorAll('a')].map(a => a.href)")
    assert all(link.startswith(site.url) for link in links)
    hidden = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069\\u061c"
    assert page.read(f"document.body.innerText.match(/[{hidden}]/g)") is None


def come(page: Page, url: str, holds: Callable[[str], bool]) -> None:
    """Load a page again until what it says holds."""
    end = time.monotonic() + PATIENCE_S
    page.go(url)
    while not holds(text := page.read("document.querySelector('main').innerText")):
        assert time.monotonic() < end, text
        page.go(url)


def test_while_the_broker_is_away_the_last_rows_stay_with_their_age(site: PageStage, page: Page) -> None:
    page.go(site.url)
    page.until("document.getElementById('live-text').textContent === 'live'")
    with site.broker_stopped():
        page.until("document.getElementById('live-text').textContent.startsWith('stale since')")
        assert page.read("document.querySelectorAll('tbody tr').length") >= 5
        come(page, site.url, lambda text: "Stale since" in text)  # while a watch is begun anew the rows are "Loading"
        assert page.read("document.querySelectorAll('tbody tr').length") >= 5
        page.go(f"{site.url}/agents/pricing/compare?left=2026-01-01")
        text = page.read("document.querySelector('main').innerText")
        assert "503" in text
        assert "cardtrail doctor" in text
        assert site.get("/health").status == 503
    come(page, site.url, lambda text: "Stale" not in text)
    page.until("document.getElementById('live-text').textContent === 'live'")
