"""The strip of the last fifty looks: one mark per look, missing ones drawn as missing. Pure."""

from collections import Counter

from cardtrail.events.model.value import Value
from cardtrail.services.web.attempts import CHANGED, REFUSED, SHOWN, UNCHANGED

NONE = "-"
_STEP, _HEIGHT, _LOW = 3, 14, 9
_TOPS = {UNCHANGED: _LOW, CHANGED: 0, REFUSED: 3, NONE: 12}


class Strip(Value):
    """Codes oldest first, padded in front; `text` says it in words."""

    codes: str
    text: str

    def paths(self) -> tuple[tuple[str, str], ...]:
        """Per code the SVG path that draws all its marks: heights differ too, so that colour is not needed."""
        return tuple((code, path) for code in _TOPS if (path := _path(self.codes, code)))


def strip(codes: str) -> Strip:
    """From what the fold kept."""
    counted = Counter(codes)
    words = ((CHANGED, "changed"), (UNCHANGED, "unchanged"), (REFUSED, "refused"))
    parts = ", ".join(f"{counted[code]} {word}" for code, word in words if counted[code])
    text = f"last {len(codes)} looks: {parts}" if codes else "never looked at"
    return Strip(codes=codes.rjust(SHOWN, NONE), text=text)


def _path(codes: str, code: str) -> str:
    return "".join(f"M{place * _STEP + 1} {_TOPS[code]}V{_HEIGHT}" for place, held in enumerate(codes) if held == code)
