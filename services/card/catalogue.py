"""Every finding that reading one card can give, and every reason to refuse it; numbers and names are never reused.

`says` and `hint` are filled with facts about the place; card text among them is shown quoted and capped.
"""

from difflib import get_close_matches
from itertools import islice
from typing import Any, NamedTuple

from cardtrail.events.model.finding import Diagnostic, Level
from cardtrail.services.card.paths import shown, visible

_CARD_VALUES = frozenset(("found", "won"))
_LONGEST_FACT = 120
_MOST_CANDIDATES = 100


class Rule(NamedTuple):
    """One kind of finding: number, kebab-case name, level, the sentence about a place, what to do, why it matters."""

    code: str
    name: str
    level: Level
    says: str
    hint: str
    why: str


_RULES = (
    # The JSON itself
    Rule("CT001", "member-repeated", "error", "given again with the same value as on line {line}", "keep one",
         "JSON readers disagree about repeated members; equal values are harmless today, a later edit of one is not."),
    Rule("CT002", "byte-order-mark", "info", "the document starts with a byte order mark", "write UTF-8 without it",
         "RFC 8259 §8.1 forbids writers a byte order mark; some readers refuse it."),
    Rule("CT003", "snake-case-member", "error", "spelled {served}", "write {name}",
         "A2A JSON uses camelCase names (A2A §5.5); a strict reader does not see this member."),
    Rule("CT004", "spelling-repeated", "error", "given in two spellings, {served} beside {name}, with one value",
         "keep {name}", "Readers disagree about which spelling wins, so a later edit of one changes the card for some."),
    Rule("CT005", "member-unknown", "info", "{name} is no member of {message}", "{near}",
         "Unknown members are kept as evidence and never enter the profile (A2A §5.7)."),
    Rule("CT006", "null-item", "error", "null in a list", "leave the item out", "A list item cannot be unset."),
    # Members and types
    Rule("CT010", "required-missing", "error", "{name} is missing; {message} requires it", "state it",
         "REQUIRED members must be present (A2A §5.7); a strict client refuses the card without it."),
    Rule("CT011", "required-empty", "error", "{name} is empty; {message} requires a value", "state at least one value",
         "A REQUIRED member must be set, a REQUIRED list must have an element (A2A §5.7)."),
    Rule("CT012", "wrong-type", "error", "{found} where {due} is due; {read}", "write {due}",
         "A strict client refuses the card because of this value."),
    Rule("CT013", "text-for-object", "error", "a bare text where {due} is due, read as its {member}", "write an object",
         "A strict client refuses the card; read here as the shortest object that it can mean."),
    Rule("CT014", "capabilities-list", "error", "a list where an object of flags is due; every flag counts as absent",
         'write {{"streaming": true}} or {{}}', "A2A capabilities are an object of flags (A2A §4.4.3)."),
    Rule("CT015", "flag-not-boolean", "error", "{found} where true or false is due; {read}", "write true or false",
         'A flag must be JSON true or false; clients read a text differently, "False" even as true.'),
    # Interfaces
    Rule("CT017", "binding-unknown", "error", "{found} is no known binding", "{near}",
         "Bindings are compared letter by letter (A2A §4.4.6); a client skips this endpoint."),
    Rule("CT018", "binding-not-uri", "warning", "{found} is neither a core binding nor a URI",
         "name a custom binding by a URI", "Custom bindings should be URIs (A2A §5.8), plain words clash."),
    Rule("CT019", "version-with-patch", "warning", "protocol version {found} carries more than Major.Minor",
         'write "{version}"', "Patch numbers should not appear and take no part in matching (A2A §3.6)."),
    Rule("CT020", "version-unreadable", "error", "{found} is no protocol version", 'write Major.Minor such as "1.0"',
         "Clients match Major.Minor (A2A §3.6); this endpoint matches none."),
    Rule("CT021", "version-looks-like-mcp", "error", "{found} looks like an MCP version", 'A2A versions read "1.0"',
         "MCP names its versions by date, A2A by Major.Minor; this endpoint matches no A2A client."),
    Rule("CT022", "version-unreleased", "warning", "no A2A version {version} has been released", 'did you mean "1.0"?',
         "No client can implement a version that does not exist."),
    Rule("CT023", "interface-repeated", "info", "the same endpoint as {first}", "leave one out",
         "A repeated entry (binding, version, URL, tenant) tells a client nothing."),
    Rule("CT024", "legacy-interface-member", "error", "{served} is the 0.x name", "write {name}",
         "An entry of supportedInterfaces uses 1.0 names (A2A §4.4.6); a strict client sees no binding here."),
    Rule("CT025", "endpoint-empty", "error", "an empty endpoint URL", "state the absolute URL",
         "No call can be made to an empty URL."),
    Rule("CT026", "endpoint-relative", "error", "{found} is no absolute URL", "state it with scheme and host",
         "An endpoint must be absolute (A2A §4.4.6); clients do not resolve it against the card's own URL."),
    Rule("CT027", "endpoint-unusable", "error", "{found} cannot be called: {reason}", "state a plain http(s) URL",
         "What two URL readers could understand in two ways is not called at all."),
    Rule("CT028", "endpoint-loopback", "warning", "{found} is the caller's own machine", "state the public endpoint",
         "A loopback address names whoever reads the card, never the agent."),
    Rule("CT029", "endpoint-private", "warning", "{found} is not public: {reason}", "state the public endpoint",
         "The address exists only inside the provider's network; outside it can be anything."),
    Rule("CT030", "endpoint-cleartext", "warning", "{found} is not encrypted", "serve it over https",
         "Production traffic must be encrypted (A2A §7.1)."),
    Rule("CT031", "endpoint-cross-origin", "warning", "{found} is not on the card's origin {origin}",
         "check that both belong to one provider", "Nothing binds an endpoint to the card: calls and credentials go there."),
    Rule("CT032", "version-not-stated", "warning", "no protocol version is stated for any endpoint",
         'state protocolVersion such as "0.3.0"', "A client that looks for a version it implements skips these endpoints."),
    Rule("CT033", "tenant-unusable", "error", "the tenant {found} leads to another path", "state a tenant that is a name",
         "Over HTTP+JSON the tenant stands in the path (A2A §11), and a segment of dots is resolved away (RFC 3986 §5.2.4)."),
    # Security
    Rule("CT040", "scheme-undeclared", "error", "{name} is not declared in securitySchemes", "{near}",
         "Nobody can know how to satisfy a scheme that is not declared."),
    Rule("CT041", "scheme-unused", "info", "{name} is declared and never required", "require it or leave it out",
         "A scheme without a requirement protects nothing."),
    Rule("CT042", "scheme-oneof", "error", "{found} together where exactly one is due", "declare one scheme for each",
         "Exactly one kind, and one OAuth flow, per scheme (A2A §4.5); readers refuse the card or pick one."),
    Rule("CT043", "scheme-unreadable", "error", "the scheme cannot be read: {reason}", "declare one of the five kinds",
         "A requirement on it cannot be satisfied."),
    Rule("CT044", "oauth2-no-flow", "error", "OAuth 2 without a flow", "state exactly one flow",
         "flows is REQUIRED (A2A §4.5.4); without it no token can be had."),
    Rule("CT045", "oauth2-flows-split", "info", "{count} flows in one scheme, read as one scheme each",
         "1.0 allows one flow per scheme", "0.x allows several flows side by side, 1.0 does not: the upgrade must split them."),
    Rule("CT046", "python-alias", "error", "in_ is a Python name", "write in",
         "The SDK's own attribute name leaked into the card; other readers find no location."),
    Rule("CT047", "case-leak", "error", "$case/value is an SDK's internal form", 'write {{"{kind}": …}}',
         "A serializer leaked its internal form; other readers find no scheme here."),
    Rule("CT048", "requirement-shape", "error", "a requirement in the {shape} shape",
         'write {{"schemes": {{"name": {{"list": []}}}}}}',
         "A strict 1.0 reader finds no scheme or no scopes here, and takes it for anonymous access."),
    Rule("CT049", "scheme-type-unknown", "error", "type {found}, read as {kind}", "write {due}",
         "The type is none of the five; a strict client refuses the scheme."),
    Rule("CT050", "anonymous-alternative", "info", "anonymous access is one of the alternatives", "",
         "An empty requirement beside others makes every other one optional."),
    Rule("CT051", "scope-undeclared", "warning", "scope {found} is not among those the flow offers", "{near}",
         "The authorization server will probably refuse a scope that the flow does not list."),
    Rule("CT052", "flow-deprecated", "warning", "the {flow} flow is deprecated", "use authorizationCode or clientCredentials",
         "OAuth 2.1 has removed it; A2A 1.0 marks it as deprecated (A2A §4.5)."),
    Rule("CT053", "credential-url-unsafe", "warning", "{name} {found}: {reason}", "state a public https URL",
         "Credentials are sent there."),
    Rule("CT054", "credential-cross-origin", "warning", "{name} {found} is not on the card's origin {origin}",
         "check that both belong to one provider", "Credentials are sent to a host that the card alone names."),
    Rule("CT055", "authentication-malformed", "error", "the authentication block cannot be read: {reason}",
         'write {{"schemes": ["Bearer"]}}', "Nobody can tell what this agent wants of its callers."),
    Rule("CT056", "credential-in-card", "warning", "credentials stand in a card", "take them out and replace them",
         "Cards are public; a card should not hold credentials (A2A §13.3)."),
    # Skills and modes
    Rule("CT060", "skill-id-repeated", "error", "skill id {found} stands at {first} already", "give each skill its own id",
         "A skill is known by its id alone: what two of one id do not agree on, no caller can know."),
    Rule("CT061", "skill-unnamed", "error", "a skill without id is in no profile", "give it an id",
         "Nobody can ask for, or lock, a skill that has no id."),
    Rule("CT062", "mode-not-media-type", "warning", "{found} is no media type", "{near}",
         "Modes are media types; a bare word is compared as it stands and matches nothing else."),
    Rule("CT063", "mode-repeated", "info", "{found} stands twice", "leave one out", "Modes are a set."),
    Rule("CT064", "skill-without-modes", "error", "skill {found} has no {side} modes and the card no defaults",
         "state {name}", "There is no implied default: the skill takes or gives nothing."),
    # Extensions
    Rule("CT070", "extension-without-uri", "error", "an extension without URI", "state its uri",
         "An extension is known by its URI alone."),
    Rule("CT071", "extension-repeated", "warning", "extension {found} again; {first} counts", "declare it once",
         "Two declarations of one URI may disagree on required or params."),
    Rule("CT072", "extension-not-uri", "warning", "{found} is no absolute URI", "name it by a URI",
         "Extension names without an authority clash."),
    # Generations
    Rule("CT080", "legacy-card", "info", "a card in the {shape} form, read as 1.0", "serve supportedInterfaces too",
         "1.0 clients look for supportedInterfaces; the 0.x form has been superseded."),
    Rule("CT081", "legacy-member", "info", "{name} belongs to 0.x and is not read in a 1.0 card", "",
         "In a hybrid card the 1.0 members win."),
    Rule("CT082", "hybrid-conflict", "warning", "{name} says {found}, the 1.0 members say {won}; these win",
         "make both say the same", "0.x and 1.0 clients read two different agents from this card."),
    Rule("CT083", "legacy-member-used", "warning", "{name} belongs to 0.x; read because {instead} is absent",
         "write {instead}", "A 1.0 client does not see this member and takes the card as if it were not there."),
    Rule("CT084", "legacy-claims-newer", "error", "a 0.x body that claims protocol version {found}",
         "state supportedInterfaces", "1.0 clients find no endpoint in this card."),
    Rule("CT085", "signature-malformed", "error", "not a JWS: {reason}", "state protected and signature as base64url texts",
         "A signature in any other form cannot be verified (A2A §4.4.7)."),
    Rule("CT086", "signature-repeated", "info", "the same signature as {first}", "sign once",
         "A server that signs a shared object grows its card with every answer."),
    # Signatures, once keys are held
    Rule("CT200", "signature-invalid", "error", "kid {kid}: {detail} ({reason})", "{todo}",
         "A signature by a held key that does not fit means that the card is not what was signed."),
    Rule("CT201", "signature-unverifiable", "warning", "kid {kid}: {detail} ({reason})", "{todo}",
         "Without a usable key, or a form that can be computed, a signature is neither good nor bad."),
    Rule("CT202", "signature-rewritten", "warning", "kid {kid}: fits when {paths} are as they were signed", "{todo}",
         "Gateways rewrite interface URLs and leave the signatures in place (A2A §8.4)."),
    Rule("CT203", "security-not-covered", "warning", "the form {form} does not show empty security members",
         "compare the security part as unsigned content",
         "Requirements without scopes and mTLS schemes can be added or removed and the signature still fits."),
    Rule("CT204", "members-not-covered", "info", "{count} members are not covered, the first {first}",
         "treat them as unsigned", "A form shows only what its signer looked at; the rest can be anybody's."),
    Rule("CT205", "signature-note", "info", "{note}", "",
         "Keys and references that a signature brings along are chosen by the signer and never believed."),
    Rule("CT206", "key-set-trouble", "warning", "{problem}", "mend the key set or its address",
         "Verification is only as good as the keys held."),
    Rule("CT207", "signed-then-unsigned", "error", "no signature, where this origin used to show a good one",
         "ask the provider whether signing was given up", "Removing signatures is the cheapest way around them."),
    Rule("CT208", "signing-key-new", "warning", "kid {kid} is by a key that this origin did not use before",
         "confirm the new key with the provider", "A rotation and a takeover look the same from outside."),
    Rule("CT209", "key-changed-under-same-kid", "error", "kid {kid} names another key than before",
         "ask the provider which key is right", "A key's name should never pass to another key (RFC 7517 §4.5)."),
    Rule("CT210", "signed-card-replayed", "warning", "an older signed card, replaced since, is served again",
         "ask the provider whether it was rolled back", "A signature holds no time: an old card verifies for ever."),
    Rule("CT211", "signed-version-went-back", "warning", "signed version {new} after {old}",
         "ask the provider whether it was rolled back", "A signature holds no time: an old card verifies for ever."),
    Rule("CT212", "uncovered-members-changed", "error", "the card changed under an unchanged signature (form {form})",
         "compare the security members and those of 0.x with the card before",
         "The form does not show empty security members nor those of 0.x: anybody on the way can change them."),
    Rule("CT213", "signature-stopped-verifying", "warning", "{outcome}, where this origin used to show a good signature",
         "compare with the last card that verified", "A proxy, a forgotten signing step or an attack."),
    # Texts
    Rule("CT090", "text-invisible", "error", "{count} invisible characters, the first {found}", "take them out",
         "Characters that nobody sees can carry text that only a model reads."),
    Rule("CT091", "text-bidi", "error", "{count} bidirectional controls, the first {found}", "take them out",
         "They make a text look different from what it says."),
    Rule("CT092", "text-control", "error", "{count} control characters, the first {found}", "take them out",
         "They can steer a terminal or a log."),
    Rule("CT093", "text-instructs", "warning", "the text addresses its reader: {found}", "describe, do not instruct",
         "Card texts reach language models that choose agents; instructions in them are an attack or look like one."),
    Rule("CT099", "more-findings", "info", "{count} more findings are not shown", "mend these first",
         "A card's findings are capped, so that a hostile card cannot flood the log."),
)  # fmt: skip

DIAGNOSTICS: dict[str, Rule] = {rule.code: rule for rule in _RULES}


def diagnostic(code: str, path: str, place: tuple[int, int] = (0, 0), **facts: Any) -> Diagnostic:
    """The finding of one rule at one JSON path.

    `facts` fill its sentences: `found` and `won` are card values, texts are card text; `among` are names of which the nearest
    to `found` or `name` is suggested.
    """
    rule = DIAGNOSTICS[code]
    filled = {name: _fit(name, fact) for name, fact in facts.items()} | {"near": facts.get("near") or _near(facts)}
    return Diagnostic(
        code=code,
        name=rule.name,
        level=rule.level,
        path=path,
        message=rule.says.format(**filled),
        hint=rule.hint.format(**filled),
        line=place[0],
        column=place[1],
    )


def _fit(name: str, fact: Any) -> Any:  # noqa: ANN401 — facts are shown, whatever they are
    if name in _CARD_VALUES:
        return shown(fact)
    return visible(fact[:_LONGEST_FACT]) if isinstance(fact, str) else fact


def _near(facts: dict[str, Any]) -> str:
    word = facts.get("found", facts.get("name"))
    if not isinstance(word, str) or "among" not in facts:
        return ""
    names = [name for name in islice(facts["among"], _MOST_CANDIDATES) if len(name) <= _LONGEST_FACT]
    lowered = {name.lower(): name for name in names}
    close = get_close_matches(word[:_LONGEST_FACT].lower(), lowered, n=1, cutoff=0.75)
    return f'did you mean "{visible(lowered[close[0]][:_LONGEST_FACT])}"?' if close else ""
