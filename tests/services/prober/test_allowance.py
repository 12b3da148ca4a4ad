"""The safety contract: without one no message leaves; with one only what was agreed, as often and when it was agreed."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Interface
from cardtrail.services.contract import QuietHours, SafetyContract, contract_digest
from cardtrail.services.prober.allowance import disagreed, earliest, message_for, refusal
from cardtrail.services.prober.probes import PROBES

NOW = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
MESSAGE = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "ping"}]}
AGREED = SafetyContract(message=MESSAGE, budget=2, rate_s=60)


INTERFACE = Interface(url="https://api.partner.example/rpc", binding="JSONRPC", version="1.0")
STREAMING = Claim(kind="streaming")


def ask(contract: SafetyContract | None, *, runs: bool = True, spent: tuple[datetime, ...] = ()) -> str:
    return refusal(contract, runs_message=runs, spent=spent, now=NOW)


def agreed(contract: SafetyContract | None, probe: str = "streaming", claim: Claim = STREAMING, **more: str) -> str:
    home = more.get("home", "www.partner.example")
    return disagreed(contract, PROBES[probe], claim, INTERFACE, home)


def test_without_a_contract_only_requests_that_run_no_message_leave() -> None:
    assert agreed(None) == ask(None) == "no-contract"
    assert agreed(None, "binding-answers") == ask(None, runs=False) == ""


def test_an_agreed_probe_may_run() -> None:
    assert agreed(AGREED) == ask(AGREED) == ""


def test_only_the_probes_and_the_skill_agreed_may_be_tested() -> None:
    assert agreed(AGREED.model_copy(update={"probes": ("input-mode",)})) == "not-agreed"
    other = Claim(kind="output-mode", skill="booking", value="application/json")
    assert agreed(AGREED.model_copy(update={"skill": "echo"}), "output-mode", other) == "not-agreed"
    assert agreed(AGREED.model_copy(update={"skill": "booking"}), "output-mode", other) == ""


def test_a_message_goes_to_the_site_of_the_card_or_to_the_hosts_agreed_and_nowhere_else() -> None:
    assert agreed(AGREED, home="partner.other") == "host-not-agreed"
    assert agreed(AGREED.model_copy(update={"hosts": ("api.partner.example",)}), home="partner.other") == ""
    assert agreed(AGREED.model_copy(update={"hosts": ("test.partner.example",)})) == "host-not-agreed"


def test_an_input_mode_is_tested_only_with_a_message_that_carries_it() -> None:
    pdf = Claim(kind="input-mode", skill="s", value="Application/PDF")
    text = Claim(kind="input-mode", skill="s", value="text/plain")
    other = {"parts": [{"raw": "", "mediaType": "application/pdf"}]}
    both = AGREED.model_copy(update={"messages": {"application/pdf": other}})
    assert agreed(AGREED, "input-mode", pdf) == "no-message"
    assert agreed(AGREED, "input-mode", text) == ""
    assert message_for(both, pdf, INTERFACE) == {"messageId": "cardtrail-probe", "role": "ROLE_USER", **other}
    assert message_for(both, text, INTERFACE) == MESSAGE


def test_the_next_instant_keeps_rate_budget_and_quiet_hours() -> None:
    tight = AGREED.model_copy(update={"budget": 1, "rate_s": 600})
    minute = NOW - timedelta(minutes=1)
    assert earliest(None, NOW, runs_message=False, spent=()) == NOW
    assert earliest(AGREED, NOW, runs_message=True, spent=(NOW,)) == NOW + timedelta(seconds=60)
    assert earliest(tight, NOW, runs_message=True, spent=(minute,)) == minute + timedelta(days=1)
    night = AGREED.model_copy(update={"quiet": (QuietHours(start="22:00", end="06:00"),)})
    assert earliest(night, NOW, runs_message=True, spent=()) == datetime(2026, 12, 1, 6, tzinfo=UTC)


@pytest.mark.parametrize("never", [{"budget": 0}, {"quiet": (QuietHours(start="00:00", end="00:00"),)}])
def test_what_may_never_be_sent_is_put_off_for_a_day_and_never_sent(never: dict[str, object]) -> None:
    contract = AGREED.model_copy(update=never)
    at = earliest(contract, NOW, runs_message=True, spent=())
    assert at >= NOW + timedelta(days=1)
    assert refusal(contract, runs_message=True, spent=(), now=at)


def test_the_budget_holds_for_a_day_and_the_rate_for_its_seconds() -> None:
    old = NOW - timedelta(hours=25)
    hour = NOW - timedelta(hours=1)
    assert ask(AGREED, spent=(old, old, old)) == ""
    assert ask(AGREED, spent=(hour, hour)) == "budget-spent"
    assert ask(AGREED, spent=(NOW - timedelta(seconds=10),)) == "too-soon"


@pytest.mark.parametrize(
    ("start", "end", "quiet"), [("22:00", "06:00", True), ("23:31", "06:00", False), ("09:00", "17:00", False)]
)
def test_quiet_hours_may_pass_midnight(start: str, end: str, quiet: bool) -> None:
    contract = AGREED.model_copy(update={"quiet": (QuietHours(start=start, end=end),)})
    assert (ask(contract) == "quiet-hours") is quiet
    assert (ask(contract, runs=False) == "quiet-hours") is quiet


def test_a_message_without_parts_is_no_contract() -> None:
    with pytest.raises(ValidationError):
        SafetyContract(message={"messageId": "m"})


def test_evidence_names_the_contract_by_digest() -> None:
    assert contract_digest(None) == ""
    assert contract_digest(AGREED) != contract_digest(AGREED.model_copy(update={"budget": 3}))
