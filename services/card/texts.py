"""What a card's texts hide or say to their reader: invisible, bidirectional and control characters, instructions.

Texts never influence a profile; what is found here is for people, and for those who put card texts before a language model.
"""

import re
from collections import Counter
from collections.abc import Iterator

from cardtrail.events.model.card import AgentCard
from cardtrail.events.model.profile import TextFinding

_FLAGS = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""The flags of England, Scotland and Wales: the only honest tag characters."""

_INVISIBLE = (
    "\U000e0000-\U000e007f\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
    "\u180e\u115f\u1160\u3164\uffa0\u17b4\u17b5\U0001d173-\U0001d17a\U0001bca0-\U0001bca3"
)
_BIDI = "\u202a-\u202e\u2066-\u2069"
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_VARIANT = "\ufe00-\ufe0f"
"""Variation selectors: one after an emoji is honest, a row of them carries hidden bytes."""
_GLYPH = "\U000e0100-\U000e01ef"
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""The glyph of an ideograph is chosen by one selector after it, as in Japanese names; nowhere else."""
_JOINER = "\u200c\u200d\u034f"
_APART = "0-9A-Za-z\u00c0-\u024f\u0370-\u052f"
"""Joiners shape Persian, Indic scripts and emoji; between letters that never join, or in rows, they hide something."""

_CHARACTERS = {
    "invisible": re.compile(
        f"[{_INVISIBLE}]|[{_VARIANT}]{{2,}}|(?<![{_IDEOGRAPH}])[{_GLYPH}]"
        f"|(?<=[{_APART}])[{_JOINER}]+(?=[{_APART}])|[{_JOINER}]{{3,}}"
    ),
    "bidi": re.compile(f"[{_BIDI}]"),
    "control": re.compile(f"[{_CONTROL}]"),
}
_MOST_FOUND = 100
_ODD = re.compile(f"[{_INVISIBLE}{_BIDI}{_CONTROL}{_VARIANT}{_GLYPH}{_JOINER}]")
_INSTRUCTIONS: tuple[tuple[tuple[tuple[str, ...], ...], tuple[re.Pattern[str], ...]], ...] = tuple(
    (words, tuple(re.compile(pattern, re.DOTALL) for pattern in patterns))
    for words, *patterns in (
        (
            (("ignor", "disregard", "forget", "override", "игнорир", "忽略", "無視"),),
            r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules|prompts?|guidelines|messages?)\b",
            r"\b(?:ignore|disregard|forget|override)\b.{0,20}\b(?:above|previous|prior|earlier)\b",
            r"\b(?:ignore|disregard|forget)\b.{0,20}\bother (?:agent|skill|tool)",
            r"\b(?:ignor|игнорир)\w+.{0,40}\b(?:instru[cç]|istruzion|anweisung|инструкц)|(?:忽略|無視).{0,20}(?:指令|指示)",
        ),
        (
            (("system", "developer", "assistant:"), (":", "prompt", "message")),
            r"(?:^|\n)\s*(?:system|assistant|developer):\s",
            r"\b(?:system|developer)\s+(?:prompt|message)\b",
        ),
        ((("new instruction",),), r"\bnew instructions?\s*:"),
        (
            (("you ",), ("are now", "will now", "must ")),
            r"\byou (?:(?:are|will) now|must (?:always|never|only|now|ignore|use|choose|select|call|prefer|send|obey))\b",
        ),
        (
            (("this ",), ("always ", "must ", "only "), ("agent", "skill", "tool")),
            r"\b(?:always|must|only) (?:choose|select|prefer|use|call|trust|(?:delegate|route) to) this (?:agent|skill|tool)",
        ),
        (
            (("do not ", "don't ", "never "), ("user", "human", "operator", "anyone")),
            r"\b(?:do not|don't|never) (?:tell|inform|reveal|mention|disclose|show)\b.{0,40}\b(?:user|human|operator|anyone)\b",
        ),
        (
            (("always ",), (" here", " to me", " to us", " to this ")),
            r"\balways (?:route|send|forward|delegate)\b.{0,40}\b(?:here|to (?:me|us|this (?:agent|skill|tool)))\b",
        ),
        ((("reading this",),), r"\b(?:ais?|assistants?|llms?|models?|agents?|you are) reading this\b"),
        ((("<", "["), ("|>", "system>", "important>", "inst]")), r"<\|[a-z_]+\|>|</?(?:system|important)>|\[/?inst\]"),
    )
)
"""For each way to instruct: word groups of which each must occur (quick to rule out), and the patterns, for lower case."""


def texts(card: AgentCard) -> Iterator[tuple[str, str]]:
    """Every text of the card that people or models may read, with its JSON path."""
    yield from (("$.name", card.name), ("$.description", card.description), ("$.version", card.version))
    if card.provider:
        yield "$.provider.organization", card.provider.organization
    for extension in card.capabilities.extensions:
        yield f"{extension.at}.description", extension.description
    for skill in card.skills:
        at = skill.at
        yield from ((f"{at}.id", skill.id), (f"{at}.name", skill.name), (f"{at}.description", skill.description))
        yield from ((f"{at}.tags", text) for text in skill.tags)
        yield from ((f"{at}.examples", text) for text in skill.examples)


def text_findings(card: AgentCard) -> tuple[TextFinding, ...]:
    """What the texts hide or demand, by kind and path, in the card's order; about 100 findings at most."""
    whole = "\n".join(_all(card))
    odd = not (whole.isascii() and whole.replace("\n", " ").isprintable()) and _ODD.search(whole) is not None
    patterns = _found(whole.lower())
    if not odd and not patterns:
        return ()
    counts: Counter[tuple[str, str]] = Counter()
    for path, text in texts(card):
        for kind, count in (_odd_characters(text) if odd else {}).items():
            counts[kind, path] += count
        if any(pattern.search(text.lower()) for pattern in patterns):
            counts["instructs", path] = 1
        if len(counts) >= _MOST_FOUND:
            break
    return tuple(TextFinding(kind=kind, path=path, count=count) for (kind, path), count in counts.items())


def first_odd(text: str, kind: str) -> str:
    """The first thing of a kind in a text: a code point such as `U+E0041`, or the words that instruct."""
    if kind in _CHARACTERS:
        character = _CHARACTERS[kind].search(_FLAGS.sub("", text))
        return f"U+{ord(character[0][0]):04X}" if character else ""
    lowered = text.lower()
    found = (pattern.search(lowered) for _, patterns in _INSTRUCTIONS for pattern in patterns)
    instruction = next(filter(None, found), None)
    return instruction[0][:60] if instruction else ""


def _all(card: AgentCard) -> list[str]:
    found = [card.name, card.description, card.version, card.provider.organization if card.provider else ""]
    found += [extension.description for extension in card.capabilities.extensions]
    for skill in card.skills:
        found += (skill.id, skill.name, skill.description, *skill.tags, *skill.examples)
    return found


def _found(lowered: str) -> list[re.Pattern[str]]:
    """The patterns found in all texts as one; plain loops, since nearly every card ends in the first words."""
    found: list[re.Pattern[str]] = []
    for groups, patterns in _INSTRUCTIONS:
        for group in groups:
            for word in group:
                if word in lowered:
                    break
            else:
                break
        else:
            found += [pattern for pattern in patterns if pattern.search(lowered)]
    return found


def _odd_characters(text: str) -> dict[str, int]:
    plain = text if text.isascii() else _FLAGS.sub("", text)
    counts = {kind: len(pattern.findall(plain)) for kind, pattern in _CHARACTERS.items()}
    return {kind: count for kind, count in counts.items() if count}
