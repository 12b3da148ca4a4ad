"""Who may do what on the broker: the services everything, a planner only what it reads and reports under its principal.

A permission says where a client may publish, and nothing of where the broker is to answer: with planners and services in
one NATS account, an answer could be sent to a subject of the log, where it would be stored. So each principal's planners
have an account of their own that imports what they need and no more; an answer cannot leave it. There JetStream is found
under the domain `cardtrail`, because `$JS.API` means each account's own.

A consumer that a planner creates may still name any deliver subject: the broker then sends the planner's own rows to a
service that listens there, never into a stream, its API or another account.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from cardtrail.events.model.value import Value
from cardtrail.events.subjects import LIVE_ALIVE, LIVE_DECISIONS, REPORTS, token
from cardtrail.services.bus.names import JS_DOMAIN, bucket_name, inbox_prefix, kv_stream, kv_subject

PLANNER_BUCKETS = ("routes", "current_profile", "lockfile_status")
SERVICES = "CARDTRAIL"
_OWN, _DOMAIN = "$JS.API.", f"$JS.{JS_DOMAIN}.API."
_VARIABLE = "environment variable "
_ESCAPE = re.compile(r"(?:\\u[dD][89abAB]..\\u....)|\\u....|\\.")
_SHARED = '\\"nrt'


class User(Value):
    """A user of the broker; `planner` ones are bound to one principal and their `workflows`.

    The password, or the environment variable in which the server finds it.
    """

    name: str
    password: str = ""
    password_env: str = ""
    role: Literal["service", "planner"] = "service"
    principal: str = "public"
    workflows: tuple[str, ...] = ()


def permissions(user: User) -> dict[str, list[str]]:
    """The subjects of its account that a planner may publish and subscribe to, by `publish` and `subscribe`."""
    asked = [subject.replace(_OWN, _DOMAIN, 1) for subject, _ in _questions(user.principal)]
    return {
        "publish": asked + [_reports(user.principal, workflow) for workflow in user.workflows],
        "subscribe": [f"{inbox_prefix(user.principal)}.>", *_heard(user.workflows)],
    }


def accounts(users: Iterable[User]) -> str:
    """The `accounts` block of a server's configuration; empty without users."""
    told = tuple(users)
    planners = [user for user in told if user.role == "planner"]
    named: dict[str, Any] = {
        SERVICES: {"jetstream": "enabled", "users": [_login(user) for user in told if user not in planners]}
    }
    exports = []
    for principal in dict.fromkeys(user.principal for user in planners):
        ours = [user for user in planners if user.principal == principal]
        account, given = f"PLANNERS_{token(principal)}", _given(principal, ours)
        named[account] = {
            "users": [_login(user) | {"permissions": _allowed(user)} for user in ours],
            "imports": [_import(one) for one in given],
        }
        exports += [one | {"accounts": [account]} for one in given]
    named[SERVICES]["exports"] = exports
    # JSON is a subset of the server's configuration language, but for \u escapes and what it reads from the environment.
    text = _ESCAPE.sub(_bytes, json.dumps(named, indent=2))
    for user in told:
        text = text.replace(json.dumps(_VARIABLE + user.password_env), f"${user.password_env}")
    return f"accounts: {text}\n" if told else ""


def _bytes(escape: re.Match[str]) -> str:
    """A JSON escape as the server reads it: its UTF-8 bytes, each in two hex digits behind a backslash and an x."""
    if escape[0][1] in _SHARED:
        return escape[0]
    return "".join(f"\\x{byte:02x}" for byte in json.loads(f'"{escape[0]}"').encode("utf-8", "surrogatepass"))


def _questions(principal: str) -> list[tuple[str, str]]:
    """What a principal's planners ask JetStream: create and pull consumers on their buckets, read keys, see a bucket's state.

    Bare `DIRECT.GET` reads the rows where there is no room for a consumer, and only of its own stream; never
    `STREAM.MSG.GET`. A consumer's name cannot be bound to a prefix (a wildcard is a whole token), nor their number to a
    user: a bucket's own limits forget those that nobody uses, and services need none.
    """
    found = []
    for projection in PLANNER_BUCKETS:
        bucket = bucket_name(projection, principal)
        stream, keys = kv_stream(bucket), kv_subject(bucket)
        found += [
            (f"$JS.API.CONSUMER.CREATE.{stream}.*.{keys}", "singleton"),
            (f"$JS.API.CONSUMER.MSG.NEXT.{stream}.*", "stream"),
            (f"$JS.API.DIRECT.GET.{stream}.{keys}", "singleton"),
            (f"$JS.API.DIRECT.GET.{stream}", "stream"),
            (f"$JS.API.STREAM.INFO.{stream}", "singleton"),
        ]
    return found


def _reports(principal: str, workflow: str) -> str:
    return f"{REPORTS}.{token(principal)}.{token(workflow)}"


def _heard(workflows: Iterable[str]) -> list[str]:
    return [f"{LIVE_ALIVE}.*", *(f"{LIVE_DECISIONS}.{token(workflow)}.>" for workflow in workflows)]


def _given(principal: str, planners: list[User]) -> list[dict[str, Any]]:
    """What the services' account exports to one principal's."""
    workflows = dict.fromkeys(workflow for user in planners for workflow in user.workflows)
    asked = [*_questions(principal), *((_reports(principal, workflow), "singleton") for workflow in workflows)]
    services = [{"service": subject, "response_type": kind} for subject, kind in asked]
    return [*services, *({"stream": subject} for subject in _heard(workflows))]


def _import(export: dict[str, Any]) -> dict[str, Any]:
    kind = "service" if "service" in export else "stream"
    subject = export[kind]
    found: dict[str, Any] = {kind: {"account": SERVICES, "subject": subject}}
    return found | {"to": subject.replace(_OWN, _DOMAIN, 1)} if subject.startswith(_OWN) else found


def _allowed(user: User) -> dict[str, Any]:
    return {side: {"allow": subjects} for side, subjects in permissions(user).items()}


def _login(user: User) -> dict[str, Any]:
    return {"user": user.name, "password": _VARIABLE + user.password_env if user.password_env else user.password}
