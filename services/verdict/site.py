"""Which site a host belongs to, by the public suffix list as bundled with tldextract; the sole user of that library.

Never the network, never a cache on disk. A suffix that the list does not know counts as one label, as the list prescribes.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from ipaddress import ip_address


@lru_cache(maxsize=8_192)
def site(host: str) -> str:
    """The registrable domain of a canonical host (private suffixes such as github.io included), else the host itself."""
    if _is_address(host):
        return host
    registrable, suffix = _lookup()(host)
    if registrable:
        return registrable
    return host if suffix else ".".join(host.split(".")[-2:])


def same_site(one: str, other: str) -> bool:
    """Whether two canonical hosts belong to one owner, as far as the list can tell."""
    return one == other or site(one) == site(other)


@cache
def _lookup() -> Callable[[str], tuple[str, str]]:
    from tldextract import TLDExtract  # noqa: PLC0415 — costs more than the rest of a check, and few checks need it

    extract = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)

    def look(host: str) -> tuple[str, str]:
        found = extract(host)
        return found.top_domain_under_public_suffix, found.suffix

    return look


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
