"""Why a profile is unusable, reason by reason: what each code means and what a person can do; codes are never reused."""

from typing import NamedTuple


class Why(NamedTuple):
    """One reason code: what it says, in a sentence without its stop, and what to do."""

    says: str
    hint: str


UNUSABLE: dict[str, Why] = {
    "no-shared-interface": Why(
        "No endpoint of the card has a binding and a protocol version that the client implements",
        "state under [client] interfaces what your client implements; an endpoint without a protocol version is taken only "
        "with missing_version_matches = true, and its provider should state protocolVersion",
    ),
    "interface-unfit": Why(
        "No endpoint is left: one has a fragment in its URL, or a tenant of dots, and no request reaches it",
        "cardtrail lint says where; tell the provider",
    ),
    "required-extension-unknown": Why(
        "The card requires an extension that the client does not know",
        "implement it and name it under [client] extensions, or use another agent",
    ),
    "profile-too-large": Why(
        "What the card says of its skills is more than can be kept of one agent",
        "ask the provider for fewer modes; defaults that thousands of skills share count for each of them",
    ),
    "no-supported-security": Why(
        "Every way in asks for a kind of security that the client does not implement",
        "name under [client] schemes what your client implements, or ask the provider for another way in",
    ),
}
