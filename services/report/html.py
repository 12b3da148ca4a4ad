"""The report as one HTML file: styles and pictures inside, no script, nothing loaded; every text of others escaped and capped."""

from datetime import datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cardtrail.services.cli.shell.text import guarded, plain
from cardtrail.services.report import wording
from cardtrail.services.report.captions import captions
from cardtrail.services.report.charts import available, drawn
from cardtrail.services.report.model import NoticeLine
from cardtrail.services.report.report import Report

HERE = Path(__file__).parent / "templates"
ROWS = 30
"""Lines of one table that are shown; the JSON has all, and SQL."""
_DAY_S, _SENTENCE = 86_400, 900


def html(report: Report) -> str:
    """The file's text. The same report gives the same bytes."""
    made = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    made.filters |= {
        "data": data,
        "day": day,
        "percent": wording.percent,
        "lasting": wording.lasting,
        "watched": wording.watched,
        "rated": wording.rated,
    }
    made.filters |= {"prose": prose, "shared": wording.shared, "ms": wording.milliseconds}
    made.filters |= {"at_hand": wording.at_hand}
    made.filters |= {"available": wording.available, "noticed": wording.noticed}
    made.filters |= {"middle": wording.rate_middle, "ends": wording.rate_ends}
    made.globals |= {
        "not_delegated": wording.not_delegated,
        "interval": wording.interval,
        "counted": wording.counted,
        "rows": ROWS,
    }
    pictures = {name: Markup(svg) for name, svg in drawn(report).items()}  # noqa: S704 — drawn by us from escaped text
    style = Markup((HERE / "report.css").read_text("utf-8"))  # noqa: S704 — our own file
    page = made.get_template("report.html")
    told = {"report": report, "pictures": pictures, "captions": captions(report), "drawing": available()}
    return page.render(**told, style=style, notice_scale=_scale(report.notices)).strip() + "\n"


def data(text: object, limit: int = 80) -> Markup:
    """Text that others wrote, in an element of its own so that its direction ends where it ends."""
    return Markup("<bdi>{}</bdi>").format(wording.NONE if text in {None, ""} else plain(text, limit))


def prose(text: str) -> Markup:
    """A sentence of ours with names of others in it; a number stays with its sign."""
    return Markup("<bdi>{}</bdi>").format(plain(text, _SENTENCE).replace(" %", "\xa0%"))


def day(at: str) -> str:
    """`1 September 2026`."""
    return f"{datetime.fromisoformat(at):%-d %B %Y}"


def _scale(lines: tuple[NoticeLine, ...]) -> int:
    """Days on each side of a break that hold every notice, at least seven."""
    ends = [abs(end) / _DAY_S for line in lines for end in (line.low_s, line.high_s) if end is not None]
    return max(7, int(max(ends, default=0)) + 1)


def _seen(value: object) -> object:
    """The second lock: what cannot be seen is written as its code, should a value have come past `data`."""
    return value if isinstance(value, Markup) else guarded(str(value))
