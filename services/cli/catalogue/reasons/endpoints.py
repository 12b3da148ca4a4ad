"""Why a URL or an address may not be called; for cards, endpoints, redirects and token hosts alike."""

from cardtrail.services.card.unusable import Why

_OWN = "where that is a network of your own, name it: networks under [agents.NAME], or --network CIDR"
_SPELL = "write it as every reader reads it: https://host/path"

ENDPOINTS: dict[str, Why] = {
    "6to4": Why("The address leads through 6to4 to another one", _OWN),
    "address-invalid": Why("What stands in brackets is no IPv6 address", _SPELL),
    "authority": Why("Host and port cannot be told apart", _SPELL),
    "backslash": Why("The URL has a backslash, which some read as a slash", _SPELL),
    "benchmark": Why("The address is set aside for measurements", _OWN),
    "broadcast": Why("The address is that of everybody at once", _OWN),
    "cgnat": Why("The address is one of a carrier's own network", _OWN),
    "cleartext": Why(
        "The URL is http: anybody on the way may read and change it",
        "cleartext = true, or --cleartext, where that is agreed",
    ),
    "control-character": Why("The URL has a control character or a space", _SPELL),
    "documentation": Why("The address is for examples alone", _OWN),
    "fragment": Why("The URL ends in a fragment, which is never sent", "leave out # and what follows"),
    "host-invalid": Why("The host is no name", _SPELL),
    "host-not-allowed": Why(
        "The host is not one of those allowed", "allowed_hosts of the agent or the lock names it, if it may be called"
    ),
    "idn-invalid": Why("The international name is none by IDNA", _SPELL),
    "isatap": Why("The address leads through ISATAP to another one", _OWN),
    "link-local": Why("The address is one of this machine's own cable", _OWN),
    "local-name": Why("The name is one of a local network", _OWN),
    "loopback": Why("The address is this machine itself", _OWN),
    "metadata": Why("A cloud gives its machines' secrets away there", "it opens for the exact address or name alone"),
    "multicast": Why("The address is that of a group", _OWN),
    "nat64": Why("The address leads through NAT64 to another one", _OWN),
    "no-host": Why("The URL names no host", _SPELL),
    "no-scheme": Why("The URL names no scheme", _SPELL),
    "non-ascii-digits": Why("The host has digits of another script, which some read as an address", _SPELL),
    "not-an-address": Why("The name leads to something that is no address", "look at its DNS"),
    "numeric-host": Why(
        "The host is a number that some read as an address", "write the address with four numbers and dots"
    ),
    "percent-encoded-host": Why("The host is percent-encoded", _SPELL),
    "port": Why("The port is no number from 1 to 65535", _SPELL),
    "port-not-allowed": Why(
        "The port is not one of those allowed", "name it in ports of the agent, if it may be called"
    ),
    "private": Why("The address is one of a private network", _OWN),
    "reserved": Why("The address is set aside for later", _OWN),
    "scheme": Why("The URL is neither https nor http", _SPELL),
    "site-local": Why("The address is one of a private network of old", _OWN),
    "teredo": Why("The address leads through Teredo to another one", _OWN),
    "unspecified": Why("The address is none in particular", _OWN),
    "url-too-long": Why("The URL is longer than any that is meant", _SPELL),
    "userinfo": Why("The URL holds a user or password", "name a credential instead: secrets in URLs end in logs"),
    "zone-id": Why("The IPv6 address names an interface of one machine", _SPELL),
}
