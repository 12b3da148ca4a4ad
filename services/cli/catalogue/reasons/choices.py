"""Why an agent may not be chosen, a call is not planned, or a planner's answer is what it is."""

from cardtrail.services.card.unusable import Why

_LOOK = "cardtrail show AGENT, cardtrail history AGENT"

CHOICES: dict[str, Why] = {
    "claim-contradicted": Why(
        "A test or a real call has shown that the claim does not hold", "cardtrail show AGENT says which test, and when"
    ),
    "credential-foreign-host": Why(
        "The credential held for the agent is not for the host of its endpoint",
        "name the host in its hosts, if it may have it",
    ),
    "cross-origin": Why(
        "The endpoint lies on another origin than the card, which its source forbids", "same_origin_only says so"
    ),
    "mode-not-given": Why("The skill gives none of the media types that are wanted", "ask for one that it gives"),
    "mode-not-taken": Why("The skill does not take a media type that is sent", "send one that it takes"),
    "no-profile": Why("Nothing usable is known of the agent", _LOOK),
    "not-allowed": Why(
        "Agent and host are not on the list of those that may be chosen", "[discovery] allow names them"
    ),
    "scheme-not-implemented": Why(
        "The client does not implement this kind of security", "name it under [client] schemes, if it does"
    ),
    "scheme-unreadable": Why(
        "A security scheme is not declared, or cannot be read", "cardtrail lint says where; tell the provider"
    ),
    "skill-not-offered": Why(
        "No skill has the id or the tags that are wanted", "the detail names the tags that are offered"
    ),
    "stale": Why("The agent was not heard within the staleness that the policy allows", _LOOK),
    "streaming-not-offered": Why("The card does not declare streaming", "ask without --streaming, or another agent"),
    "tenant-differs": Why("The registry lists the agent for another tenant", "ask with that tenant, or another agent"),
    "token-host-untrusted": Why(
        "Tokens for the agent come from a host that is neither on its own site nor named by you",
        "[discovery] token_hosts names it, if client secrets may go there",
    ),
}
CALLS: dict[str, Why] = {
    "interface-unfit": Why(
        "A fragment in the interface's URL, or a tenant of dots, keeps requests from it", "cardtrail lint says where"
    ),
    "request-unfit": Why(
        "A task id, message or request id is no valid Unicode, no JSON, or leads to another path",
        "the detail says which; it came from the program, or from the agent's answer",
    ),
    "binding-not-http": Why("The chosen interface is not spoken over HTTP", "call it with a client of that binding"),
    "mode-not-taken": Why("The skill does not take a media type of the message", "send one that it takes"),
    "not-permitted": Why("No delegation is permitted now", "may_delegate says why, cardtrail can-i-delegate as well"),
    "operation-not-claimed": Why(
        "The card does not declare the operation", "use the plain operation, or another agent"
    ),
    "operation-unknown": Why("The operation is not one about a task", "the detail names those that are"),
    "profile-unknown": Why(
        "The agent's profile has not arrived, or is not kept", "wait for `caught-up`; is the agent tracked?"
    ),
    "profile-unusable": Why(
        "This client cannot call the agent", "cardtrail show AGENT says why its profile is unusable"
    ),
    "skill-unknown": Why(
        "The profile has no such skill", "the lock and the agent name it differently: skills of its fallback"
    ),
}
DELEGATIONS: dict[str, Why] = {
    "ambiguous": Why("Several locks of the workflow name the skill", "their order is that of their pins; release one"),
    "blind": Why(
        "Changes may be missed: no broker, a snapshot alone, or a service that is silent",
        "cardtrail doctor; when_blind decides",
    ),
    "degraded": Why(
        "The agent may be used without the operations that its detail names", "do not stream, or not push, meanwhile"
    ),
    "not-caught-up": Why("What the tracker knows has not all arrived yet", "wait for `caught-up`"),
    "not-locked": Why("No lock of the workflow names the skill", "cardtrail track --lock FILE"),
    "pending": Why(
        "The lock awaits its first decision, or nobody watches the agent",
        "cardtrail can-i-delegate --wait 60s, cardtrail agents",
    ),
    "review": Why(
        "A person should look at what changed; delegation goes on", "cardtrail explain WORKFLOW, then cardtrail ack"
    ),
    "stale": Why("The agent was not heard in time", _LOOK),
    "stopped": Why(
        "A decision stops the agent for this workflow", "cardtrail explain WORKFLOW says why and what would end it"
    ),
    "unjudged": Why(
        "No lock has the agent judged for this workflow", "pin a lock on it: cardtrail pin, cardtrail track --lock"
    ),
}
