"""What came of a test of a claim, and why none was sent."""

from cardtrail.services.card.unusable import Why

_AGAIN = "nothing was learned; it is tried again by itself"
_CARD = "the card claims what is not so: tell the provider, or do without"
_CONTRACT = "[agents.NAME.contract] says what was agreed: cardtrail help settings"

TESTS: dict[str, Why] = {
    "held": Why("The claim stood the test", "nothing is to be done"),
    "contradicted": Why("The agent itself showed that the claim is false", _CARD),
    "inconclusive": Why("Nothing was learned about the claim; never evidence against the agent", _AGAIN),
    "accepted": Why("A message of the declared media type was taken", "a weak proof: many servers check nothing"),
    "answer-mismatched": Why(
        "The answer was that to another request", "a gateway gives answers to the wrong one: tell the provider"
    ),
    "authentication": Why(
        "The agent did not let us in, so nothing was learned", "does the credential of the agent still hold?"
    ),
    "authentication-demanded": Why("The agent declares no security and demands one", _CARD),
    "buffered": Why(
        "Events that were made over seconds arrived at once", "a proxy holds the stream back: tell the provider"
    ),
    "content-type-refused": Why("A declared media type was not taken", _CARD),
    "distinct": Why("The extended card is another one than the public card", "nothing is to be done"),
    "empty": Why("The answer was empty", _CARD),
    "empty-stream": Why("The stream ended before any event", _CARD),
    "enforced": Why("What the card requires is required", "nothing is to be done"),
    "event-received": Why("A first event of the stream came", "nothing is to be done"),
    "given": Why("A part of the declared media type was given", "nothing is to be done"),
    "interrupted": Why(
        "A request left and nobody saw what came of it", "it is not sent again at once: its budget is spent"
    ),
    "let-in": Why(
        "The agent declares security and answers without a credential", "tell the provider: anybody is let in"
    ),
    "method-unknown": Why(
        "The agent does not know the method of the declared interface", "probably an older server: tell the provider"
    ),
    "no-answer": Why("No answer came", _AGAIN),
    "no-part": Why("The answer held no part whose media type could be judged", _AGAIN),
    "no-route": Why("Nobody serves A2A at the declared endpoint", _CARD),
    "not-a-card": Why("Where the extended card should be, something else came", _CARD),
    "not-a-stream": Why(
        "A plain answer came where a stream is declared", "a proxy may be at fault; calls go without streaming"
    ),
    "not-a2a": Why("What answers does not speak A2A", "is it the agent, or something before it?"),
    "not-configured": Why("An extended card is declared and none is configured", _CARD),
    "not-enforced": Why("What the card requires is not checked", "nothing is shown either way: servers need not check"),
    "other-error": Why("An error that is no evidence about the claim", "cardtrail history AGENT --json has its name"),
    "other-media-type": Why("Another media type was given than the declared one", _CARD),
    "public-card-again": Why("The extended card is the public one", "does the credential reach the agent?"),
    "refused": Why("Without a credential the agent lets nobody in, as declared", "nothing is to be done"),
    "server-error": Why("The agent failed by itself", _AGAIN),
    "stream": Why("A stream came where a plain answer is due", _CARD),
    "task-not-found": Why(
        "The agent knows no task of an id that cannot exist: it speaks binding and version", "nothing is to be done"
    ),
    "throttled": Why("The agent asked for less", _AGAIN),
    "unavailable": Why("The agent was not available", _AGAIN),
    "unexpected-error": Why("The test itself failed", "please report the line in the prober's log"),
    "unreadable-answer": Why("The answer cannot be read as A2A", _AGAIN),
    "unsupported": Why("The agent itself says that it does not support what it declares", _CARD),
    "version-header-lost": Why("Something on the way drops the A2A-Version header", "tell whoever runs the gateway"),
    "version-refused": Why(
        "The agent refuses a version, the declared one or one that cannot be",
        "where it is the declared one: tell the provider",
    ),
    "no-contract": Why("A test that runs a message needs a safety contract, and there is none", _CONTRACT),
    "not-agreed": Why("The safety contract leaves this test, or this skill, out", _CONTRACT),
    "host-not-agreed": Why(
        "The endpoint is not on the host that the contract was made for",
        "agree anew with the provider: base_url, hosts",
    ),
    "no-message": Why(
        "The contract has no message of the media type in question", "add one to messages of the contract"
    ),
    "quiet-hours": Why("The contract's quiet hours are on", "the test follows when they end"),
    "budget-spent": Why("The contract's messages of the day are spent", "the test follows when one is free"),
    "too-soon": Why("The contract wants more time between two messages", "the test follows by itself"),
}
