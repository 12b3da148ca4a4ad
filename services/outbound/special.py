"""Addresses and names that are special, as data: the IANA special-purpose registries (RFC 6890) and the clouds' documents."""

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

METADATA = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",  # EC2, Azure, GCP, OpenStack, DigitalOcean, Oracle
            "169.254.169.253",  # the resolver of a VPC
            "169.254.170.2",  # ECS task credentials
            "169.254.170.23",  # EKS pod identity
            "169.254.0.23",  # Tencent
            "169.254.42.42",  # Scaleway
            "168.63.129.16",  # Azure WireServer, in public space
            "100.100.100.200",  # Alibaba
            "192.0.0.192",  # Oracle
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:42::42",
            "fe80::a9fe:a9fe",
        ),
    )
)
METADATA_NAMES = frozenset(
    (
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.tencentyun.com",
        "instance-data",
        "instance-data.ec2.internal",
    )
)
LOCAL_ZONES = frozenset(("local", "internal", "intranet", "lan", "home", "corp", "private", "localdomain"))

_RANGES: tuple[tuple[str, str], ...] = (
    ("broadcast", "255.255.255.255/32"),
    ("unspecified", "0.0.0.0/32 ::/128"),
    ("loopback", "127.0.0.0/8 ::1/128"),
    ("private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7"),
    ("cgnat", "100.64.0.0/10"),
    ("link-local", "169.254.0.0/16 fe80::/10"),
    ("site-local", "fec0::/10"),
    ("multicast", "224.0.0.0/4 ff00::/8"),
    ("documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"),
    ("benchmark", "198.18.0.0/15 2001:2::/48"),
    ("6to4", "192.88.99.0/24 2002::/16"),
    ("nat64", "64:ff9b::/96 64:ff9b:1::/48"),
    ("teredo", "2001::/32"),
    ("reserved", "0.0.0.0/8 192.0.0.0/24 240.0.0.0/4 2001::/23"),
)
RANGES: tuple[tuple[str, IPv4Network | IPv6Network], ...] = tuple(
    (name, ip_network(network)) for name, networks in _RANGES for network in networks.split()
)
"""The first range that holds an address names it."""

GLOBAL_UNICAST = IPv6Network("2000::/3")
"""The only IPv6 space a registry assigns from; the rest is reserved."""

ISATAP_MARKS = (0x00005EFE, 0x02005EFE)
"""Upper half of an interface identifier that carries an IPv4 address (RFC 5214 §6.1)."""
