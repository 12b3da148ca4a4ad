"""What an event says on one line of a history."""

import pytest

from cardtrail.events.model.evidence import Claim
from cardtrail.events.runtime_error_observed import RuntimeErrorObserved
from cardtrail.services.cli.live.words import said as told
from cardtrail.services.cli.live.words import tracking


@pytest.mark.parametrize(
    ("claim", "attribution", "said"),
    [
        (Claim(kind="streaming"), "provider", "; contradicts streaming (provider)"),
        (None, "throttle", "; contradicts no claim (throttle)"),
        (None, "unknown", "; contradicts no claim"),
    ],
)
def test_a_failed_call_says_which_claim_it_contradicts_or_none_and_whose_fault_it_was(
    claim: Claim | None, attribution: str, said: str
) -> None:
    event = RuntimeErrorObserved.model_validate({
        "agent": "a", "workflow": "trip", "operation": "SendMessage", "error": "http-429", "profile_digest": "",
        "contradicts": claim, "attribution": attribution,
    })  # fmt: skip
    assert told(event)[1] == f"SendMessage: http-429, trip{said}"


def test_who_is_named_by_a_place_is_tracked_by_it_and_a_name_is_quoted_for_a_shell() -> None:
    assert tracking("https://fares.example/card.json") == "cardtrail track https://fares.example/card.json"
    assert tracking("the spare one") == "cardtrail track TARGET --name 'the spare one'"
