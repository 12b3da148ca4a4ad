"""Extensions in profile form: which are known to the client, and which unknown ones it cannot do without (A2A §4.6)."""

from cardtrail.events.model.card import AgentExtension
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Extension, Reason
from cardtrail.services.card.paths import visible

_MOST_REASONS = 20


def compile_extensions(extensions: tuple[AgentExtension, ...], client: ClientCapabilities) -> tuple[Extension, ...]:
    """One entry per URI: of repeated ones the first counts, and it is required if one of them says so."""
    required = {extension.uri for extension in extensions if extension.required}
    found: dict[str, Extension] = {}
    for extension in extensions:
        uri = extension.uri
        if uri and uri not in found:
            found[uri] = Extension.trusted(
                {
                    "uri": uri,
                    "required": uri in required,
                    "known": uri in client.extensions,
                    "params": extension.params,
                }
            )
    return tuple(found.values())


def unknown_required(compiled: tuple[Extension, ...], places: dict[str, str]) -> list[Reason]:
    """A reason for each extension that must be activated and that the client does not know, at most 20."""
    unknown = [extension.uri for extension in compiled if extension.required and not extension.known]
    return [
        Reason(code="required-extension-unknown", detail=visible(uri[:200]), path=places.get(uri, ""))
        for uri in unknown[:_MOST_REASONS]
    ]
