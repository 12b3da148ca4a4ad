"""On the page: what a card says is text, visible, bounded, in an element of its own."""

import html
import re
import shlex

import pytest
from hypothesis import given as law
from hypothesis import strategies as st
from markupsafe import Markup

from cardtrail.services.bus.watch import Standing, State
from cardtrail.services.cli.shell.text import guarded
from cardtrail.services.planner.permission import Blindness
from cardtrail.services.web.answer import Shown
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.known import Known
from cardtrail.services.web.memory import Held
from cardtrail.services.web.render import STATIC, asset, data, environment, time, value
from cardtrail.services.web.views.fleet import fleet
from tests.services.cli.cards import ACTIVE, HOSTILE
from tests.services.web.scene import NOW


@law(st.text())
def test_whatever_a_template_prints_is_escaped_and_visible(text: str) -> None:
    made = environment().from_string('<p title="{{ text }}">{{ text }}</p>').render(text=text)
    assert made.count("<") == 2
    assert made.count('"') == 2
    assert guarded(made.replace("&#34;", "").replace("\r", "?")) == made.replace("&#34;", "")


@law(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_a_name_of_others_is_one_word_of_the_command_that_is_copied(name: str) -> None:
    made = environment().from_string("cardtrail refresh {{ name|word }} --json").render(name=name)
    assert shlex.split(html.unescape(made)) == ["cardtrail", "refresh", name, "--json"]


@law(st.text(max_size=2_000))
def test_text_of_others_has_an_element_of_its_own_and_an_end(text: str) -> None:
    made = str(data(text, 50))
    assert re.fullmatch(r"<(bdi|span class=none)>[^<]*</(bdi|span)>", made)
    assert len(made) < 50 * 10 + 60


@pytest.mark.parametrize("made", [data(HOSTILE), value(HOSTILE), value([HOSTILE, {"a": HOSTILE}])])
def test_nothing_that_controls_or_hides_is_left(made: Markup) -> None:
    assert not [character for character in ACTIVE if character in made]
    assert "<script" not in made
    assert made.startswith("<bdi")
    assert made.endswith("</bdi>")


@pytest.mark.parametrize(
    ("state", "said"), [("catching-up", "Loading"), ("blind", "Stale since"), ("live", "No agent is watched")]
)
def test_what_is_missing_is_said_with_the_reason(state: State, said: str) -> None:
    view = fleet(Known("public"), Asked("/"), NOW)
    told = {
        "asked": Asked("/"),
        "shown": Shown("fleet.html", view, 0, "Fleet"),
        "view": view,
        "now": NOW,
        "layout": "live.html",
    }
    told |= {
        "principals": ("public",),
        "standing": Standing(state=state, since=NOW),
        "silent": None,
        "held": Held(0, ()),
        "read_only": False,
    }
    shown = environment().get_template("fleet.html")
    assert said in shown.render(told)
    assert ("cardtrail doctor" in shown.render(told)) is (state == "blind")
    silent = Blindness(since=NOW, why="tracker-silent", detail="projector")
    page = shown.render(told | {"silent": silent})
    assert ("Stale since" in page, "projector" in page, "cardtrail doctor" in page) == (True, state != "blind", True)
    page = shown.render(told | {"held": Held(2, ("<b>pricing",))})
    assert ("2 facts are held back" in page, "&lt;b&gt;pricing" in page, "replay --parked" in page) == (
        True,
        True,
        True,
    )


def test_a_time_is_utc_and_its_age_is_told_beside_it() -> None:
    assert time("2026-11-30T08:00:00Z") == '<time datetime="2026-11-30T08:00:00+00:00">2026-11-30 08:00:00 UTC</time>'
    assert "–" in time(None)
    assert time("<b>soon") == "<bdi>&lt;b&gt;soon</bdi>", "a fact may hold any text"


def test_the_scripts_that_are_not_ours_are_as_they_were_published() -> None:
    listed = dict(line.split(maxsplit=1)[::-1] for line in (STATIC / "SHA256SUMS").read_text().splitlines())
    assert set(listed) == {"htmx.min.js", "hx-sse.min.js"}
    for name, digest in listed.items():
        assert asset(name).endswith(digest[:8])
    assert "PERMISSION" in (STATIC / "htmx.LICENSE.txt").read_text().upper()


def test_our_own_files_ask_for_nothing_outside_and_run_nothing_that_is_text() -> None:
    for file in ("page.js", "page.css"):
        text = (STATIC / file).read_text()
        assert not re.search(r"https?://|@import|eval\(|new Function|innerHTML|document\.write|url\(", text)
    templates = "".join(file.read_text() for file in (STATIC.parent / "templates").iterdir())
    assert not re.search(r"\son\w+=|style=|javascript:|\|safe|autoescape|hx-on|hx-vals", templates)
