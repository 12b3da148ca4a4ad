"""`verify-log` for people: what was checked, by which heads and keys, and the first fact that is not as it was sealed."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.outputs.verify_log import VerifyLogOutput, VerifyProofOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.ledger.check import Alteration, Checked

_WORD = 10
_WHAT = {
    "altered": "is not what was sealed",
    "missing": "is gone",
    "added": "was not there when it was sealed",
    "differs": "was altered, taken out or put in",
}


def log_lines(found: VerifyLogOutput, style: Style, *, bundle: bool = False) -> Iterator[str]:
    """The verdict first, then what it rests on; whoever has a `bundle` cannot seal the log that it came from."""
    one = found.checked
    signed = [head for head in one.heads if head.signed and head.matches]
    if one.alteration is not None:
        yield f"{style.marked('error', 'altered', _WORD)}  {_alteration(one.alteration)}"
    for head in one.heads:
        if head.matches is False:
            yield f"{style.marked('error', 'differs', _WORD)}  the head over {head.size} leaves ({plain(head.where)})"
    for problem in found.problems:
        yield f"{style.marked('error', 'false', _WORD)}  {plain(problem)}"
    if found.intact:
        word = style.marked("ok", "sealed", _WORD) if signed else style.marked("unknown", "unsigned", _WORD)
        yield f"{word}  {counted(one.leaves, 'fact')} through {one.through}: {'all heads match' if one.heads else 'no head'}"
    if one.heads:
        yield _heads(found, len(signed))
    if bundle and not signed:
        yield "none of its facts is proven"
    elif one.unsealed:
        yield _unsealed(one, bundle=bundle, signed=bool(signed))
    if one.hidden:
        yield f"{counted(one.hidden, 'fact')} redacted: their place is proven, their text is not"


def _unsealed(one: Checked, *, bundle: bool, signed: bool) -> str:
    facts = counted(one.unsealed, "fact")
    if bundle:
        first, last = one.unsealed_first, one.unsealed_last
        which = f"fact {first}: it" if first == last else f"{facts}, from {first} to {last}: they"
        return f"not proven: {which} came after its last signed head"
    what = "behind the last signed head" if signed else "that no signed head covers"
    return f"{facts} {what}: cardtrail seal"


def _heads(found: VerifyLogOutput, signed: int) -> str:
    untold = sum(head.matches is None for head in found.checked.heads)
    names = ", ".join(plain(key.partition("+")[0]) for key in found.keys)
    by = f"{signed} signed by {names}" if names else "none can be checked: no key is trusted here (--key)"
    return f"{counted(len(found.checked.heads), 'head')}, {by}" + (f", {untold} not decided" if untold else "")


def proof_lines(found: VerifyProofOutput, style: Style) -> Iterator[str]:
    """One line, and why not where it does not hold."""
    one = found.proof
    where = f"fact {one.sequence} under the head of {plain(one.origin)} over {one.size} leaves"
    if not one.holds:
        yield f"{style.marked('error', 'false', _WORD)}  {where}: {one.problem}"
    elif not one.signed:
        yield f"{style.marked('unknown', 'unsigned', _WORD)}  {where}: no key that is trusted here signed it (--key)"
    else:
        by = ", ".join(plain(key.partition("+")[0]) for key in one.signed)
        yield f"{style.marked('ok', 'proven', _WORD)}  {where}, signed by {by}"
    if one.older_size is not None and one.holds:
        by = "" if one.older_signed else ", signed by nobody trusted here"
        yield f"the log of {one.older_size} leaves is its beginning{by}"


def _alteration(one: Alteration) -> str:
    if one.sequence is None:
        return f"some fact behind {one.after} up to {one.through} {_WHAT[one.what]}"
    sure = "" if one.confirmed else ", says the record; no signed head confirms it"
    return f"fact {one.sequence} {_WHAT[one.what]}{sure}"
