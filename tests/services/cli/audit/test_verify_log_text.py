"""What `verify-log` says to people: nothing of heads where there are none, nothing of signers where none is trusted."""

import pytest

from cardtrail.services.cli.audit.verify_log_text import log_lines
from cardtrail.services.cli.outputs.verify_log import VerifyLogOutput
from cardtrail.services.cli.shell.console import Style

KEY = "desk+814b397b+AbWNDCVqo5crvRBfwWpG+5hNsIB4A422Fdp6fLOF83I4"


def said(heads: list[bool], keys: tuple[str, ...], unsealed: int) -> list[str]:
    """The lines behind the verdict; a head is signed by a trusted key, or by nobody trusted."""
    found = [
        {"size": 7, "through": 7, "root": "r", "where": "fact 7", "signed": signed, "matches": True} for signed in heads
    ]
    counts = {"leaves": 9, "facts": 9, "hidden": 0, "through": 9, "unsealed": unsealed}
    told = {"format": "cardtrail.verify-log/1", "source": "here", "keys": keys, "problems": ()}
    checked = {**counts, "heads": found, "alteration": None}
    return list(log_lines(VerifyLogOutput.model_validate({**told, "checked": checked}), Style(colour=False)))[1:]


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
