"""A gate that needs signatures checks them itself, by the keys of the caller or of the settings, as a look does."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.card.sign import sign
from tests.services.card.signers import ORIGIN, PRIVATE, a_card, b64, public
from tests.services.cli.program import Done, cardtrail

SIGNED = sign(a_card(), PRIVATE["ec"])
FORGED = SIGNED | {"description": "Quotes rates, and more."}
STRANGER = sign(a_card(), PRIVATE["ed"])
NONE = SIGNED | {"signatures": [{"protected": b64(b'{"alg": "none", "kid": "ec"}'), "signature": "AA"}]}
Ask = Callable[..., Done]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    for name, content in {
        "signed": SIGNED,
        "forged": FORGED,
        "plain": a_card(),
        "stranger": STRANGER,
        "none": NONE,
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [public("ec")]}))
    (tmp_path / "trusting.toml").write_text(f'[keys]\n"{ORIGIN}" = "keys.json"\n')
    pinned = cardtrail("pin", "plain.json", "--workflow", "w", "--everything", cwd=tmp_path)
    lock: dict[str, Any] = json.loads(pinned.out)
    (tmp_path / "any.lock.json").write_text(json.dumps(lock))
    lock.pop("integrity", None)
    (tmp_path / "demands.lock.json").write_text(json.dumps(lock | {"signer": {"required": True}}))

    def asked(*arguments: str) -> Done:
        return cardtrail(*arguments, cwd=tmp_path)

    return asked


@pytest.mark.parametrize(
    ("lock", "card", "verdict", "code"),
    [
        ("demands", "signed", "compatible", 0),
        ("demands", "plain", "breaking", 1),
        ("demands", "stranger", "breaking", 1),
        ("demands", "forged", "breaking", 3),
        ("demands", "none", "breaking", 3),
        ("any", "signed", "compatible", 0),
        ("any", "plain", "compatible", 0),
        ("any", "stranger", "compatible", 0),
        ("any", "forged", "review", 3),
    ],
)
@pytest.mark.parametrize("keys", [("--keys", "keys.json"), ("--config", "trusting.toml")])
def test_a_lock_is_judged_by_what_the_signatures_are_worth(  # noqa: PLR0913, PLR0917 — the columns of the table
    ask: Ask, keys: tuple[str, ...], lock: str, card: str, verdict: str, code: int
) -> None:
    done = ask("check", f"{lock}.lock.json", f"{card}.json", *keys, "--json")
    assert (done.json["verdict"], done.code) == (verdict, code)
    assert (done.json["error"] or {}).get("code") == ("signature-invalid" if code == 3 else None)


@pytest.mark.parametrize(("kid", "verdict"), [("ec", "compatible"), ("ed", "breaking")])
def test_a_lock_names_the_key_as_the_signature_does(ask: Ask, tmp_path: Path, kid: str, verdict: str) -> None:
    lock = json.loads((tmp_path / "demands.lock.json").read_text())
    (tmp_path / "named.lock.json").write_text(json.dumps(lock | {"signer": {"required": True, "kids": [kid]}}))
    assert ask("check", "named.lock.json", "signed.json", "--keys", "keys.json", "--json").json["verdict"] == verdict


def test_without_keys_nobody_can_tell_and_the_lock_that_demands_one_says_so(ask: Ask) -> None:
    done = ask("check", "demands.lock.json", "signed.json", "--json")
    assert done.code == 1
    assert done.json["findings"][0]["message"] == "the signature cannot be verified"


def test_what_is_not_what_was_signed_is_not_pinned_and_what_is_keeps_its_signer(ask: Ask) -> None:
    refused = ask("pin", "forged.json", "--workflow", "w", "--everything", "--config", "trusting.toml")
    assert (refused.code, refused.err.split()[0]) == (3, "error[signature-invalid]")
    done = ask("pin", "signed.json", "--workflow", "w", "--everything", "--config", "trusting.toml")
    assert json.loads(done.out)["baseline"]["identity"]["signature"] == "verified"


@pytest.mark.parametrize(
    ("after", "rules"),
    [("signed", []), ("plain", ["signature-lost"]), ("stranger", ["signature-unverifiable"])],
)
def test_a_signature_pinned_with_keys_or_met_in_the_old_card_is_missed_when_it_goes(
    ask: Ask, tmp_path: Path, after: str, rules: list[str]
) -> None:
    keys = ("--keys", "keys.json")
    assert ask("pin", "signed.json", "--workflow", "w", "--everything", *keys, "-o", "kept.lock.json").code == 0
    bare = json.loads((tmp_path / "kept.lock.json").read_text()) | {"baseline": None}
    (tmp_path / "bare.lock.json").write_text(json.dumps(bare))
    for given in (("kept.lock.json",), ("bare.lock.json", "--baseline", "signed.json")):
        lock, *old = given
        found = json.loads(ask("check", lock, f"{after}.json", *old, *keys, "--json").out)["findings"]
        assert [one["rule"] for one in found] == rules
