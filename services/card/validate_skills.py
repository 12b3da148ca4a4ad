"""Skills, modes and extensions: ids that repeat, modes that are no media types, skills that take or give nothing."""

import re

from cardtrail.events.model.card import AgentCard, AgentExtension
from cardtrail.services.card.notes import Notes

MEDIA_TYPE = re.compile(r"(?!\*/[^*])[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+(?:[ \t]*;.*)?", re.DOTALL)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_FULL = {
    "text": "text/plain",
    "plain": "text/plain",
    "html": "text/html",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "csv": "text/csv",
    "json": "application/json",
    "data": "application/json",
    "xml": "application/xml",
    "pdf": "application/pdf",
    "file": "application/octet-stream",
    "image": "image/*",
    "audio": "audio/*",
    "video": "video/*",
    "png": "image/png",
}


def validate_skills(card: AgentCard, notes: Notes) -> None:
    """Note the findings of the card's modes and of each skill."""
    _modes(card.default_input_modes, "$.defaultInputModes", notes)
    _modes(card.default_output_modes, "$.defaultOutputModes", notes)
    first: dict[str, str] = {}
    for skill in card.skills:
        at = skill.at
        if not skill.id:
            notes.note("CT061", at)
        elif skill.id in first:
            notes.note("CT060", f"{at}.id", found=skill.id, first=first[skill.id])
        else:
            first[skill.id] = at
        if skill.input_modes:
            _modes(skill.input_modes, f"{at}.inputModes", notes)
        elif not card.default_input_modes:
            notes.note("CT064", at, found=skill.id, side="input", name="inputModes")
        if skill.output_modes:
            _modes(skill.output_modes, f"{at}.outputModes", notes)
        elif not card.default_output_modes:
            notes.note("CT064", at, found=skill.id, side="output", name="outputModes")


def validate_extensions(extensions: tuple[AgentExtension, ...], notes: Notes) -> None:
    """Note extensions that repeat or are not named by a URI."""
    first: dict[str, str] = {}
    for extension in extensions:
        uri = extension.uri
        if not uri:
            continue
        if uri in first:
            notes.note("CT071", f"{extension.at}.uri", found=uri, first=first[uri])
        first.setdefault(uri, extension.at)
        if not _URI.fullmatch(uri):
            notes.note("CT072", f"{extension.at}.uri", found=uri)


def _modes(modes: tuple[str, ...], at: str, notes: Notes) -> None:
    if _USUAL.issuperset(modes) and len(modes) == len(set(modes)):
        return
    for index, mode in enumerate(modes):
        if not MEDIA_TYPE.fullmatch(mode):
            full = _FULL.get(mode.strip().lower())
            notes.note("CT062", f"{at}[{index}]", found=mode, near=f'did you mean "{full}"?' if full else "")
    types = [_type(mode) for mode in modes] if len(modes) > 1 else []
    if len(types) != len(set(types)):
        first = {mode: index for index, mode in reversed(list(enumerate(types)))}
        repeated = next(index for index, mode in enumerate(types) if first[mode] != index)
        notes.note("CT063", f"{at}[{repeated}]", found=modes[repeated])


def _type(mode: str) -> str:
    """Type and subtype have no case, parameters may (RFC 9110 §8.3.1)."""
    kind, semicolon, parameters = mode.partition(";")
    return f"{kind.strip().lower()}{semicolon}{parameters}"


_USUAL = frozenset(("text/plain", "application/json"))
