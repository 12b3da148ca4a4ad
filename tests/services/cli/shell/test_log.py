"""Logs for collectors: one JSON object a line, whatever is said in it, and no secret that a service was given."""

import json
import logging
import os
import socket
import subprocess
import sys
from pathlib import Path

from cardtrail.services.cli.shell.log import JsonLines, Lines
from tests.nats_server import server
from tests.streams import PATIENCE_S

TOKEN = "a-token-nobody-will-guess"
PASSWORD = "pw-nobody-will-guess"


def line(message: str, *values: object, trouble: Exception | None = None) -> str:
    error = (type(trouble), trouble, None) if trouble else None
    record = logging.LogRecord("cardtrail.bus", logging.WARNING, __file__, 1, message, values, error)
    return JsonLines("fetcher").format(record)


def test_a_record_is_one_object_with_time_level_service_and_message() -> None:
    told = json.loads(line("%s: refused", "pricing"))
    assert told["time"].endswith("Z")
    assert (told["level"], told["service"], told["logger"]) == ("warning", "fetcher", "cardtrail.bus")
    assert told["message"] == "pricing: refused"


def test_what_an_agent_wrote_begins_no_second_line_and_controls_no_terminal() -> None:
    written = line("card %s", '\x1b[2J\n{"level": "forged"}\u202e')
    assert written.isascii()
    assert written.isprintable()
    assert json.loads(written)["message"].startswith("card \x1b[2J\n")


def test_a_defect_carries_its_trace_within_the_line() -> None:
    written = line("it failed", trouble=ValueError("why"))
    assert "\n" not in written
    assert "ValueError: why" in json.loads(written)["trace"]


def test_a_service_writes_json_lines_and_no_secret(tmp_path: Path) -> None:
    with server() as broker, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = tmp_path / "cardtrail.toml"
        config.write_text(f'[web]\nport = {port}\ntoken_env = "PAGE_TOKEN"\n')
        url = broker.url.replace("nats://", f"nats://cardtrail:{PASSWORD}@")
        seen = {**os.environ, "NATS_URL": url, "PAGE_TOKEN": TOKEN, "CARDTRAIL_LOG": "json"}
        words = [sys.executable, "-m", "cardtrail.services.cli", "run", "web", "--config", str(config), "--with-parent"]
        with subprocess.Popen(words, env=seen, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stderr is not None
            said = b""
            while b"no page" not in said and (one := child.stderr.readline()):
                said += one
            said += child.communicate(timeout=PATIENCE_S)[1]
    told = [json.loads(one) for one in said.splitlines()]
    assert any(one["service"] == "web" and one["message"].startswith("no page") for one in told)
    assert TOKEN.encode() not in said
    assert PASSWORD.encode() not in said


def test_a_line_for_people_is_one_line_and_says_where_a_defect_lies() -> None:
    record = logging.LogRecord("cardtrail.bus", logging.ERROR, __file__, 1, "card %s", ("\x1b[2J\nforged",), None)
    assert Lines("fetcher").format(record).isprintable()
    record.exc_info = (ValueError, ValueError("why"), None)
    written = Lines("fetcher").format(record)
    assert written.isprintable()
    assert "ValueError: why" in written
    assert "Traceback" not in written
