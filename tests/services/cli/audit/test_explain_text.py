"""`explain` for people: since when it stands, when it was decided, and each fact by what it is."""

from datetime import UTC, datetime

from cardtrail.events.fact import instant
from cardtrail.services.cli.audit.explain_text import lines
from cardtrail.services.cli.live.story import told_fact
from cardtrail.services.cli.outputs.explain import ExplainedCause, ExplainOutput
from cardtrail.services.cli.shell.console import Style
from tests.services.audit.test_explain import breaking, explained, flapping
from tests.services.decider.scene import Scene

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def text(scene: Scene) -> list[str]:
    fold = explained(scene)
    found = ExplainOutput(
        format="cardtrail.explain/1",
        sequence=fold.decision.sequence,
        id=fold.decision.fact.id,
        stored_at=instant(fold.decision.stored_at),
        agent="pricing",
        decision=fold.event,
        superseded_by=None,
        reasons=tuple(fold.reasons({})),
        causes=tuple(ExplainedCause(role=each.role, **dict(told_fact(each.stored))) for each in fold.causes()),
        missing=fold.missing,
        stands=fold.stands,
    )
    return list(lines(found, Style(columns=80), NOW))


def test_what_stands_since_and_what_was_decided_when_are_two_things() -> None:
    scene = breaking()
    scene.acknowledge(scene.told[-1].data.findings[0].fingerprint)  # type: ignore[attr-defined]
    head, decided, *_ = text(scene)
    assert head == "✗ breaking  trip × pricing  since 11-30 08:08:00, was compatible"
    assert decided.startswith("stop · decided 11-30 08:09:00, brought by acknowledgement  fact ")


def test_an_acknowledgement_that_a_decision_rests_on_is_called_accepted() -> None:
    scene = breaking()
    scene.acknowledge(scene.told[-1].data.findings[0].fingerprint)  # type: ignore[attr-defined]
    told = text(scene)
    (cause,) = [line for line in told[told.index("rests on, newest first:") :] if line.strip().startswith("accepted")]
    assert ", by mira" in cause
    assert not any(line.strip().startswith("other") for line in told)


def test_a_finding_of_a_card_that_takes_turns_names_the_look_that_showed_it() -> None:
    told = text(flapping(3))
    look = next(line.split() for line in told if line.strip().startswith("look "))
    number = look[2].rstrip(",")
    assert any(line.strip().startswith("body ") and f"fact {number} " in line for line in told)
