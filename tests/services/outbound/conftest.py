"""A provider on real TLS."""

from collections.abc import Iterator

import pytest

from tests.agent_host import AgentHost


@pytest.fixture
def host() -> Iterator[AgentHost]:
    with AgentHost("agent.example") as running:
        yield running
