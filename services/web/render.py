"""Templates: escaped without exception, and whatever cannot be seen in a text is shown as its code.

Two locks on every value: Jinja escapes it, and `finalize` writes controlling and invisible characters as codes. Text that others
wrote also goes through the filter `data`: capped, and in a `<bdi>` of its own, so that its direction ends where it ends.
"""

import json
import shlex
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cardtrail.events.canonical import raw_digest
from cardtrail.services.cli.live.when import age, long_span, span
from cardtrail.services.cli.shell.text import code, guarded, json_guarded, plain, shown
from cardtrail.services.web import address

HERE = Path(__file__).parent
STATIC = HERE / "static"
_LINES = str.maketrans({"\r": code("\r")})


def environment() -> Environment:
    """The templates, with all that they may call."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    made.filters |= {
        "data": data,
        "value": value,
        "time": time,
        "span": span,
        "short": short,
        "plain": plain,
        "word": shlex.quote,
        "key": key,
        "document": document,
    }
    made.globals |= {
        "agent_path": address.agent_path,
        "decision_path": address.decision_path,
        "fact_path": address.fact_path,
        "rule_path": address.rule_path,
        "asset": asset,
        "ago": ago,
    }
    return made


def data(text: object, limit: int = 200) -> Markup:
    """Text that others wrote, in an element of its own; nothing as a dash."""
    if text is None or text == "":
        return Markup("<span class=none>–</span>")
    return Markup("<bdi>{}</bdi>").format(plain(text, limit))


def value(held: object, limit: int = 400) -> Markup:
    """A JSON value that others wrote; nothing as a dash."""
    return Markup("<bdi class=value>{}</bdi>").format(shown(held, limit))


def time(at: str | datetime | None, now: datetime | None = None) -> Markup:
    """An instant in UTC; with `now` its age, the instant in the title, where a script adds the reader's own time."""
    if at is None or at == "":
        return Markup('<span class=none title="never">–</span>')
    try:
        moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    except ValueError:  # a fact may hold any text
        return data(at, 40)
    utc = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    if now is None:
        return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), utc)
    return Markup('<time datetime="{}" data-age title="{}">{}</time>').format(moment.isoformat(), utc, age(moment, now))


def ago(at: str, now: datetime) -> str:
    """How long ago, in two units."""
    return long_span(max((now - datetime.fromisoformat(at)).total_seconds(), 0.0))


def short(digest: str) -> str:
    """A digest for people; the whole is in the title and the JSON."""
    bare = digest.removeprefix("sha256:")
    return f"{bare[:12]}…" if len(bare) > 12 else bare  # noqa: PLR2004 — what a person compares


def key(text: str) -> str:
    """A name for an element that stays the same while a list around it changes."""
    return raw_digest(text.encode("utf-8", "surrogatepass"))[7:19]


def document(held: object) -> str:
    """A JSON document for people, what cannot be seen as JSON escapes."""
    return json_guarded(json.dumps(held, ensure_ascii=False, indent=2))


def asset(name: str) -> str:
    """The address of a file of ours; it changes with the file."""
    return f"/static/{name}?{raw_digest((STATIC / name).read_bytes())[7:15]}"


def _seen(held: Any) -> Any:  # noqa: ANN401 — whatever a template prints
    return held if isinstance(held, Markup) or not isinstance(held, str) else guarded(held).translate(_LINES)
