"""The operator's bundle while a service runs: a new one counts at once, a broken one takes nothing away."""

import asyncio
import logging
from pathlib import Path

import pytest
import trustme

from cardtrail.services.outbound.call import Answer, Call
from cardtrail.services.outbound.client import Door
from cardtrail.services.settings import TlsSettings
from tests.agent_host import AgentHost, Reply
from tests.services.outbound.doors import HERE


async def loopback(_name: str) -> tuple[str, ...]:
    return ("127.0.0.1",)


def test_a_bundle_that_is_replaced_counts_at_once_and_one_that_cannot_be_read_takes_nothing_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bundle, old, new = tmp_path / "ca.pem", trustme.CA(), trustme.CA()

    async def run(host: AgentHost) -> list[str]:
        said = []
        async with Door(None, TlsSettings(ca_bundle=bundle, only=True), resolver=loopback) as door:
            for content in (None, new.cert_pem.bytes(), b"rubbish\0", b"", None, old.cert_pem.bytes()):
                if content is not None:
                    bundle.write_bytes(content)
                answer = await door.send(Call(host.url("/"), HERE))
                said.append(str(answer.status) if isinstance(answer, Answer) else answer.reason)
            bundle.unlink()
            answer = await door.send(Call(host.url("/"), HERE))
            said.append(str(answer.status) if isinstance(answer, Answer) else answer.reason)
        return said

    bundle.write_bytes(old.cert_pem.bytes())
    with caplog.at_level(logging.WARNING), AgentHost("agent.example", ca=new) as host:
        host.serve("/", Reply(b"{}", ends="close"))
        said = asyncio.run(run(host))
    untrusted = "certificate-untrusted"
    assert said == [untrusted, "200", "200", "200", "200", untrusted, untrusted]
    assert len([record for record in caplog.records if record.name == "cardtrail.outbound"]) == 3
