"""The page over HTTP on a real socket, before a real tracker: every view in every form, what it refuses, what it never says."""

import contextlib
import html
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.projections.store_reader import Reader
from cardtrail.services.archive import SNAPSHOT
from cardtrail.services.bus.questions import ask
from cardtrail.services.service import SERVICES
from cardtrail.services.web.guard import POLICY
from cardtrail.services.web.routes import VIEWS
from cardtrail.services.web.whereabouts import found
from tests.journeys.page_stage import Got, PageStage
from tests.services.cli.cards import ACTIVE
from tests.streams import PATIENCE_S

TOKEN = "a-token-nobody-will-guess"
_LINK = re.compile(r'href="(/[^"]*)"')
_MOST = 400


@contextmanager
def another(site: PageStage, folder: Path, settings: str, **environment: str) -> Iterator[PageStage]:
    """A second page before the same tracker, with settings of its own."""
    folder.mkdir()
    config = folder / "cardtrail.toml"
    config.write_text(f"[web]\nport = 0\n{settings}")
    seen = {**os.environ, "NATS_URL": site.tracked.system.url, **environment}
    command = [sys.executable, "-m", "cardtrail.services.cli", "run", "web", "--config", str(config), "--with-parent"]
    with subprocess.Popen(command, env=seen, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = _address(folder / "cardtrail-data", process)
            yield PageStage(site.tracked, site.loop, folder, url.replace("0.0.0.0", "127.0.0.1"))  # noqa: S104 — named
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)


def _address(data: Path, process: "subprocess.Popen[str]") -> str:
    end = time.monotonic() + PATIENCE_S
    while not (url := found(data)):
        if process.poll() is not None:
            raise AssertionError(process.stderr.read() if process.stderr else "")
        assert time.monotonic() < end
        time.sleep(0.02)
    return url


def crawl(site: PageStage) -> dict[str, Got]:
    """Every page that links lead to from the fleet, other filters left out."""
    found_pages: dict[str, Got] = {}
    left = ["/", "/?principal=travel-desk", "/agents/vault?principal=travel-desk"]
    while left and len(found_pages) < _MOST:
        path = left.pop(0)
        if (
            path in found_pages
            or path.startswith("/static/")
            or re.search(r"\?.*(verdict|heard|owner|workflow|provider|rule|sort|range|tag)=", path)
        ):
            continue
        found_pages[path] = site.get(path)
        if "text/html" in found_pages[path].headers["content-type"]:
            left += [link.replace("&amp;", "&") for link in _LINK.findall(found_pages[path].text)]
    return found_pages


@pytest.fixture(scope="module")
def pages(site: PageStage) -> dict[str, Got]:
    return crawl(site)


def test_every_link_leads_somewhere_and_every_view_is_reached(pages: dict[str, Got]) -> None:
    assert len(pages) > 60
    broken = {path: got.status for path, got in pages.items() if got.status != 200 and not path.startswith("/facts/")}
    assert broken == {}
    shapes = [re.compile(re.sub(r"\\?\{[^}]*\\?\}", "[^/]+", path) + r"(\?.*)?$") for path in VIEWS if path != "/fleet"]
    assert not [shape.pattern for shape in shapes if not any(shape.match(path) for path in pages)]


def test_every_answer_carries_the_policy(pages: dict[str, Got], site: PageStage) -> None:
    others = [site.get(path) for path in ("/nowhere", "/health", "/agents/nobody", "/?at=x", "/fleet.live?at=x")]
    for got in (*pages.values(), *others):
        assert got.headers["content-security-policy"] == POLICY
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["referrer-policy"] == "no-referrer"
    assert [got.status for got in others] == [404, 200, 404, 400, 400]


def test_no_page_contains_a_character_that_controls_or_hides_nor_a_tag_of_a_card(pages: dict[str, Got]) -> None:
    for path, got in pages.items():
        if "content-disposition" in got.headers:
            assert re.fullmatch(r'attachment; filename="[\w-]+\.txt"', got.headers["content-disposition"])
            continue  # bytes as they are, to keep and not to show
        assert not [character for character in ACTIVE if character in got.text and character != "\r"], path
        if "text/html" not in got.headers["content-type"]:
            continue
        assert len(re.findall("<script", got.text)) == 3, path
        assert not re.search(r"<(img|iframe|object|embed|base|style)\b|\son\w+=|\sstyle=", _tags(got.text)), path


def _tags(html: str) -> str:
    """The tags alone, attribute values emptied: what a browser would act on."""
    return re.sub(r'"[^"]*"', '""', " ".join(re.findall(r"<[^>]*>", html)))


def test_beside_each_page_lies_its_json_and_the_table_is_csv(pages: dict[str, Got], site: PageStage) -> None:
    kinds = set()
    for path in [path for path in pages if not re.search(r"\.(json|csv|txt)|acknowledge", path)]:
        parts = urlsplit(path)
        name = "/fleet" if parts.path == "/" else parts.path
        got = site.get(f"{name}.json{'?' + parts.query if parts.query else ''}")
        if got.status == 404 and name.startswith("/facts/"):
            continue
        assert got.headers["content-type"] == "application/json"
        assert got.json.get("format", "").startswith("cardtrail.page."), path
        assert not [character for character in ACTIVE if character in got.text]
        kinds.add(got.json["format"])
    views = ("fleet", "agent", "timeline", "decision", "compare", "rules", "rule", "fact", "card")
    assert kinds == {f"cardtrail.page.{kind}/1" for kind in views}


def sql_of(page: Got) -> str:
    """The SQL that a page shows beside its table."""
    shown = re.search(r'aria-label="SQL"><code>(.*?)</code>', page.text, re.DOTALL)
    assert shown
    return html.unescape(shown[1])


def asked_of_the_archive(site: PageStage, sql: str, through: int) -> list[dict[str, Any]]:
    """What the archive answers once it has read so far."""
    end = time.monotonic() + PATIENCE_S
    while True:
        path = site.do(ask(site.tracked.system.bus, SNAPSHOT, {}, within_s=PATIENCE_S / 2))["path"]
        with Reader(Path(path)) as reader:
            if reader.through >= through:
                found = reader.query(sql, rows=1_000)
                return [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        assert time.monotonic() < end, f"the archive has not read fact {through}"
        time.sleep(0.1)


def test_the_sql_beside_a_table_says_the_table_again(site: PageStage) -> None:
    shown = site.get("/fleet.json").json
    rows = asked_of_the_archive(site, sql_of(site.get("/")), shown["through"])
    said = {(row["verdict"], row["agent"], row["workflow"] or "", row["open"]) for row in rows}
    assert said == {(row["verdict"], row["agent"], row["workflow"], row["open"]) for row in shown["rows"]}
    narrowed = asked_of_the_archive(site, sql_of(site.get("/?verdict=breaking&owner=mira&q=planner")), 0)
    assert [(row["verdict"], row["owner"]) for row in narrowed] == [("breaking", "mira")]

    line = site.get("/agents/pricing/timeline.json").json
    spans = asked_of_the_archive(site, sql_of(site.get("/agents/pricing/timeline")), line["through"])
    assert sorted((one["capability"], one["fact"]) for one in spans) == sorted(
        (one["capability"], one["opened"]) for one in line["spans"]
    )


@pytest.mark.parametrize("path", ["/agents/pricing", "/agents/evil", "/agents/evil/timeline", "/rules"])
def test_the_sql_of_every_table_can_be_asked_whatever_names_are_in_it(site: PageStage, path: str) -> None:
    assert asked_of_the_archive(site, sql_of(site.get(path)), 0)


def test_no_cell_of_a_table_is_a_formula(site: PageStage) -> None:
    got = site.get("/agents/evil/timeline.csv")
    assert got.headers["content-type"].startswith("text/csv")
    assert "cmd|" in got.text
    assert not re.search(r'(^|,)"?[=+@\t\r-]', got.text.replace("\r\n", "\n"), re.MULTILINE)
    assert site.get("/rules.csv").status == 404


def test_a_raw_card_is_text_exactly_as_it_was_served(site: PageStage) -> None:
    card = site.get("/agents/evil.json").json["card"]
    got = site.get(f"/facts/{card}/card.txt")
    assert got.headers["content-type"] == "text/plain; charset=utf-8"
    assert got.json["name"].startswith('"><img')
    fact = site.get(f"/facts/{card}.txt").json
    assert fact["type"] == "dev.cardtrail.card-fetched.v1"


def test_one_principals_things_are_not_at_anothers_address(site: PageStage) -> None:
    mine = site.get("/fleet.json?principal=travel-desk").json
    assert {row["agent"] for row in mine["rows"]} == {"vault"}
    assert "vault" not in site.get("/fleet.json").text
    assert site.get("/agents/vault").status == 404
    assert site.get("/agents/vault?principal=travel-desk").status == 200
    assert site.get("/agents/pricing?principal=travel-desk").status == 404
    assert site.get(f"{site.decision('trip-planner')}?principal=travel-desk").status == 404
    assert site.get("/?principal=nobody").status == 404
    fact = site.get("/agents/vault.json?principal=travel-desk").json["story"][0]["facts"][0]
    assert site.get(f"/facts/{fact}").status == 404
    assert site.get(f"/facts/{fact}?principal=travel-desk").status == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "x@127.0.0.1"])
def test_a_name_that_could_be_rebound_is_not_answered(site: PageStage, host: str) -> None:
    got = site.get("/", Host=host)
    assert got.status == 421
    assert "pricing" not in got.text


def test_a_write_needs_our_own_page_and_its_token(site: PageStage) -> None:
    form = "fingerprint=x&reason=y&by=z&token=guess"
    before = site.accepted()
    assert site.post("/acknowledge", form, Origin="http://evil.example").status == 403
    assert site.post("/acknowledge", form, Sec_Fetch_Site="cross-site").status == 403
    assert site.post("/acknowledge", form).status == 400
    assert "form-stale" in site.post("/acknowledge", form).text
    assert site.post("/acknowledge", "x=" + "y" * 20_000).status == 400
    assert site.post("/acknowledge", "&".join(["a=b"] * 30)).status == 400
    assert site.ask("POST", "/acknowledge", b"{}", {"Content-Type": "application/json"}).status == 400
    assert site.get("/acknowledge?fingerprint=x").status == 400
    assert site.accepted() == before


def test_a_reader_cannot_write_and_sees_the_command(site: PageStage, tmp_path: Path) -> None:
    with another(site, tmp_path / "reader", "read_only = true\n") as reader:
        reader.shows(0)
        decision = reader.get(site.decision("evil ")).text
        assert 'action="/acknowledge"' not in decision
        assert "cardtrail ack " in decision
        print_ = reader.get(site.decision("evil ") + ".json").json["findings"][0]["fingerprint"]
        asked = reader.get(f"/acknowledge?fingerprint={print_}&reason=y&by=z").text
        assert "read-only" in asked
        assert '<form class="ack"' not in asked
        assert "read-only" in reader.post("/acknowledge", f"fingerprint={print_}&reason=y&by=z").text


def test_beyond_loopback_everybody_brings_the_token(site: PageStage, tmp_path: Path) -> None:
    settings = 'host = "0.0.0.0"\ntoken_env = "PAGE_TOKEN"\n'
    with another(site, tmp_path / "open", settings, PAGE_TOKEN=TOKEN) as page:
        for path in ("/", "/fleet.json", "/health", "/metrics", "/agents/pricing.live"):
            got = page.get(path)
            assert got.status == 401
            assert "pricing" not in got.text
        led = page.get("/agents/pricing?range=7d", Accept="text/html")
        assert (led.status, led.headers["location"]) == (303, "/login?back=/agents/pricing%3Frange%3D7d")
        assert page.get("/health", Authorization=f"Bearer {TOKEN}").status == 200
        wrong = page.post("/login", "token=wrong&back=/")
        assert (wrong.status, "not the token" in wrong.text) == (403, True)
        got = page.post("/login", f"token={TOKEN}&back=//evil.example")
        assert (got.status, got.headers["location"]) == (303, "/")
        cookie = got.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert TOKEN not in cookie
        assert page.get("/fleet.json", Cookie=cookie.partition(";")[0]).status == 200


@pytest.mark.parametrize(
    ("settings", "code"), [('host = "0.0.0.0"\n', "web-exposed"), ('token_env = "NONE"\n', "web-token")]
)
def test_a_page_that_anybody_could_read_does_not_start(
    site: PageStage, tmp_path: Path, settings: str, code: str
) -> None:
    with pytest.raises(AssertionError, match=code), another(site, tmp_path / "open", settings):
        pass


def test_quiet_is_healthy_and_a_dead_service_is_not(site: PageStage) -> None:
    got = site.get("/health")
    assert (got.status, got.json["healthy"]) == (200, True)
    assert {"fetcher", "compiler", "decider", "projector", "web"} <= set(got.json["services"])


def test_a_card_that_says_nothing_of_its_version_is_shown_as_what_it_is(site: PageStage) -> None:
    bare = {"name": "bare", "url": "https://bare.example/a2a", "skills": [{"id": "s"}], "capabilities": None}
    target = Target(kind="document", value=json.dumps(bare))
    site.tell(AgentTracked(agent="bare", principal="bare", target=target))
    site.until(
        "/fleet.json?principal=bare", lambda shown: [row["heard"] for row in shown["rows"]] not in ([], ["unheard"])
    )
    for path in ("/", "/agents/bare", "/agents/bare/timeline", "/agents/bare/compare"):
        got = site.get(f"{path}?principal=bare")
        assert got.status == 200
        assert not re.search(r">\s*(None|undefined|null)\s*<", got.text)


@pytest.mark.parametrize("service", [name for name in SERVICES if name != "web"])
def test_a_service_that_hangs_is_told_from_one_that_is_quiet(site: PageStage, service: str) -> None:
    pid = site.tracked.system.children.pid(service)
    os.kill(pid, signal.SIGSTOP)
    try:
        got = site.get("/health")
        dead = {name for name, one in got.json["services"].items() if not one["alive"]}
        assert (got.status, got.json["healthy"], dead) == (503, False, {service})
    finally:
        os.kill(pid, signal.SIGCONT)
    site.until("/health", lambda shown: shown["healthy"])


def test_metrics_speak_prometheus_whatever_a_principal_is_called(site: PageStage) -> None:
    got = site.get("/metrics")
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in got.text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*",?)+\})? -?[0-9.e+-]+', line) for line in lines)
    assert 'cardtrail_locks{principal="public",verdict="breaking"} 2.0' in lines
    assert 'cardtrail_service_up{service="decider"} 1.0' in lines
    counted = [line for line in lines if line.startswith("faststream_received_messages_total")]
    assert {service for line in counted for service in re.findall(r'service="(\w+)"', line)} >= set(SERVICES) - {"web"}
    assert not [line for line in counted if "pricing" in line]


@pytest.mark.parametrize("number", ["18446744073709551615", "18446744073709551616", "9" * 20])
def test_a_fact_that_no_log_can_have_is_missing_and_nothing_went_wrong(site: PageStage, number: str) -> None:
    assert site.get(f"/facts/{number}").status == 404


def test_whatever_else_a_browser_keeps_or_sends_for_this_host_is_no_error(site: PageStage) -> None:
    assert site.get("/fleet", cookie="a/b=c; =; x,y=z").status == 200
    assert site.post("/theme", "theme=%E2%80%A8%0D%0A&back=/").status == 303


def test_two_hundred_who_follow_a_view_hold_up_nobody(site: PageStage) -> None:
    where = urlsplit(site.url)
    began = time.monotonic()
    for _ in range(20):
        site.get("/fleet")
    twenty = time.monotonic() - began
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            follower = stack.enter_context(
                socket.create_connection((where.hostname or "", where.port or 0), PATIENCE_S)
            )
            follower.sendall(f"GET /fleet.live HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
        began = time.monotonic()
        assert site.get("/rules").status == 200
        assert time.monotonic() - began < 5 * twenty, "who follow are not served one by one before others"


def test_an_agent_that_is_only_a_fallback_says_for_whom_it_stands_in_and_how_it_is_judged(site: PageStage) -> None:
    now = site.get("/agents/fares.json").json
    (one,) = now["stands_in"]
    assert now["locks"] == []
    assert (one["workflow"], one["agent"]) == ("trip-planner", "pricing")
    page = re.sub(r"<[^>]+>", "", site.get("/agents/fares").text)
    assert "No workflow has a lock on it" not in page
    assert "stands in for pricing in trip-planner" in page
    then = site.get(f"/agents/fares.json?at={now['at']}").json
    assert then["stands_in"] == now["stands_in"], "the log says of an instant what the buckets say of now"
    (row,) = [row for row in site.get(f"/fleet.json?at={now['at']}").json["rows"] if row["agent"] == "fares"]
    assert (row["workflow"], row["candidate_of"], row["without_lock"]) == ("trip-planner", "pricing", True)
    assert row["verdict"] == one["verdict"] != "unlocked", (
        "other tests have changed its card: how it is judged is in one place"
    )
