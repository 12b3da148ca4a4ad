"""lint, diff, compile, pin, sign, verify and rules as a person or a program calls them."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from jwcrypto.jwk import JWK

from cardtrail.services.card.canonical_forms import FORMS
from tests.services.cli.cards import card, lock, skill, written
from tests.services.cli.program import cardtrail


@pytest.fixture
def here(tmp_path: Path) -> Path:
    written(tmp_path / "card.json", card())
    written(tmp_path / "new.json", card(capabilities={}, skills=[skill(), skill(id="refunds")]))
    key = JWK.generate(kty="EC", crv="P-256", kid="2026-a")
    written(tmp_path / "key.jwk", key.export_private())
    written(tmp_path / "keys.jwks", {"keys": [json.loads(key.export_public())]})
    return tmp_path


def test_lint_finds_nothing_in_a_sound_card(here: Path) -> None:
    done = cardtrail("lint", "card.json", "--json", cwd=here)
    assert done.code == 0
    assert (done.json["shape"], done.json["usable"]) == ("1.0", True)
    assert [finding for finding in done.json["findings"] if finding["level"] == "error"] == []


def test_lint_says_what_and_where_and_fails_only_when_asked(here: Path) -> None:
    interfaces = [{"url": "https://x.example", "protocolBinding": "jsonrpc", "protocolVersion": "1.0"}]
    written(here / "wrong.json", card(supportedInterfaces=interfaces))
    done = cardtrail("lint", "wrong.json", cwd=here)
    assert done.code == 0
    assert done.out.startswith("error CT017 wrong.json:8:23 $.supportedInterfaces[0].protocolBinding: ")
    assert "^^^^^^^^^ did you mean" in done.out
    assert done.out.splitlines()[-1].startswith("shape 1.0: 1 error, ")
    assert cardtrail("lint", "wrong.json", "--fail-on", "error", cwd=here).code == 1


def test_lint_refuses_two_values_for_one_member_with_both_places(here: Path) -> None:
    written(here / "twice.json", '{\n "name": "a",\n "name": "b"\n}')
    done = cardtrail("lint", "twice.json", cwd=here)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error[json-duplicate-member] twice.json:3:")
    assert "line 2" in done.err


def test_lint_of_several_cards_goes_on_past_a_broken_one(here: Path) -> None:
    written(here / "broken.json", "{")
    done = cardtrail("lint", "broken.json", "card.json", "--json", cwd=here)
    assert done.code == 3
    assert [(result["usable"], result["error"] is None) for result in done.json["results"]] == [
        (False, False),
        (True, True),
    ]
    refused, fine = cardtrail("lint", "broken.json", "card.json", cwd=here).out.splitlines()
    assert refused == "broken.json: refused, json-syntax. Explain: cardtrail rules json-syntax"
    assert fine.startswith("card.json: shape 1.0: 0 errors")


def test_diff_shows_changes_and_fails_only_when_asked(here: Path) -> None:
    done = cardtrail("diff", "card.json", "new.json", cwd=here)
    assert done.code == 0
    first, *lines = done.out.splitlines()
    assert first == "✗ breaking  Pricing  new.json"
    assert [line[0] for line in lines[:-1]] == ["~", "+"]
    assert "✗ breaking  streaming-withdrawn" in lines[0]
    assert lines[-1] == "1 breaking, 0 review, 1 note."
    assert cardtrail("diff", "card.json", "new.json", "--fail-on", "breaking", cwd=here).code == 1


@pytest.mark.parametrize("command", ["diff", "lint", "check"])
def test_a_report_repeats_the_command_as_a_shell_takes_it(here: Path, command: str) -> None:
    written(here / "my card.json", card())
    written(here / "trip.lock.json", lock())
    given = {"diff": ["card.json"], "lint": [], "check": ["trip.lock.json"]}[command]
    done = cardtrail(command, *given, "my card.json", "--format", "markdown", cwd=here)
    assert f"cardtrail {' '.join([command, *given])} 'my card.json'" in done.out


def test_a_report_repeats_what_decides_and_not_where_its_output_went(here: Path) -> None:
    written(here / "trip.lock.json", lock())
    words = ["check", "--fail-on", "review", "trip.lock.json", "card.json", "--baseline", "card.json", "--cleartext"]
    seen = ["--network", "10.0.0.0/8", "--network", "10.9.0.0/16"]
    hows = ["--format", "markdown", "--out", "junit=b.xml", "--level", "note", "--color", "never"]
    done = cardtrail(*words, *seen, *hows, cwd=here)
    (told,) = re.findall("Repeat: `(.*)`", done.out)
    assert shlex.split(told)[:4] == ["cardtrail", "check", "trip.lock.json", "card.json"]
    assert sorted(shlex.split(told)) == sorted(["cardtrail", *words, *seen])
    assert cardtrail(*shlex.split(told)[1:], cwd=here).code == done.code
    missing = cardtrail(
        "check", "trip.lock.json", "none.json", "--format", "markdown", cwd=here, CARDTRAIL_FAIL_ON="review"
    )
    assert "Repeat: `cardtrail check trip.lock.json none.json --fail-on review`" in missing.out


def test_diff_does_not_count_the_order_of_members(here: Path) -> None:
    written(here / "turned.json", dict(reversed(card().items())))
    done = cardtrail("diff", "card.json", "turned.json", cwd=here)
    assert done.code == 0
    assert done.out == "✓ compatible  Pricing  turned.json\n0 breaking, 0 review, 0 notes. Not counted: key order.\n"
    assert cardtrail("diff", "card.json", "turned.json", "--json", cwd=here).json["not_counted"] == ["key order"]


def test_diff_refuses_an_old_card_that_cannot_be_read_and_reviews_a_new_one(here: Path) -> None:
    written(here / "page.html", "<html>")
    assert cardtrail("diff", "page.html", "card.json", cwd=here).code == 3
    done = cardtrail("diff", "card.json", "page.html", "--json", cwd=here)
    assert (done.code, done.json["verdict"], done.json["error"]["code"]) == (3, "review", "card-unreadable")


def test_compile_prints_the_profile(here: Path) -> None:
    done = cardtrail("compile", "card.json", "--json", cwd=here)
    assert done.json["interface"]["binding"] == "JSONRPC"
    assert done.json["skills"]["itinerary-pricing"]["input"] == ["application/json", "text/plain"]
    text = cardtrail("compile", "card.json", cwd=here).out
    assert text.startswith("✓ usable\ninterface   JSONRPC 1.0  https://pricing.partner.example/a2a\n")


def test_pin_proposes_the_smallest_lock_that_check_accepts(here: Path) -> None:
    chosen = ("pin", "card.json", "--workflow", "trip-planner", "--skill", "itinerary-pricing")
    done = cardtrail(*chosen, cwd=here)
    assert json.loads(done.out)["requires"]["streaming"] is False
    assert cardtrail(*chosen, "-o", "trip.lock.json", cwd=here).out == ""
    assert cardtrail("check", "trip.lock.json", "card.json", cwd=here).code == 0
    assert cardtrail("check", "trip.lock.json", "new.json", cwd=here).code == 0
    assert cardtrail("pin", "card.json", "--workflow", "w", "--skill", "pricing", cwd=here).err.startswith(
        "error[skill-unknown] "
    )
    assert cardtrail("pin", "card.json", cwd=here).code == 2


def test_a_sealed_lock_refuses_an_edit_by_hand_and_stays_sealed_when_it_is_renewed(here: Path) -> None:
    chosen = ("pin", "card.json", "--workflow", "trip-planner", "--skill", "itinerary-pricing", "-o", "held.lock.json")
    assert cardtrail(*chosen, "--seal", cwd=here).code == 0
    assert cardtrail("check", "held.lock.json", "card.json", cwd=here).code == 0
    renewed = cardtrail("pin", "new.json", "--update", "held.lock.json", "--json", cwd=here).json["lockfile"]
    assert renewed["integrity"].startswith("sha256:")
    path = here / "held.lock.json"
    path.write_text(path.read_text().replace('"text/plain"', '"text/html"', 1))
    refused = cardtrail("check", "held.lock.json", "card.json", "--json", cwd=here)
    assert (refused.code, refused.json["error"]["code"]) == (3, "lock-tampered")


def test_pin_update_prints_the_patch_and_why(here: Path) -> None:
    written(here / "trip.lock.json", lock())
    done = cardtrail("pin", "new.json", "--update", "trip.lock.json", cwd=here)
    assert done.code == 1
    assert done.out.startswith("--- trip.lock.json\n+++ trip.lock.json\n@@")
    kept = "$.requires.streaming: ✗ true is needed and not met: the card no longer declares it [streaming-withdrawn "
    assert kept in done.err
    told = cardtrail("pin", "new.json", "--update", "trip.lock.json", "--json", cwd=here).json["unmet"]
    shown = {change["path"]: change["evidence"] for change in told}
    assert [one.split()[0] for one in shown["$.requires.streaming"]] == ["streaming-withdrawn"]


@pytest.mark.parametrize("tool", [("git", "apply", "-p0", "lock.patch"), ("patch", "-p0", "-i", "lock.patch")])
@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_printed_patch_applies_whether_or_not_the_lock_ends_in_a_newline(
    here: Path, tool: tuple[str, ...], ending: str
) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"no {tool[0]} here")
    held = here / "held.lock.json"
    held.write_text(json.dumps(lock(), indent=2) + ending)
    patch, renewed = (
        cardtrail("pin", "new.json", "--update", "held.lock.json", *rest, cwd=here) for rest in ((), ("--json",))
    )
    written(here / "lock.patch", patch.out)
    subprocess.run(tool, cwd=here, check=True, capture_output=True)
    assert json.loads(held.read_text())["requires"] == renewed.json["lockfile"]["requires"]
    assert held.read_text().endswith("}\n")


def test_a_lock_that_is_renewed_by_hand_or_by_a_pipe_goes_on_failing_what_breaks_the_workflow(here: Path) -> None:
    written(here / "pdf.json", card(version="4.0.0", skills=[skill(inputModes=["application/pdf"])]))
    written(here / "trip.lock.json", lock())
    renew = ("pin", "pdf.json", "--update", "trip.lock.json", "-o")
    assert cardtrail(*renew, "kept.lock.json", cwd=here).code == 1
    assert cardtrail("check", "kept.lock.json", "pdf.json", cwd=here).code == 1
    assert '"application/json"' in (here / "kept.lock.json").read_text()
    less = cardtrail(*renew, "less.lock.json", "--need-less", cwd=here)
    assert (less.code, "[application/json] → []" in less.err) == (0, True)
    assert cardtrail("check", "less.lock.json", "pdf.json", cwd=here).code == 0


def test_an_update_never_ends_in_a_lock_that_needs_nothing(here: Path) -> None:
    written(here / "trip.lock.json", lock(requires={"streaming": True, "skills": {}, "extensions": []}))
    done = cardtrail("pin", "new.json", "--update", "trip.lock.json", "--need-less", cwd=here)
    assert (done.code, done.out, done.err.split()[0]) == (2, "", "error[argument-missing]")


def test_a_signed_card_verifies_and_a_changed_one_does_not(here: Path) -> None:
    assert cardtrail("sign", "card.json", "--key", "key.jwk", "-o", "signed.json", cwd=here).code == 0
    good = cardtrail("verify", "signed.json", "--keys", "keys.jwks", cwd=here)
    assert good.code == 0
    assert good.out.startswith("✓ verified      kid 2026-a  ES256  form ")
    assert good.out.splitlines()[-1] == "verified by 1 of 1: it says who wrote the card, not that it is true."
    assert good.err == "what form and not covered mean: cardtrail help signatures\n"
    assert " (fits as spec_filled, sdk_pruned" in good.out
    empty = "not covered: empty values in $.securitySchemes, $.securityRequirements, $.skills[*].securityRequirements: "
    assert f"{empty}an anonymous or mTLS alternative could be added or taken away" in good.out
    written(here / "forged.json", json.loads((here / "signed.json").read_text("utf-8")) | {"version": "9"})
    bad = cardtrail("verify", "forged.json", "--keys", "keys.jwks", "--json", cwd=here)
    assert (bad.code, bad.json["outcome"]) == (3, "invalid")
    assert bad.json["signatures"][0].keys() >= {"outcome", "kid", "alg", "form", "reason"}
    assert bad.json["signatures"][0]["reason"] == "no-form-matches"


@pytest.mark.parametrize("alg", ["ES256", "ES384", "ES512", "RS256", "PS512", "EdDSA", "Ed25519"])
def test_a_key_made_here_signs_what_its_published_half_verifies(here: Path, alg: str) -> None:
    made = cardtrail("sign", "--new-key", "new.jwk", "--alg", alg, "--kid", "2027-a", cwd=here)
    assert (here / "new.jwk").stat().st_mode & 0o077 == 0
    secret = json.loads((here / "new.jwk").read_text("utf-8"))
    assert secret["d"] not in made.out + made.err
    (key,) = json.loads(made.out)["keys"]
    assert {**key, **secret} == secret
    assert not {"d", "p", "q", "dp", "dq", "qi"} & key.keys()
    written(here / "new.jwks", made.json)
    assert cardtrail("sign", "card.json", "--key", "new.jwk", "-o", "signed.json", cwd=here).code == 0
    told = cardtrail("verify", "signed.json", "--keys", "new.jwks", "--json", cwd=here).json
    assert (told["outcome"], told["signatures"][0]["kid"], told["signatures"][0]["alg"]) == ("verified", "2027-a", alg)


def test_a_key_is_never_overwritten_and_never_made_beside_a_signature(here: Path) -> None:
    before = (here / "key.jwk").read_bytes()
    assert cardtrail("sign", "--new-key", "key.jwk", cwd=here).code == 2
    assert (here / "key.jwk").read_bytes() == before
    for words in (("card.json", "--new-key", "x.jwk"), ("--new-key", "x.jwk", "--alg", "none"), ("card.json",), ()):
        done = cardtrail("sign", *words, cwd=here)
        assert (done.code, done.err.startswith("error["), (here / "x.jwk").exists()) == (2, True, False)


def test_every_form_that_verify_names_is_explained_and_can_be_asked_for() -> None:
    explained, offered = cardtrail("help", "signatures").out, cardtrail("sign", "--help").out
    for form in FORMS:
        assert re.search(rf"^{form} ", explained, re.MULTILINE)
        assert form in offered


def test_an_absent_signature_is_fine_unless_one_is_required(here: Path) -> None:
    assert cardtrail("verify", "card.json", "--keys", "keys.jwks", "--json", cwd=here).json["outcome"] == "absent"
    assert cardtrail("verify", "card.json", "--keys", "keys.jwks", "--require", cwd=here).code == 3


def test_a_key_file_of_another_kind_is_told_apart(here: Path) -> None:
    written(here / "key.pem", "-----BEGIN PUBLIC KEY-----")
    done = cardtrail("verify", "card.json", "--keys", "key.pem", cwd=here)
    assert (done.code, done.err.split(": ")[0]) == (2, "error[keys-not-jwks] key.pem:1:1")


def test_a_private_key_is_never_shown(here: Path) -> None:
    secret = json.loads((here / "key.jwk").read_text("utf-8"))["d"]
    for arguments in (("--alg", "HS256"), ("--form", "x"), ("--json",), ()):
        done = cardtrail("sign", "card.json", "--key", "key.jwk", *arguments, cwd=here)
        assert secret not in done.out + done.err


def test_rules_explain_themselves_and_who_set_their_severity(here: Path) -> None:
    written(here / "trip.lock.json", lock(severities={"tags-changed": "review", "skill-added": None}))
    listed = cardtrail("rules", "--lock", "trip.lock.json", "--json", cwd=here).json["rules"]
    held = {rule["id"]: (rule["in_force"], rule["set_by"]) for rule in listed}
    assert held["tags-changed"] == ("review", "lock")
    assert held["skill-added"] == (None, "lock")
    assert held["skill-removed"] == ("breaking", "default")
    page = cardtrail("rules", "skill-removed", "CT017", "json-syntax", cwd=here).out
    assert all(word in page for word in ("skill-removed  ✗ breaking", "CT017  ✗ error", "json-syntax  exit 3"))
    tagged = cardtrail("rules", "--tag", "security", "--json", cwd=here).json["rules"]
    assert tagged
    assert all("security" in rule["tags"] for rule in tagged)
    assert cardtrail("rules", "skill-removd", cwd=here).err.splitlines()[1] == "hint: did you mean skill-removed?"


def test_error_codes_are_listed_with_their_exit_codes() -> None:
    errors = {error["code"]: error["exit"] for error in cardtrail("rules", "--errors", "--json").json["errors"]}
    assert errors.items() >= {"lock-tampered": 3, "agent-unreachable": 4, "option-value": 2}.items()


def test_a_card_that_cannot_be_called_is_named_when_nothing_can_be_pinned_or_compared(here: Path) -> None:
    foreign = [{"url": "https://x.example/", "protocolBinding": "SMOKE", "protocolVersion": "9.9"}]
    written(here / "foreign.json", card(supportedInterfaces=foreign))
    done = cardtrail("pin", "foreign.json", "--workflow", "w", "--everything", cwd=here)
    assert (done.code, done.err.split(": ")[0]) == (3, "error[profile-unusable] foreign.json")


def test_a_hint_never_names_what_was_given(here: Path) -> None:
    (here / "folder").mkdir()
    told, hint = cardtrail("lint", "folder", cwd=here).err.splitlines()
    assert told == "error[file-unreadable] folder: is a directory"
    assert "folder" not in hint
