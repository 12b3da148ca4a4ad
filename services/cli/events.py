"""`cardtrail events`: the event types that make up the log."""

from cardtrail.events import EVENTS
from cardtrail.events.fact import AgentEvent, Event
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command("events", "cardtrail events", "cardtrail events --json", "cardtrail schema event.card-fetched")
def run(console: Console) -> None:
    """List the event types that make up the log.

    Each is a CloudEvent; its schema is printed by `cardtrail schema event.KIND`.
    """
    found = [_row(event) for event in EVENTS.values()]
    if console.json:
        console.document({"format": "cardtrail.events/1", "events": found})
    else:
        rows = [(str(row["kind"]), f"v{row['version']}", str(row["subject"]), str(row["summary"])) for row in found]
        console.lines(*console.out.table(("EVENT", "VERSION", "SUBJECT", "SAYS"), rows))


def _row(event: type[Event]) -> dict[str, object]:
    return {
        "kind": event.kind,
        "type": event.type_name(),
        "version": event.version,
        "subject": subject_pattern(event),
        "summary": summary(event),
    }


def subject_pattern(event: type[Event]) -> str:
    """The subject on which it is told, places in angle brackets."""
    if event.kind == "change-decided":
        return "cardtrail.decisions.<workflow>.<agent>"
    if issubclass(event, AgentEvent):
        return f"cardtrail.events.<shard>.<agent>.<principal>.{event.kind}.<key>"
    return f"cardtrail.ledger.{event.kind}"


def summary(event: type[Event]) -> str:
    """The first sentence of its documentation."""
    return (event.__doc__ or "").split("\n")[0].strip()
