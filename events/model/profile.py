"""The compiled answer: one interface, flags, per-skill modes and security. Never reads names, descriptions or examples."""

from typing import Any

from cardtrail.events.model.card import SchemeKind, Shape
from cardtrail.events.model.value import Value


class Reason(Value):
    """Why a card is unusable for this client: kebab-case code, detail for a person, JSON path in the card."""

    code: str
    detail: str
    path: str = ""


class Interface(Value):
    """An endpoint in profile form: `version` Major.Minor, as served where it is no such thing, "" where none is stated.

    `tenant` is sent verbatim.
    """

    url: str
    binding: str
    version: str
    tenant: str | None = None
    supported: bool = True


class Extension(Value):
    """A declared extension; `params_digest` is sha256 over its canonical params, None without params."""

    uri: str
    required: bool = False
    known: bool = False
    params: dict[str, Any] | None = None


class Scheme(Value):
    """A security scheme as far as it decides calls; `urls` by member name; `digest` covers all that redefines it."""

    kind: SchemeKind
    flow: str | None = None
    location: str | None = None
    parameter: str | None = None
    http_scheme: str | None = None
    pkce_required: bool = False
    urls: dict[str, str] = {}
    problem: str | None = None


class Alternative(Value):
    """One way to be let in: all the named schemes, each with the scopes it needs; none at all = anonymous."""

    schemes: dict[str, tuple[str, ...]] = {}


class SkillProfile(Value):
    """What one skill takes and gives; modes as served, in the card's order, defaults already applied.

    `security` holds the skill's own alternatives, None where it states none (then the card's hold alone). Both levels hold
    together, an interpretation recorded in `Profile.security_reading`. Where several skills of the card have this id, all that
    any of them offers stands here, and `disputed` what not all of them say: `input text/plain`, `output …`, `security`.
    """

    input: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    security: tuple[Alternative, ...] | None = None
    tags: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()


class Profile(Value):
    """The effective profile of one agent for one client and principal.

    `sdk_choice` maps an SDK name (`python`, `js`) to the interface it would take, only where that differs from `interface`.
    `provenance` maps a member of this profile (`skills.quote.input`) to the JSON path in the card it came from; it is not part
    of the digest, nor is `shape`.
    """

    usable: bool
    reasons: tuple[Reason, ...] = ()
    shape: Shape = "1.0"
    interface: Interface | None = None
    interfaces: tuple[Interface, ...] = ()
    sdk_choice: dict[str, Interface | None] = {}
    streaming: bool = False
    push: bool = False
    extended_card: bool = False
    extensions: tuple[Extension, ...] = ()
    schemes: dict[str, Scheme] = {}
    security: tuple[Alternative, ...] = ()
    security_reading: str = "card and skill"
    default_input: tuple[str, ...] = ()
    default_output: tuple[str, ...] = ()
    skills: dict[str, SkillProfile] = {}
    provenance: dict[str, str] = {}


class TextFinding(Value):
    """Something odd in a card's text: kind (`invisible`, `bidi`, `control`, `instructs`), where, how often."""

    kind: str
    path: str
    count: int = 1


class Identity(Value):
    """What is not capability: name, version, provider, signer, digest of all prose, and what its text hides.

    `signature` is verified, unverifiable, absent or invalid; `covers_security` is False where the form that verified does not
    see the card's security members (A2A facts §4.5). `signer` is the thumbprint of the key that decides, `signers` every key
    whose signature is good: thumbprint → key id.
    """

    name: str = ""
    version: str = ""
    provider: str = ""
    signature: str = "absent"
    signer: str | None = None
    signers: dict[str, str] = {}
    form: str | None = None
    covers_security: bool = True
    legacy_security: str = ""
    text_findings: tuple[TextFinding, ...] = ()
