"""A certificate that ends soon is told before it does; one with time left, or none at all, is not."""

from datetime import UTC, datetime, timedelta

import pytest

from cardtrail.services.outbound.call import Call
from tests.agent_host import AgentHost
from tests.services.outbound.doors import HERE, door, send

NOW = datetime.now(UTC)


@pytest.mark.parametrize(("days", "told"), [(5, True), (60, False)])
def test_a_certificate_is_told_within_three_weeks_of_its_end(days: int, told: bool) -> None:
    end = NOW + timedelta(days=days)
    with AgentHost("rates.example", not_after=end) as host:
        made = door(host)
        assert list(made.certificates.told(NOW)) == []
        send(made, Call(host.url(host="rates.example"), HERE), Call(host.url(host="rates.example"), HERE))
    line = f"the certificate of rates.example ends on {end:%Y-%m-%d %H:%M} UTC"
    assert list(made.certificates.told(NOW)) == ([line] if told else [])
