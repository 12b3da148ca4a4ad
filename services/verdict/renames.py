"""Which new skill is probably the lost one under another id; a hint for a person, never a decision."""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from cardtrail.events.model.profile import SkillProfile

_ALIKE = 0.6
_LONGEST = 64
_MOST = 20
_TRIES = 50
"""Ids are a stranger's: beyond this many new ones, characters or lost ones, likeness is not worth its cost."""


class Renames:
    """The new ids of one card, to be asked for each that is lost."""

    def __init__(self, gained: Iterable[str]) -> None:
        """Index them by what two spellings of one id share."""
        ordered = sorted(gained)
        self._nearest, self._tries = ordered[:_MOST], _TRIES
        self._bare: dict[str, str] = {}
        self._words: dict[frozenset[str], str] = {}
        for one in ordered:
            self._bare.setdefault(_bare(one), one)
            self._words.setdefault(_words(one), one)

    def likely(self, lost: str) -> str | None:
        """The new id that is equal but for case and separators, else holds the same words, else the most similar one."""
        equal = self._bare.get(_bare(lost)) or self._words.get(_words(lost))
        if equal is not None or not self._tries:
            return equal
        self._tries -= 1
        best = max(((_alikeness(lost, one), one) for one in self._nearest), default=(0.0, ""))
        return best[1] if best[0] >= _ALIKE else None


def twins(lost: Mapping[str, SkillProfile], gained: Mapping[str, SkillProfile]) -> dict[str, str]:
    """Lost id → new id, where each is the only one on its side with the same tags and modes; without tags nothing is said."""
    old, new = _by_looks(lost), _by_looks(gained)
    return {ids[0]: new[looks][0] for looks, ids in old.items() if len(ids) == len(new.get(looks, ())) == 1}


def _by_looks(skills: Mapping[str, SkillProfile]) -> dict[tuple[tuple[str, ...], ...], list[str]]:
    found: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for id_, skill in skills.items():
        if skill.tags:
            looks = tuple(tuple(sorted(each)) for each in (skill.tags, skill.input, skill.output))
            found.setdefault(looks, []).append(id_)
    return found


def _bare(id_: str) -> str:
    return re.sub(r"[\W_]+", "", id_).casefold()


def _words(id_: str) -> frozenset[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", id_)
    return frozenset(re.split(r"[\W_]+", parted.casefold())) - {""}


def _alikeness(one: str, other: str) -> float:
    shared = _words(one) & _words(other)
    every = _words(one) | _words(other)
    spelling = SequenceMatcher(None, _bare(one)[:_LONGEST], _bare(other)[:_LONGEST]).ratio()
    return max(len(shared) / len(every) if every else 0.0, spelling)
