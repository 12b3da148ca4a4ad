"""The evidence story as lines for a terminal. Pure: values in, lines out."""

from collections.abc import Iterator

from cardtrail.events import ProbeRecorded
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.demo.evidence import Turn
from cardtrail.services.demo.show import line

_LEVELS: dict[str, Level] = {"held": "ok", "contradicted": "error", "inconclusive": "warning"}
_VERDICTS: dict[str, Level] = {"compatible": "ok", "review": "warning", "breaking": "error"}


def turn(number: int, told: Turn, style: Style) -> Iterator[str]:
    """What was called and tested, the verdict, what planner and owner got."""
    yield ""
    yield f"{number}. {told.title}"
    if told.call:
        yield line("call", told.call)
    for probe in told.probes:
        yield line("probe", _probe(probe, style))
    if told.received is not None:
        decision = told.received.decision
        word = "recovered" if decision.recovered else decision.verdict
        rules = ", ".join(dict.fromkeys(finding.rule for finding in decision.findings if finding.severity != "note"))
        yield line("verdict", f"{style.marked(_VERDICTS[decision.verdict], word)}  {rules}".rstrip())
        after = f"{told.received.after_ms:.0f} ms after the probe was recorded"
        yield line("planner", f"received {decision.verdict}, action {decision.action}, {after}")
    yield line("used", plain(str(told.route.get("use") or told.route.get("person") or "nobody")))
    for notified, message in zip(told.notified, told.messages, strict=False):
        yield line("owner", f"told on {plain(notified.channel)}, HTTP {notified.status}: {plain(message)}")


def _probe(probe: ProbeRecorded, style: Style) -> str:
    claim = " ".join(part for part in (probe.claim.kind, probe.claim.value) if part)
    latency = "" if probe.p50_ms is None else f", {probe.p50_ms:.0f} ms"
    return f"{style.marked(_LEVELS[probe.outcome], probe.outcome)}  {plain(claim)}: {plain(probe.reason)}{latency}"
