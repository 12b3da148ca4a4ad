"""The words for how an agent or a lock stands, and for what a decision makes of it."""

from cardtrail.services.card.unusable import Why

_LOOK = "cardtrail history AGENT says what came, and since when"

WORDS: dict[str, Why] = {
    "allow": Why("Delegation goes on", "nothing is to be done"),
    "allow-degraded": Why(
        "Delegation goes on without some operations", "do not use the ones that the decision names as degraded"
    ),
    "probe": Why("Delegation goes on while tests are made", "cardtrail explain WORKFLOW says what is in question"),
    "stop": Why(
        "No new delegation is made to the agent; running tasks go on",
        "cardtrail explain WORKFLOW says what would end it",
    ),
    "compatible": Why("The agent offers what the workflow needs", "nothing is to be done"),
    "breaking": Why("The agent no longer offers something that the workflow needs", "cardtrail explain WORKFLOW"),
    "pending": Why(
        "The lock awaits its first decision", "the next look at the agent brings it: cardtrail refresh AGENT --wait"
    ),
    "unknown": Why(
        "Nobody judges the agent for this workflow", "pin a lock on it: cardtrail pin, cardtrail track --lock"
    ),
    "fresh": Why("The agent answered within the staleness that the policy allows", "nothing is to be done"),
    "unreachable": Why("No answer came that says anything of a card", _LOOK),
    "unreadable": Why("What was answered is no card, or leads where nobody may follow", _LOOK),
    "signature": Why("The card was refused for its signature", _LOOK),
    "unheard": Why("The agent has not answered yet", "cardtrail refresh AGENT --wait looks now"),
    "stale": Why("No answer for longer than the policy's staleness, or a test that grew too old", _LOOK),
    "contradicted": Why(
        "The agent itself showed that a claim is false", "cardtrail show AGENT says which test, and when"
    ),
    "inconclusive": Why("A test was made and nothing was learned", "it is tried again by itself"),
    "review": Why(
        "A person should look at what changed; delegation goes on", "cardtrail explain WORKFLOW, then cardtrail ack"
    ),
    "unwatched": Why("Nobody watches the agent, or nobody does any more", "cardtrail track TARGET --name AGENT"),
    "claimed": Why(
        "The card says so, and no test has been made", "cardtrail probe AGENT tests it, if a safety contract allows it"
    ),
    "verified": Why("A test has shown that the claim holds", "nothing is to be done"),
}
NOTICES: dict[str, Why] = {
    "channel-unset": Why(
        "The channel has no URL", "set the variable that url_env of the channel names, where the notifier runs"
    ),
    "gave-up": Why(
        "The owner could not be told in the time that [notices] give_up allows",
        "what follows it says why; tell the owner",
    ),
}
REPORTS: dict[str, Why] = {
    "timeout": Why("A planner's call was not answered in time", _LOOK),
    "connect": Why("A planner's call came to no connection", _LOOK),
    "tls": Why("A planner's call came to no TLS connection", _LOOK),
    "empty-stream": Why("A planner's stream ended before any event", "calls go without streaming while it stands"),
    "not-a-stream": Why(
        "A planner asked for a stream and had a plain answer", "calls go without streaming while it stands"
    ),
    "not-a2a": Why(
        "A planner's call was answered with something that is no A2A", "is it the agent, or something before it?"
    ),
    "too-large": Why("A planner's call brought more than it takes", "ask for less, or raise the planner's own limit"),
    "other": Why("A planner's call failed in another way", "the planner's own log says how"),
}
