"""Whatever reason an output shows, `cardtrail rules` explains it: the catalogue against the places that make the codes."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import pytest

from cardtrail.events.card_refused import Stage
from cardtrail.events.change_decided import Action
from cardtrail.events.model.evidence import Outcome
from cardtrail.events.model.finding import Verdict
from cardtrail.services.cli.catalogue.entries import catalogue
from cardtrail.services.cli.catalogue.error_codes import ERRORS
from cardtrail.services.cli.catalogue.reasons import REASONS
from cardtrail.services.cli.outputs import can_i_delegate, status
from cardtrail.services.cli.outputs.rules import About
from cardtrail.services.outbound.call import Fault
from cardtrail.services.outbound.special import RANGES
from cardtrail.services.planner import call, permission, values
from tests.house.tree import modules
from tests.services.cli.program import cardtrail

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
BESIDE = {*get_args(Stage), *get_args(Fault)}
LITERALS: dict[str, tuple[Any, ...]] = {
    "call": (call.Refusal,),
    "delegation": (permission.Code,),
    "test": (Outcome,),
    "standing": (Action, Verdict, values.Word, *get_args(status.Standing), can_i_delegate.Proof),
}
CALLS: tuple[tuple[str, str, str, int | str], ...] = (
    ("look", r"services/(outbound|fetcher)/.*", "Refused|Refusal|Unusable", 1),
    ("look", r"services/fetcher/extended.py", "_refusal_at", 2),
    ("candidate", r"services/planner/.*", "Rejection", "reason"),
    ("test", r"services/prober/.*", "held|contradicted|inconclusive", 0),
    ("test", r"services/prober/.*", "ProbeRecorded", "reason"),
    ("registry", r"services/fetcher/.*", "EntryRefused", "reason"),
    ("registry", r"services/fetcher/.*", "Listing", "problem"),
    ("registry", r"services/fetcher/.*", "fail", 0),
    ("notice", r"services/notifier/.*", "Delivery", "problem"),
    ("endpoint", r"services/outbound/address.py", "JudgedHost|JudgedUrl", "reason"),
)
"""About, modules, what is called there, and which of its arguments is the code."""
RETURNS: tuple[tuple[str, str, str], ...] = (
    ("endpoint", r"services/outbound/address.py", r".*"),
    ("look", r"services/fetcher/(extended|observe).py", r"_refusal|_class_of"),
    ("candidate", r"services/planner/filters.py", r"_scheme"),
    ("test", r"services/prober/allowance.py", r"disagreed|refusal"),
    ("registry", r"services/fetcher/(page|pages|listed|sources/[a-z0-9_]+).py", r".*"),
)
"""About, modules, functions that return a code or \"\"."""
NAMES: tuple[tuple[str, str, str], ...] = (
    ("endpoint", r"services/outbound/address.py", r"reason"),
    ("look", r"services/outbound/faults.py", r"FAULTS|_CERTIFICATE"),
    ("look", r"services/fetcher/(observe|extended).py", r"_STATUS|_REFUSED"),
    ("test", r"services/prober/.*", r"_REFUTING|_NO_EVIDENCE|_STRANGE|MISMATCHED|fault"),
    ("registry", r"services/fetcher/(page|pages|listed).py", r"_NO_LISTING|_STATUS|_PROBLEMS?|reason"),
    ("registry", r"services/fetcher/sources/.*", r"problem"),
    ("notice", r"services/notifier/owners.py", r"GAVE_UP"),
    ("report", r"services/observer/receive.py", r"_LOCAL"),
)
"""About, modules, names to which codes, or tables of them, are given."""


def texts(node: ast.AST | None) -> Iterator[str]:
    """The constant texts that an expression may come to, and those in a table."""
    match node:
        case ast.Constant(value=str() as text) if KEBAB.fullmatch(text):
            yield text
        case ast.JoinedStr(values=[ast.Constant(value=str() as text), *_]) if text.endswith(": "):
            yield text.removesuffix(": ")
        case ast.IfExp():
            yield from (*texts(node.body), *texts(node.orelse))
        case ast.BoolOp() | ast.Dict():
            yield from (text for each in node.values for text in texts(each))
        case ast.Tuple() | ast.Set() | ast.List():
            yield from (text for each in node.elts for text in texts(each))
        case ast.Call(func=ast.Attribute(attr="get"), args=[_, default]):
            yield from texts(default)


def _called(node: ast.Call, place: int | str) -> ast.AST | None:
    if isinstance(place, int):
        return node.args[place] if len(node.args) > place else None
    return next((each.value for each in node.keywords if each.arg == place), None)


def made(about: About) -> set[str]:
    """Every code that the sources make of this kind."""
    found = {text for literal in LITERALS.get(about, ()) for text in get_args(literal) if isinstance(text, str)}
    for kind, where, name, place in CALLS:
        calls = [one for one in _nodes(where) if isinstance(one, ast.Call) and re.fullmatch(name, _name(one.func))]
        found |= {text for one in calls if kind == about for text in texts(_called(one, place))}
    for kind, where, name in RETURNS:
        bodies = [one for one in _nodes(where) if isinstance(one, ast.FunctionDef) and re.fullmatch(name, one.name)]
        returned = [each for one in bodies if kind == about for each in ast.walk(one) if isinstance(each, ast.Return)]
        found |= {text for each in returned for text in texts(each.value)}
    for kind, where, name in NAMES:
        given = [value for target, value in _given(where) if kind == about and re.fullmatch(name, target)]
        found |= {text for value in given for text in texts(value)}
    if about == "endpoint":
        found |= {name for name, _ in RANGES}
    return found - BESIDE if about == "look" else found


@cache
def _nodes(where: str) -> list[ast.AST]:
    return [node for path, tree in modules().items() if re.fullmatch(where, path) for node in ast.walk(tree)]


def _given(where: str) -> Iterator[tuple[str, ast.AST | None]]:
    for node in _nodes(where):
        if isinstance(node, ast.AnnAssign):
            yield _name(node.target), node.value
        elif isinstance(node, ast.Assign):
            yield from ((_name(target), node.value) for target in node.targets)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


@pytest.mark.parametrize("about", sorted(REASONS))
def test_every_reason_that_is_made_is_explained_and_no_row_outlives_its_source(about: About) -> None:
    rows = set(REASONS[about])
    assert made(about) - rows - set(ERRORS) == set()
    assert rows - made(about) == set()


def test_a_new_reason_without_a_row_is_seen() -> None:
    tree = ast.parse('def f():\n    raise Refused("fetch", "a-new-one" if late else _OLD.get(x, "another"), "said")')
    (call_,) = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and _name(one.func) == "Refused"]
    assert set(texts(_called(call_, 1))) == {"a-new-one", "another"}


def test_each_says_something_and_what_to_do() -> None:
    for reason in catalogue().reasons:
        assert KEBAB.fullmatch(reason.code), reason
        assert reason.title[0].isupper(), reason
        assert not reason.title.endswith("."), reason
        assert reason.hint, reason


def test_a_reason_that_stands_in_several_places_is_explained_for_each() -> None:
    done = cardtrail("rules", "stale", "token-host-untrusted", "total-differs", "--json")
    said = {(one["code"], one["about"]) for one in done.json["reasons"]}
    assert said == {
        ("stale", "candidate"), ("stale", "delegation"), ("stale", "standing"),
        ("token-host-untrusted", "candidate"), ("total-differs", "registry"),
    }  # fmt: skip
