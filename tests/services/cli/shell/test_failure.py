"""What is said when something comes up that no code of ours expected: what to report, and nothing of this machine's folders."""

import errno
import json
from collections.abc import Callable

import pytest

from cardtrail.events.errors import CardtrailError
from cardtrail.services.card.parse import parse
from cardtrail.services.cli.shell.failure import DEFECT, envelope, told
from cardtrail.services.cli.shell.release import release
from cardtrail.services.verdict.view import Baseline


def raised(body: Callable[[], object]) -> Exception:
    try:
        body()
    except Exception as error:  # noqa: BLE001 — any of them is what a test wants
        return error
    raise AssertionError("nothing was raised")


def broken_import() -> None:
    raise ImportError("cannot import name 'x' (/opt/venv/lib/python3.11/site-packages/nats/aio/client.py)")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda: Baseline(profile=3), "ValidationError: 1 validation error for Baseline profile Input should be"),
        (lambda: json.loads(3), "TypeError: the JSON object must be"),  # type: ignore[arg-type]
        (lambda: parse(None), "in services.card.parse, line "),  # type: ignore[arg-type]
        (broken_import, "ImportError: cannot import name 'x' (client.py)"),
        (lambda: {}["/etc/cards/secret.json"], "KeyError: 'secret.json'"),
    ],
    ids=["pydantic", "json", "ours", "import", "path"],
)
def test_a_defect_names_the_release_and_our_own_line_and_no_folder_of_this_machine(
    body: Callable[[], object], said: str
) -> None:
    error = told(raised(body))
    assert (error.exit_code, error.code) == (DEFECT, "internal-error")
    assert error.message.startswith(f"cardtrail {release()}, Python 3.")
    assert said in error.message
    assert "please report" in error.hint
    assert not any(word in error.message for word in ("/", "site-packages", "pydantic.dev", "__init__", "\n"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EMFILE, errno.EACCES, errno.EFBIG])
def test_what_the_system_refuses_is_no_defect(number: int) -> None:
    error = told(OSError(number, "No room", "/data/log"))
    assert (error.exit_code, error.code, error.file, error.message) == (2, "system-refused", "/data/log", "No room")


def test_an_error_of_the_system_without_a_cause_of_its_kind_stays_a_defect() -> None:
    assert told(OSError("something else")).code == "internal-error"


def test_trouble_of_the_log_is_never_the_exit_code_of_a_policy_that_failed() -> None:
    assert envelope(CardtrailError("log-full", "no room"))["exit"] == 4


def test_what_tasks_beside_each_other_raised_is_told_as_if_it_had_been_raised_alone() -> None:
    away, full = CardtrailError("broker-refused", "no"), OSError(errno.ENOSPC, "No space left on device")
    assert told(ExceptionGroup("tasks", [ExceptionGroup("inner", [away]), full])) is away
    assert told(ExceptionGroup("tasks", [full])).code == "system-refused"
    assert "ZeroDivisionError" in told(ExceptionGroup("tasks", [away, ZeroDivisionError("x")])).message
