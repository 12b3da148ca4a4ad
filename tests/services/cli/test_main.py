import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cardtrail.services.cli import COMMANDS
from tests.services.cli.program import Done, asleep, cardtrail, child, interruptible

START = "from cardtrail.services.cli.main import main; main()"


def test_an_unknown_command_names_the_near_one() -> None:
    done = cardtrail("chekc")
    assert done == Done(2, "", 'error[command-unknown] "chekc" is no command\nhint: did you mean check?\n')


def test_in_json_mode_an_error_is_the_one_object_on_stdout() -> None:
    done = cardtrail("chekc", "--json")
    assert (done.code, done.err) == (2, "")
    assert done.json == {
        "error": {
            "code": "command-unknown",
            "message": '"chekc" is no command',
            "hint": "did you mean check?",
            "a2aCode": None,
            "file": None,
            "line": None,
            "column": None,
            "path": None,
            "exit": 2,
        }
    }


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("events", "--jsn"), "option-unknown", "hint: did you mean --json?"),
        (("completion", "ksh"), "option-value", 'SHELL "ksh": one of bash, zsh, fish, powershell'),
        (("completion",), "argument-missing", "hint: cardtrail completion --help"),
        (("help", "exit-cods"), "topic-unknown", "hint: did you mean exit-codes?"),
        (("events", "more"), "usage", "unexpected extra argument"),
        (("schema", "chekc"), "schema-unknown", "hint: did you mean check?"),
        (("events", "--color", "red"), "option-value", '--color "red": one of auto, always, never'),
    ],
)
def test_wrong_usage_is_told_in_two_lines_and_exit_two(arguments: tuple[str, ...], code: str, said: str) -> None:
    done = cardtrail(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error[{code}] ")
    assert done.err.count("\n") == 2
    assert said in done.err


def test_the_error_line_is_coloured_only_when_asked() -> None:
    assert cardtrail("chekc", "--color", "always").err.startswith("\x1b[31merror[command-unknown]\x1b[0m ")
    assert cardtrail("chekc", CLICOLOR_FORCE="1").err.startswith("\x1b[31m")
    assert not cardtrail("chekc", CLICOLOR_FORCE="1", NO_COLOR="1").err.startswith("\x1b")


def test_an_option_can_be_set_by_its_variable_and_the_command_line_wins() -> None:
    assert cardtrail("events", CARDTRAIL_JSON="1").json["format"] == "cardtrail.events/1"
    assert cardtrail("chekc", CARDTRAIL_JSON="1").json["error"]["exit"] == 2
    assert cardtrail("events", "--color", "never", CARDTRAIL_COLOR="purple").code == 0
    assert "CARDTRAIL_" in cardtrail("help", "environment").out


def test_an_option_of_all_commands_may_stand_before_the_command() -> None:
    assert cardtrail("--json", "events").out == cardtrail("events", "--json").out


def test_help_imports_no_command() -> None:
    look = (
        "import sys; from cardtrail.services.cli.shell.running import run; code = run(['--help']); "
        "print([m for m in sys.modules if m in set(sys.argv[1:])], code)"
    )
    modules = [f"cardtrail.services.cli.{entry.module}" for entry in COMMANDS]
    done = subprocess.run([sys.executable, "-c", look, *modules], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[] 0\n")
    assert all(f"  {entry.name} " in done.stdout for entry in COMMANDS)


def test_without_arguments_the_help_is_shown_and_all_is_fine() -> None:
    done = child()
    assert done == child("--help")
    assert done.code == 0


def test_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", START, "schema", "--all"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_one_error_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-c", START, "events"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"error[output-unwritable] No space left on device\n")


def test_a_closed_stdout_is_no_reason_to_fall() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -c '{START}' events >&-"], stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


SAYS = "import sys, time; print('here', file=sys.stderr, flush=True); time.sleep(60)"
WAITS = f"{SAYS}\n"
IN_A_CLASS = f"class Waits:\n def __set_name__(self, *_):\n  {SAYS}\nclass C:\n w = Waits()\n"
IN_A_FINALIZER = f"class Waits:\n def __del__(self):\n  {SAYS}\nWaits()\n"
AT_THE_PIPE = (
    "import sys\n"
    "def opens(name, found):\n if name == 'open' and found[0] == 'pipe':\n  print('here', file=sys.stderr)\n"
    "sys.addaudithook(opens)\n"
)


@pytest.mark.parametrize("source", [WAITS, IN_A_CLASS, IN_A_FINALIZER], ids=["module", "class", "finalizer"])
@pytest.mark.parametrize("module", ["click", "pydantic", "tomllib"])
def test_control_c_at_any_import_ends_with_130_and_no_traceback(module: str, source: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(source)  # stands before the real one and waits there
    done = interrupted("compile", "-", "--client", "-", PYTHONPATH=str(tmp_path))
    assert done == (130, "here\n")


def test_control_c_while_it_waits_for_input_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_THE_PIPE)
    os.mkfifo(tmp_path / "pipe")
    assert interrupted("lint", "pipe", PYTHONPATH=str(tmp_path)) == (130, "here\n")


def test_where_control_c_is_ignored_it_stays_ignored() -> None:
    said = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); import sys; sys.argv = ['cardtrail', 'help']; "
    seen = "import atexit; atexit.register(lambda: sys.stderr.write(str(signal.getsignal(signal.SIGINT)))); "
    done = subprocess.run([sys.executable, "-c", said + seen + START], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, str(signal.SIG_IGN))


def interrupted(*arguments: str, **environ: str) -> tuple[int, str]:
    """Start the program in the folder of PYTHONPATH, send SIGINT when it says that it is there; exit code and stderr."""
    run = [sys.executable, "-c", f"import sys; sys.argv = ['cardtrail', *{list(arguments)}]; {START}"]
    folder = environ["PYTHONPATH"]
    with interruptible(
        run, cwd=folder, env={**os.environ, **environ}, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stderr is not None
        first = child.stderr.readline()
        asleep(child.pid)
        child.send_signal(signal.SIGINT)
        rest = child.stderr.read()
    return child.returncode, first + rest


def test_where_utf8_cannot_be_shown_marks_are_ascii() -> None:
    done = child("help", "exit-codes", encoding="ascii")
    assert done.code == 0
    assert done.out.isascii()


def test_exit_codes_can_be_read_by_people_and_programs() -> None:
    codes = cardtrail("help", "exit-codes", "--json").json["exit_codes"]
    assert set(codes) >= {"0", "1", "2", "3", "4", "130"}
    text = cardtrail("help", "exit-codes").out
    assert all(meaning in text for meaning in codes.values())


def test_the_version_is_that_of_the_distribution() -> None:
    assert child("--version").out.startswith("cardtrail 0.")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_each_shell_gets_a_script_that_asks_the_program(shell: str) -> None:
    assert "_CARDTRAIL_COMPLETE" in cardtrail("completion", shell).out


def test_completion_offers_commands_and_imports_none() -> None:
    done = child(COMP_WORDS="cardtrail co", COMP_CWORD="1", _CARDTRAIL_COMPLETE="bash_complete")
    assert done.out.splitlines() == ["plain,compile", "plain,completion"]


def test_completion_knows_the_rules_without_importing_them() -> None:
    done = child(COMP_WORDS="cardtrail rules input", COMP_CWORD="2", _CARDTRAIL_COMPLETE="bash_complete")
    assert done.out.splitlines() == ["plain,input-mode-removed"]
