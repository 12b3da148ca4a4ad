"""The table of addresses: what is public, what is not and why, and what a policy opens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import address_refusal, judge_address

JUDGED = {
    "public": """1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 169.253.255.255 192.1.0.1 198.17.255.255
        198.20.0.0 223.255.255.255 2606:4700::1111 2001:4860:4860::8888 2a00:1450::1 ::ffff:8.8.8.8 2001:200::1""",
    "loopback": "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:0:0:1",
    "private": "10.0.0.0 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 fc00::1 fdff::1 ::ffff:10.0.0.5 ::ffff:c0a8:1",
    "cgnat": "100.64.0.0 100.127.255.255 ::ffff:100.64.0.1",
    "link-local": "169.254.0.1 169.254.255.255 fe80::1 febf::1 fe80::1%eth0",
    "metadata": """169.254.169.254 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe fd00:ec2::254 168.63.129.16 100.100.100.200
        192.0.0.192 169.254.170.2 fe80::a9fe:a9fe%eth0 fd20:ce::254""",
    "site-local": "fec0::1 feff::1",
    "multicast": "224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
    "broadcast": "255.255.255.255",
    "unspecified": "0.0.0.0 :: ::ffff:0.0.0.0",
    "documentation": "192.0.2.1 198.51.100.7 203.0.113.255 2001:db8::1 3fff::1",
    "benchmark": "198.18.0.1 198.19.255.255 2001:2::1",
    "6to4": "2002:7f00:1:: 2002:0808:0808::1 192.88.99.1",
    "nat64": "64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1",
    "teredo": "2001:0:53aa:64c::1",
    "isatap": "2a00::5efe:7f00:1 2a00::200:5efe:a00:1",
    "reserved": """0.1.2.3 192.0.0.8 240.0.0.1 254.1.1.1 100::1 ::127.0.0.1 ::ffff:0:7f00:1
        2001:10::1 2001:20::1 5f00::1 4000::1 e000::1""",
    "not-an-address": "127.1 0x7f.1 2130706433 0177.0.0.1 example.org 1.2.3.4.5 127.0.0.1.",
}


@pytest.mark.parametrize(("address", "kind"), [(a, kind) for kind, many in JUDGED.items() for a in many.split()])
def test_every_address_is_judged_by_its_range(address: str, kind: str) -> None:
    assert judge_address(address) == kind
    assert address_refusal(address) == ("" if kind == "public" else kind)


@given(st.ip_addresses(v=4))
def test_a_v4_mapped_address_is_judged_as_its_ipv4(address: object) -> None:
    assert judge_address(f"::ffff:{address}") == judge_address(str(address))


@given(st.ip_addresses(v=6))
def test_what_is_called_public_is_global_unicast_or_mapped(address: object) -> None:
    if judge_address(str(address)) == "public":
        assert str(address)[0] in "23" or str(address).startswith("::ffff:")


@pytest.mark.parametrize(
    ("address", "cidrs", "reason"),
    [
        ("10.0.0.5", ("10.0.0.0/8",), ""),
        ("10.0.0.5", ("10.1.0.0/16",), "private"),
        ("::ffff:10.0.0.5", ("10.0.0.0/8",), ""),
        ("fd12::1", ("fd00::/8",), ""),
        ("127.0.0.1", ("0.0.0.0/0",), ""),
        ("169.254.1.1", ("169.254.0.0/16",), ""),
        ("169.254.169.254", ("169.254.0.0/16",), "metadata"),
        ("169.254.169.254", ("0.0.0.0/0", "169.254.169.254/31"), "metadata"),
        ("169.254.169.254", ("169.254.169.254/32",), ""),
        ("169.254.169.254", ("169.254.169.254",), ""),
        ("::ffff:169.254.169.254", ("169.254.169.254/32",), ""),
        ("fe80::a9fe:a9fe%eth0", ("fe80::/10",), "metadata"),
        ("168.63.129.16", (), "metadata"),
        ("10.0.0.5", ("not a network",), "private"),
        ("10.0.0.5", ("::/0",), "private"),
    ],
)
def test_a_policy_opens_what_it_names_and_metadata_only_exactly(
    address: str, cidrs: tuple[str, ...], reason: str
) -> None:
    assert address_refusal(address, EndpointPolicy(cidrs=cidrs)) == reason
