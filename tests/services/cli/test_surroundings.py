"""Whatever surrounds a command (streams, encodings, devices, widths), it answers in plain words and exit codes."""

import fcntl
import os
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.services.cli.cards import card, lock, written
from tests.services.cli.program import START, asleep, cardtrail, child, interruptible

COMMANDS = (
    ("lint", "odd.json"),
    ("diff", "card.json", "odd.json"),
    ("check", "trip.lock.json", "card.json"),
    ("rules", "CT015"),
)
FULL = Path("/dev/full")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    written(tmp_path / "card.json", card())
    written(tmp_path / "odd.json", card(description="“ü” \u2028", capabilities={"streaming": "true"}))
    written(tmp_path / "trip.lock.json", lock())
    return tmp_path


def named(here: Path, words: tuple[str, ...]) -> list[str]:
    return [str(here / word) if word.endswith(".json") else word for word in words]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "ISO8859-15", "cp1252", "cp037", "utf-16", "koi8-r", "utf_8"])
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_every_encoding_of_the_terminal_will_do(here: Path, words: tuple[str, ...], encoding: str) -> None:
    done = child(*named(here, words), encoding=encoding)
    assert done.code in {0, 1}
    assert "Traceback" not in done.err + done.out
    assert words[0] != "rules" or "flag-not-boolean" in done.out


@pytest.mark.parametrize("level", ["1", "2"])
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_an_optimising_interpreter_finds_no_defect(here: Path, words: tuple[str, ...], level: str) -> None:
    done = child(*named(here, words), PYTHONOPTIMIZE=level)
    assert done.code in {0, 1}
    assert "internal-error" not in done.err


@pytest.mark.parametrize("columns", ["0", "1", "7", "-5", "wide", "100000"])
def test_every_width_of_the_terminal_will_do(here: Path, columns: str) -> None:
    for words in COMMANDS:
        done = child(*named(here, words), COLUMNS=columns, CLICOLOR_FORCE="1")
        assert done.code in {0, 1}


@pytest.mark.skipif(not FULL.exists(), reason="needs a full device")
@pytest.mark.parametrize("words", [*COMMANDS, ("nonsense",)], ids=lambda words: words[0])
def test_where_not_even_the_error_can_be_written_the_exit_code_says_it(here: Path, words: tuple[str, ...]) -> None:
    with FULL.open("w") as full:
        run = [sys.executable, "-c", START, *named(here, words)]
        assert subprocess.run(run, stdout=full, stderr=full, check=False).returncode == 2


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_reason_to_fall(here: Path, words: tuple[str, ...], closed: str) -> None:
    line = " ".join(
        [f"{sys.executable} -c '{START}'".replace("'cardtrail'", '"cardtrail"'), *named(here, words), closed]
    )
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}
    assert "Traceback" not in done.stderr


def test_an_error_that_cannot_be_told_ends_in_one_line() -> None:
    broken = "import json; json.dumps = None; " + START
    done = subprocess.run(
        [sys.executable, "-c", broken, "nonsense", "--json"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == "error[internal-error] TypeError while an error was told: 'NoneType' object is not callable\n"


@pytest.mark.parametrize(
    "words",
    [
        *(("diff", "-", "-"), ("check", "-", "-"), ("check", "trip.lock.json", "-", "card.json", "-")),
        *(("check", "-", "card.json", "-"), ("lint", "-", "card.json", "-")),
    ],
)
def test_standard_input_is_read_once(here: Path, words: tuple[str, ...]) -> None:
    data = (here / ("trip.lock.json" if words[0] == "check" else "card.json")).read_bytes()
    done = cardtrail(*words, stdin=data, cwd=here)
    assert (done.code, done.err.splitlines()[0]) == (2, "error[argument-repeated] - is given twice")


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("", 2, '"" names no file'),
        ("folder", 2, "is a directory"),
        ("loop", 2, "too many levels of symbolic links"),
        ("dangling", 2, "no such file or directory"),
        ("x" * 5_000, 2, "file name too long"),
        ("a\0b", 2, "cannot be read"),
        ("ftp://a.example/card", 2, "only http and https URLs are fetched"),
        ("file:///etc/hostname", 2, "only http and https URLs are fetched"),
        ("/dev/zero", 3, "more than 524288 bytes"),
        ("/dev/null", 3, "an empty document"),
    ],
)
@pytest.mark.parametrize("command", ["lint", "compile", "diff"])
def test_what_is_no_card_file_is_said(here: Path, command: str, name: str, code: int, said: str) -> None:
    (here / "folder").mkdir()
    (here / "loop").symlink_to("loop")
    (here / "dangling").symlink_to("nothing")
    done = cardtrail(command, name, *(["card.json"] if command == "diff" else []), cwd=here)
    assert done.code == code
    assert said in done.err


def test_a_settings_file_that_is_named_must_be_there(here: Path) -> None:
    for words in (*COMMANDS[:3], ("compile", "card.json"), ("rules",)):
        done = cardtrail(*words, "--config", "nowhere.toml", cwd=here)
        assert done.code == 2
        assert "nowhere.toml" in done.err


def test_a_pipe_without_a_writer_waits_and_ctrl_c_ends_it(here: Path) -> None:
    os.mkfifo(here / "pipe")
    run = [sys.executable, "-c", START, "lint", "pipe"]
    with interruptible(run, cwd=here, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as waiting:
        with (here / "pipe").open("wb", buffering=0) as writer:  # opens once the reader is there
            writer.write(b"{")
            while any(fcntl.ioctl(writer, termios.FIONREAD, bytes(4))):
                os.sched_yield()
            asleep(waiting.pid)  # over what may still follow
            waiting.send_signal(signal.SIGINT)
            waiting.wait(30)
        assert (waiting.returncode, waiting.stderr and waiting.stderr.read()) == (130, b"")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workflow", "w", "--everything", "-o", ""), '"" names no file'),
        (("--update", "trip.lock.json", "--skill", "itinerary-pricing"), "--update renews what the lock needs"),
        (("--update", "trip.lock.json", "--workflow", "w"), "--update renews what the lock needs"),
        (("--update", ""), '"" names no file'),
        (("--workflow", "w", "--everything", "--need-less"), "--need-less is about a lock that is renewed"),
        (("--workflow", "a\x1b[2J", "--everything"), "--workflow: a name with a character that cannot be seen"),
        (("--workflow", "w" * 500, "--everything"), "--workflow: a name of 500 characters"),
        (("--workflow", "w", "--agent", " ", "--everything"), "--agent: a name that is empty"),
        (
            ("--workflow", "w", "--agent", "https://u:p@x.example/", "--everything"),
            "--agent: a name that carries a user name or password",
        ),
    ],
)
def test_options_of_pin_that_mean_nothing_are_refused(here: Path, words: tuple[str, ...], said: str) -> None:
    done = cardtrail("pin", "card.json", *words, cwd=here)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_each_kind_of_a_catalogue_that_is_asked_for_is_listed() -> None:
    out = cardtrail("rules", "--errors", "--diagnostics", "--reasons").out
    assert all(head in out for head in ("CODE\tLEVEL", "ERROR\tEXIT", "REASON\tABOUT"))
