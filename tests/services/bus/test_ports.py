"""A server of our own comes back where its clients look for it, unless somebody else is there."""

import socket
from pathlib import Path

import pytest

from cardtrail.services.bus.ports import kept_port
from cardtrail.services.settings import Settings
from cardtrail.services.system import broker


def test_a_stopped_broker_comes_back_on_its_port(tmp_path: Path) -> None:
    settings = Settings.model_validate({"broker": {"data": tmp_path}})
    with broker(settings, {}) as first:
        pass
    with broker(settings, {}) as again:
        assert again == first
    with socket.create_server(("127.0.0.1", int(first.rpartition(":")[2]))), broker(settings, {}) as elsewhere:
        assert elsewhere != first
    with broker(settings, {}) as then:
        assert then == elsewhere


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "70000", "4222.5", "²"])
def test_what_is_no_port_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "port").write_text(text, "utf-8")
    assert kept_port(tmp_path / "port") == 0
    assert kept_port(tmp_path / "none") == 0
