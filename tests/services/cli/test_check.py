import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cardtrail.events.canonical import raw_digest
from tests.services.cli.cards import card, lock, skill, written
from tests.services.cli.program import Done, cardtrail

NARROWED = card(skills=[skill(inputModes=["text/plain"])], version="4.0.0")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    pinned = written(tmp_path / "old.json", card())
    written(tmp_path / "new.json", NARROWED)
    written(tmp_path / "trip.lock.json", lock(card_digest=raw_digest(pinned.read_bytes())))
    return tmp_path


def check(here: Path, *arguments: str) -> Done:
    return cardtrail("check", "trip.lock.json", *arguments, cwd=here)


def test_a_card_that_fits_is_one_line_and_exit_zero(here: Path) -> None:
    done = check(here, "old.json")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "✓ compatible  trip-planner × https://pricing.partner.example/.well-known/agent-card.json  3.2.0  card "
    )
    assert done.out.count("\n") == 1


def test_a_card_that_breaks_the_lock_names_the_lock_line(here: Path) -> None:
    done = check(here, "new.json")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].startswith(
        "✗ breaking  input-mode-removed     skills[itinerary-pricing].inputModes  trip.lock.json:13:14  "
    )
    assert lines[1] == "            needs [application/json] · now [text/plain]"
    assert lines[2].startswith("! review    agent-version-changed  ")
    assert (
        lines[3]
        == "✗ breaking: 1 breaking, 1 review, 0 notes. New delegations of trip-planner stop; running tasks go on."
    )
    assert done.err == (
        "next: cardtrail rules input-mode-removed · cardtrail diff OLD new.json · "
        "cardtrail pin new.json --update trip.lock.json --need-less (to need less)\n"
    )


def test_notes_that_are_counted_and_not_listed_say_how_to_see_them(here: Path) -> None:
    written(here / "more.json", card(skills=[skill(inputModes=["text/plain"]), skill(id="refunds")]))
    done = check(here, "more.json", "--baseline", "old.json")
    assert "1 breaking, 0 review, 1 note (--level note). " in done.out
    listed = check(here, "more.json", "--baseline", "old.json", "--level", "note")
    assert "· note      skill-added" in listed.out
    assert "--level" not in listed.out


def test_with_a_baseline_the_change_itself_is_judged(here: Path) -> None:
    done = check(here, "new.json", "--baseline", "old.json")
    assert "needs [application/json] · before [application/json, text/plain] · now [text/plain]" in done.out


def test_json_has_the_stable_keys(here: Path) -> None:
    done = check(here, "new.json", "--json")
    assert (done.code, done.err) == (1, "")
    assert (done.json["format"], done.json["verdict"]) == ("cardtrail.check/1", "breaking")
    first = done.json["findings"][0]
    assert first.keys() >= {"rule", "severity", "path", "before", "after", "message", "fingerprint"}
    assert (first["rule"], first["path"], first["after"]) == (
        "input-mode-removed",
        "$.skills[0].inputModes",
        ["text/plain"],
    )
    assert len(first["fingerprint"]) == 64


def test_several_cards_give_results_under_the_worst_verdict(here: Path) -> None:
    done = check(here, "old.json", "new.json", "--json")
    assert (done.code, done.json["verdict"]) == (1, "breaking")
    assert [result["verdict"] for result in done.json["results"]] == ["compatible", "breaking"]


def test_the_gate_stands_where_it_is_put(here: Path) -> None:
    written(here / "newer.json", card(version="4.0.0"))
    assert check(here, "newer.json").code == 0
    assert check(here, "newer.json", "--fail-on", "review").code == 1
    assert cardtrail("check", "trip.lock.json", "newer.json", cwd=here, CARDTRAIL_FAIL_ON="review").code == 1
    wrong = check(here, "newer.json", "--fail-on", "broken")
    assert wrong.err.splitlines()[0] == 'error[option-value] --fail-on "broken": one of breaking, review'


def test_one_run_writes_many_formats(here: Path) -> None:
    done = check(here, "new.json", "--format", "text", "--out", "sarif=a.sarif", "--out", "junit=out/b.xml")
    assert done.code == 1
    assert done.out.startswith("✗ breaking")
    assert '"2.1.0"' in (here / "a.sarif").read_text("utf-8")
    assert ET.fromstring((here / "out/b.xml").read_text("utf-8")).get("failures") == "1"  # noqa: S314 — our own output


@pytest.mark.parametrize("out", ["sarf=a", "sarif", "sarif=", "sarif=a --out junit=a"])
def test_a_wrong_out_is_refused_before_any_work(here: Path, out: str) -> None:
    done = check(here, "absent.json", *f"--out {out}".split())
    assert (done.code, done.err.split()[0]) == (2, "error[option-value]")


def test_an_unreadable_card_gives_review_and_exit_three(here: Path) -> None:
    written(here / "page.json", "<!doctype html><html>")
    done = check(here, "page.json")
    assert done.code == 3
    assert done.err.splitlines()[0] == "error[card-unreadable] page.json:1:1: an HTML page; verdict review"
    assert done.err.splitlines()[1] == "hint: did a login page answer?"
    assert done.out.splitlines()[-1].startswith("! review: 0 breaking, 1 review, 0 notes.")


def test_a_lock_that_cannot_be_used_is_exit_three_with_its_place(here: Path) -> None:
    written(here / "trip.lock.json", lock(lockfile_version=9))
    done = check(here, "old.json")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error[lock-version-unknown] trip.lock.json:")
    assert " $.lockfile_version: 9; this release reads 1" in done.err


def test_what_is_odd_in_a_lock_is_told_beside_the_verdict(here: Path) -> None:
    written(here / "trip.lock.json", lock(card_digest="sha256:6f1c…e2"))
    done = check(here, "old.json")
    assert done.code == 0
    assert done.err.startswith("warning CL001 trip.lock.json:")
    assert [doubt["path"] for doubt in check(here, "old.json", "--json").json["doubts"]] == ["$.card_digest"]


FOREIGN = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({}, "CL001", "$"),
        ({"card_digest": FOREIGN}, "CL004", "$.card_digest"),
        ({"card_digest": FOREIGN, "profile_digest": FOREIGN}, "CL003", "$.profile_digest"),
        ({"card_digest": FOREIGN[:-1], "profile_digest": FOREIGN}, "CL001", "$.card_digest"),
    ],
    ids=["no digest", "another card's", "another profile's", "cut"],
)
def test_a_digest_that_no_finding_explains_is_told_and_changes_no_verdict(
    here: Path, change: dict[str, str], code: str, path: str
) -> None:
    written(here / "trip.lock.json", lock(**change))
    done = check(here, "old.json", "--json")
    assert (done.code, done.json["verdict"]) == (0, "compatible")
    told = done.json["doubts"][0]
    assert (told["code"], told["path"]) == (code, path)
    assert code in check(here, "old.json").err


def test_a_digest_that_a_finding_explains_is_no_doubt(here: Path) -> None:
    assert check(here, "new.json", "--json").json["doubts"] == []
    pinned = cardtrail("pin", "old.json", "--workflow", "trip", "--everything", "-o", "trip.lock.json", cwd=here)
    assert pinned.code == 0
    assert check(here, "old.json", "--json").json["doubts"] == []


def test_a_pinned_lock_whose_digest_was_edited_contradicts_its_own_baseline(here: Path) -> None:
    cardtrail("pin", "old.json", "--workflow", "trip", "--everything", "-o", "trip.lock.json", cwd=here)
    held = json.loads((here / "trip.lock.json").read_text())
    written(here / "trip.lock.json", {**held, "profile_digest": FOREIGN})
    for served in ("old.json", "new.json"):
        told = check(here, served, "--json").json["doubts"]
        assert ("CL003", "$.profile_digest") in [(doubt["code"], doubt["path"]) for doubt in told]


def test_a_missing_file_names_the_near_one(here: Path) -> None:
    done = check(here, "odl.json")
    assert (done.code, done.err) == (
        2,
        "error[file-unreadable] odl.json: no such file or directory\nhint: did you mean old.json?\n",
    )


def test_a_missing_card_suggests_cards_and_a_missing_lock_locks(here: Path) -> None:
    for name in ("out.sarif", "out.xml", "report.json"):
        written(here / name, {"version": "2.1.0", "runs": []})
    card = check(here, "nope.json").err.splitlines()[1]
    lock = cardtrail("check", "absent", "new.json", cwd=here).err.splitlines()[1]
    assert "old.json" in card
    assert "new.json" in card
    assert not [name for name in ("lock", "report", "out") if name in card]
    assert lock == "hint: one of trip.lock.json"


def test_a_card_is_read_from_stdin(here: Path) -> None:
    data = (here / "new.json").read_bytes()
    assert cardtrail("check", "trip.lock.json", "-", "--json", stdin=data, cwd=here).json["verdict"] == "breaking"


def test_where_utf8_cannot_be_shown_the_marks_are_ascii(here: Path) -> None:
    done = cardtrail("check", "trip.lock.json", "new.json", cwd=here, encoding="ascii")
    assert done.out.splitlines()[0].startswith("x breaking  input-mode-removed ")


def test_the_client_and_the_settings_decide_what_can_be_called(here: Path) -> None:
    written(here / "client.toml", '[client]\ninterfaces = [["GRPC", "1.0"]]\n')
    done = check(here, "old.json", "--client", "client.toml", "--json")
    assert [finding["rule"] for finding in done.json["findings"]] == ["profile-unusable"]
    written(here / "cardtrail.toml", '[policy.severities]\ninput-mode-removed = "note"\n')
    assert check(here, "new.json").code == 0
    written(here / "client.toml", "interfaces = 3")
    assert check(here, "old.json", "--client", "client.toml").err.startswith(
        "error[config-invalid] client.toml client."
    )
