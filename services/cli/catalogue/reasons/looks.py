"""Why a look brought no card: what the door refused, what the status said, what a file was."""

from cardtrail.services.card.unusable import Why

_PROVIDER = "tell the provider; the last good profile stays meanwhile"
_NETWORK = "look at the network between here and there; it is tried again by itself, and the last good profile stays"
_OURS = "it is ours to mend: see the settings that its detail names"

LOOKS: dict[str, Why] = {
    "answer-mismatched": Why(
        "The answer has the id of another request", "a gateway gives it to the wrong one: tell the provider"
    ),
    "body-broken": Why("The body is cut short, or not in the coding that its header names", _PROVIDER),
    "body-too-large": Why(
        "The answer is larger than a card may be", "tell the provider, or raise limits in the settings"
    ),
    "certificate-expired": Why(
        "The server's certificate is not valid at this time", "tell the provider; is our own clock right?"
    ),
    "certificate-untrusted": Why(
        "Nobody whom we trust has signed the server's certificate",
        "an authority of your own goes into [tls] ca_bundle; else tell the provider",
    ),
    "certificate-wrong-host": Why(
        "The server's certificate is for other names", "is this the right host? else tell the provider"
    ),
    "client-error": Why(
        "The agent refuses the request with a status of 400 to 499", "is it the right address? its log says more"
    ),
    "connect-failed": Why("No connection could be made", _NETWORK),
    "connect-refused": Why("Nothing listens at this address and port", "is the agent up, and this its address?"),
    "connect-timeout": Why("No connection came about in the time allowed", _NETWORK),
    "connection-lost": Why("The connection ended before the answer did", _NETWORK),
    "content-encoding": Why("The answer is compressed in a way that was not asked for", _PROVIDER),
    "content-type": Why(
        "The answer is no JSON by its content type", "did a login page answer? a card is application/json"
    ),
    "credential-broken": Why(
        "The credential holds signs that no header may have", "write it anew: one line, without control characters"
    ),
    "credential-echoed": Why(
        "The answer repeats the credential that was sent, and is not kept",
        "tell the provider, and renew the credential: whoever sees such answers has it",
    ),
    "credential-foreign-host": Why(
        "The credential is not for the host that the call goes to",
        "name the host in the credential's hosts, if it may have it",
    ),
    "credential-missing": Why(
        "The variable or file of a credential is empty or absent", "set it where the service runs"
    ),
    "credential-twice": Why("The request brings a credential and the transport has one, too", "leave one of them out"),
    "cross-origin-interface": Why(
        "The card has an endpoint on another origin, which its source forbids",
        "same_origin_only says so; set it to false where that is agreed with the provider",
    ),
    "decompressed-too-large": Why("The body grows beyond all measure when it is unpacked", _PROVIDER),
    "document-missing": Why(
        "The card that a registry's entry held is not kept any more", "the registry's next walk brings it again"
    ),
    "door-busy": Why("No connection to this host was free in time", "raise limits.per_host, or look less often"),
    "event-too-large": Why(
        "One event of a stream is larger than it may be", "tell the provider, or raise probes.event_bytes"
    ),
    "extended-card-error": Why(
        "The agent answers an error where its extended card should be", "the detail has the error; tell the provider"
    ),
    "file-missing": Why("The file is not there, or is none", "name a file that is there: file under [agents.NAME]"),
    "file-unreadable": Why("The file cannot be read", "may the service's account read it?"),
    "forbidden": Why("The agent answers 403", "is the credential right, and is it allowed to see the card?"),
    "gone": Why("The agent answers 410: it is gone for good", "cardtrail untrack it, or track it at its new address"),
    "header-forbidden": Why("A header was set that only the door sets", "leave it out of the request"),
    "headers-too-large": Why("The header of the answer is larger than it may be", _PROVIDER),
    "method": Why("The method is not one that is sent to agents", "GET, POST and DELETE are"),
    "method-not-allowed": Why("The agent answers 405", "is this the card's address?"),
    "name-unknown": Why(
        "The host's name has no address", "is it spelled right, and does this machine's resolver know it?"
    ),
    "no-place": Why("The target names no URL to look at", "cardtrail track it as a domain, a URL or a file"),
    "not-an-extended-card": Why("What came is no answer to the question for the extended card", _PROVIDER),
    "not-found": Why(
        "Nothing is at this address", "is it the card's own URL? then --exact, or card_url in the settings"
    ),
    "not-modified-unasked": Why("The agent answers that nothing changed, and was not asked", _PROVIDER),
    "protocol-broken": Why("What came is no HTTP", "is something else listening there, or TLS on a port without?"),
    "proxy-missing": Why(
        "The environment is to name a proxy and names none",
        "set HTTPS_PROXY where the fetcher runs, or proxy under [tls]",
    ),
    "proxy-refused": Why("The proxy refuses the call", "look at the proxy's rules and its password"),
    "public-card-again": Why(
        "Where the extended card should be, the public one came",
        "does the credential reach the agent? some answer so to strangers",
    ),
    "read-timeout": Why("Nothing more came for too long", _NETWORK),
    "redirect-cross-origin": Why(
        "A redirect leads to another origin", "track the agent where it leads, if that is right"
    ),
    "redirect-loop": Why("Redirects follow each other without end", _PROVIDER),
    "redirect-refused": Why(
        "The answer is a redirect, and none is followed there", "track the agent where it leads, if that is right"
    ),
    "redirect-target": Why("A redirect leads to no URL that may be called", _PROVIDER),
    "request-invalid": Why("The request could not be written", _OURS),
    "request-too-large": Why("What is to be sent is larger than it may be", "send less"),
    "resolver-failed": Why("The resolver of this machine did not answer", _NETWORK),
    "resolver-timeout": Why("The resolver of this machine did not answer in time", _NETWORK),
    "scheme": Why("The URL is neither https nor http", "write https://…"),
    "server-error": Why("The agent answers with a status of 500 or above", _PROVIDER),
    "signature-invalid": Why(
        "A key that is trusted signed another card than this one",
        "cardtrail verify says which form was tried; tell the provider",
    ),
    "status-unexpected": Why("The status is none that brings a card", _PROVIDER),
    "throttled": Why("The agent answers 429: we ask too often", "every under [agents.NAME] asks less often"),
    "tls-failed": Why("No TLS connection came about", "does the port speak TLS, in a version that is not outdated?"),
    "token-refused": Why(
        "The token endpoint gives no token", "client id, secret and scopes of the credential: are they right?"
    ),
    "token-unreachable": Why("The token endpoint does not answer", _NETWORK),
    "total-timeout": Why("The whole answer did not come in the time allowed", _NETWORK),
    "unauthorized": Why("The agent answers 401", "name a credential for it: credentials under [agents.NAME]"),
    "unavailable": Why("The agent, or a gateway before it, is not available", _PROVIDER),
    "unexpected-error": Why("Something failed that nobody foresaw", "please report the line in the service's log"),
    "write-timeout": Why("The request could not be sent in the time allowed", _NETWORK),
}
