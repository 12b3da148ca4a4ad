"""JUnit XML for GitLab, Jenkins and report actions: a test case per rule applied, so that a finding that is gone shows as passed.

GitLab shows `classname` as the suite, drops a second equal classname + name and reads only the body of `failure`; XML 1.0 forbids
most control characters, whatever their encoding.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator

from cardtrail.services.cli.formats.place import path
from cardtrail.services.cli.formats.report import Place, Remark, Report, Section
from cardtrail.services.cli.formats.words import facts, message, pair
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.failure import error_lines
from cardtrail.services.cli.shell.text import plain

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, style: Style) -> str:
    """One testsuite per card, called by the pair, and by the card too where several cards are of one pair."""
    del style
    root = ET.Element("testsuites", name=f"cardtrail {report.tool}", time="0")
    seen: Counter[tuple[str, str]] = Counter()
    many = Counter(pair(section) for section in report.sections)
    for section in report.sections:
        _suite(root, report, section, _called(section, many), seen)
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _called(section: Section, many: Counter[str]) -> str:
    """The pair; several cards of one pair are told apart by where they are."""
    name, card = pair(section), plain(section.card)
    return _legal(f"{name} ({card})" if many[name] > 1 and section.agent else name)


def _suite(root: ET.Element, report: Report, section: Section, name: str, seen: Counter[tuple[str, str]]) -> None:
    suite = ET.SubElement(root, "testsuite", name=name, time="0", skipped="0")
    found = {remark.rule for remark in section.remarks}
    passing = (rule for rule in section.applied if rule not in found)
    if section.failure is not None:
        problem = section.failure
        broken = plain(problem.code) if report.failed else "card-readable"
        case = _case(suite, broken, seen, section.failed_at)
        what = f"{plain(problem.code)}: {plain(problem.message)}"
        body = "\n".join(error_lines(Style(), problem))
        ET.SubElement(case, "error", type=_legal(plain(problem.code)), message=_legal(what)).text = _legal(body)
    for remark in (*section.remarks, *section.beside):
        case = _case(suite, f"{remark.rule} {remark.subject}", seen, remark.place)
        _outcome(case, report, section, remark)
    for rule in passing:
        _case(suite, rule, seen, Place(section.file or section.card))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("errors", str(len(suite.findall("*/error"))))


def _case(suite: ET.Element, name: str, seen: Counter[tuple[str, str]], place: Place) -> ET.Element:
    classname, name = suite.get("name", ""), _legal(plain(name).strip())
    seen[(classname, name)] += 1
    again = seen[(classname, name)]
    unique = name if again == 1 else f"{name} ({again})"
    line = {"line": str(place.line)} if place.line else {}
    file = _legal(path(place.file))
    return ET.SubElement(suite, "testcase", {"classname": classname, "name": unique, "file": file, **line, "time": "0"})


def _outcome(case: ET.Element, report: Report, section: Section, remark: Remark) -> None:
    body = _legal("\n".join(_body(report, section, remark)))
    if report.fails(remark):
        ET.SubElement(case, "failure", type=_legal(plain(remark.rule)), message=_legal(message(remark))).text = body
    else:
        ET.SubElement(case, "system-out").text = body


def _body(report: Report, section: Section, remark: Remark) -> Iterator[str]:
    yield f"{remark.severity}: {message(remark)}"
    yield from (f"{name:<7} {value}" for name, value in facts(remark))
    yield f"card    {plain(section.card)} {plain(remark.path)}".rstrip()
    if remark.hint:
        yield f"hint    {plain(remark.hint)}"
    if remark.rule in report.rules:
        yield f"help    {report.rules[remark.rule].title}. More: cardtrail rules {remark.rule}"
    if remark.fingerprint:
        yield f"print   {remark.fingerprint}"


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("", text)
