import shlex

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.web.views.acknowledge import AcknowledgeView, acknowledge_view, acknowledged
from tests.services.cli.cards import HOSTILE
from tests.services.web.scene import NOW, known, story

PRINT = "streaming-withdrawn"


def shown(**said: str) -> AcknowledgeView:
    return acknowledge_view(known(story().facts), {"fingerprint": PRINT, **said}, NOW, read_only=False)


def test_what_is_confirmed_is_what_is_told_and_what_the_command_does() -> None:
    view = shown(reason="agreed with the partner", until="2027-01-31T00:00", by="mira")
    assert view.problem == ""
    event = acknowledged(view)
    assert (event.agent, event.workflow, event.fingerprint, event.by) == ("pricing", "trip", PRINT, "mira")
    assert (event.reason, event.until) == ("agreed with the partner", "2027-01-31T00:00:00.000Z")
    words = shlex.split(view.command)
    assert words[:3] == ["cardtrail", "ack", PRINT[:12]]
    assert words[words.index("--reason") + 1] == "agreed with the partner"
    assert words[words.index("--until") + 1] == event.until


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"by": "mira"}, "a reason is needed"),
        ({"reason": "why"}, "who accepts it is needed"),
        ({"reason": "why", "by": "mira", "until": "2020-01-01"}, "2020-01-01T00:00:00.000Z has passed"),
        ({"reason": "why", "by": "mira", "until": "soon"}, '"soon" is no time'),
    ],
)
def test_what_is_missing_is_said_before_anything_is_told(said: dict[str, str], problem: str) -> None:
    assert shown(**said).problem == problem


def test_a_finding_that_is_not_open_cannot_be_accepted() -> None:
    with pytest.raises(UsageError) as refused:
        shown(fingerprint="gone")
    assert refused.value.code == "fingerprint-unknown"


def test_a_hostile_reason_stays_one_word_of_the_command_and_is_bounded() -> None:
    view = shown(reason=HOSTILE * 50, by=HOSTILE * 50)
    words = shlex.split(view.command)
    assert words[words.index("--reason") + 1] == view.reason
    assert len(view.reason) <= 500
    assert len(view.by) <= 100
