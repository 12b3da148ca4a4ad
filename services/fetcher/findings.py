"""What can be odd about the way a card was had, as numbered findings (CT100–CT149); what is odd in it is `services.card`'s."""

from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.catalogue import Rule

_RULES = (
    Rule("CT100", "legacy-path", "info", "found under the old name {url}", "serve /.well-known/agent-card.json too",
         "The well-known name changed with A2A 0.3.0; newer clients ask only for the new one (A2A §8.2)."),
    Rule("CT101", "paths-disagree", "warning", "{url} serves another card ({other}) than {used} ({digest})",
         "serve one card under both names", "Old and new clients see two different agents."),
    Rule("CT102", "server-lied-304", "warning", "answered 304 although the card differs from {digest}",
         "derive the ETag from the whole card",
         "A server that denies a change hides it from every client that caches (RFC 9110 §13.1)."),
    Rule("CT103", "nested-well-known", "info", "a well-known name below a path: {url}", "",
         "Well-known names belong to the root of an origin (RFC 8615 §3); below a path the name means nothing."),
    Rule("CT104", "redirected", "info", "{url} was reached by redirects", "point the source at the final URL",
         "The origin of a card is the URL that served it."),
    Rule("CT105", "registry-digest-differs", "warning", "the registry states {stated}, the card is {digest}",
         "have the entry renewed; until then ask the provider which card is theirs",
         "The entry is out of date, or somebody serves another card than the one that was registered."),
    Rule("CT106", "registry-digest-unreadable", "info", "the registry states the digest {stated}",
         "state sha256: and 64 hexadecimal digits",
         "A digest of another form, or of a card without a canonical one, compares with nothing."),
    Rule("CT110", "extended-not-configured", "info", "the agent has no extended card ({error})",
         "take extendedAgentCard out of the capabilities",
         "The flag is set and nothing is there: the public card is all there is (A2A §3.1.11)."),
    Rule("CT111", "extended-unsupported", "warning", "the agent declares an extended card and answers {error}",
         "answer ExtendedAgentCardNotConfiguredError, or take the flag out",
         "Unsupported is the answer of an agent that does not declare it; the public card is used (A2A §3.1.11)."),
    Rule("CT112", "extended-is-public", "warning", "the extended card is the public one",
         "check that the credential is accepted",
         "Some servers give their public card to callers they do not know: success proves no authentication."),
)  # fmt: skip

FETCH_FINDINGS: dict[str, Rule] = {rule.code: rule for rule in _RULES}


def fetch_finding(code: str, **facts: str) -> Diagnostic:
    """The finding of one rule; facts are URLs and digests, capped."""
    rule = FETCH_FINDINGS[code]
    shown = {name: fact[:200] for name, fact in facts.items()}
    return Diagnostic(
        code=code, name=rule.name, level=rule.level, path="$", message=rule.says.format(**shown), hint=rule.hint
    )
