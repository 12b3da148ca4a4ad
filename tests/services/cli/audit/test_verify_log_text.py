"""What `verify-log` says to people: nothing of heads where there are none, nothing of signers where none is trusted."""

import pytest

from cardtrail.services.cli.audit.verify_log_text import log_lines
from cardtrail.services.cli.outputs.verify_log import VerifyLogOutput
from cardtrail.services.cli.shell.console import Style

KEY = "desk+814b397b+AbWNDCVqo5crvRBfwWpG+5hNsIB4A422Fdp6fLOF83I4"


def output(heads: list[bool], keys: tuple[str, ...], unsealed: int) -> VerifyLogOutput:
    """Of a log; a head is signed by a trusted key, or by nobody trusted."""
    found = [
        {"size": 7, "through": 7, "root": "r", "where": "fact 7", "signed": signed, "matches": True} for signed in heads
    ]
    counts = {"leaves": 9, "facts": 9, "hidden": 0, "through": 9, "unsealed": unsealed}
    told = {"format": "cardtrail.verify-log/1", "source": "here", "keys": keys, "problems": ()}
    span = {"unsealed_first": 8, "unsealed_last": 9} if unsealed else {}
    checked = {**counts, **span, "heads": found, "alteration": None}
    return VerifyLogOutput.model_validate({**told, "checked": checked})


def said(heads: list[bool], keys: tuple[str, ...], unsealed: int, *, bundle: bool = False) -> list[str]:
    """The lines behind the verdict."""
    return list(log_lines(output(heads, keys, unsealed), Style(colour=False), bundle=bundle))[1:]


@pytest.mark.parametrize("keys", [(), (KEY,)])
def test_a_log_without_heads_is_one_that_no_head_covers(keys: tuple[str, ...]) -> None:
    assert said([], keys, 9) == ["9 facts that no signed head covers: cardtrail seal"]


def test_heads_that_nobody_can_check_are_said_to_be_such() -> None:
    assert said([False], (), 0) == ["1 head, none can be checked: no key is trusted here (--key)"]


def test_heads_are_signed_by_those_who_are_trusted() -> None:
    assert said([True, False], (KEY,), 2) == [
        "2 heads, 1 signed by desk",
        "2 facts behind the last signed head: cardtrail seal",
    ]


@pytest.mark.parametrize(
    ("heads", "keys", "good", "verdict"),
    [([], (), False, "? unsigned"), ([False], (), False, "? unsigned"), ([True], (KEY,), True, "✓ sealed")],
)
def test_what_no_trusted_key_signed_is_not_shown_to_be_the_log_that_was_sealed(
    heads: list[bool], keys: tuple[str, ...], good: bool, verdict: str
) -> None:
    found = output(heads, keys, 0)
    assert found.good is good
    assert next(iter(log_lines(found, Style(colour=False)))).startswith(verdict)


def test_of_a_bundle_the_facts_that_are_not_proven_are_named_and_nobody_is_told_to_seal() -> None:
    assert said([True], (KEY,), 2, bundle=True) == [
        "1 head, 1 signed by desk",
        "not proven: 2 facts, from 8 to 9: they came after its last signed head",
    ]
    assert said([False], (), 9, bundle=True)[-1] == "none of its facts is proven"
