"""Signature algorithms that are accepted, and the keys each goes with (RFC 7518 §3, RFC 8037, RFC 9864); no `none`, no HS*."""

from typing import NamedTuple


class Algorithm(NamedTuple):
    """Key type, curves (none for RSA) and the lengths a signature may have in bytes (none: the length of the modulus)."""

    kty: str
    curves: tuple[str, ...] = ()
    signature_bytes: tuple[int, ...] = ()


ALGORITHMS: dict[str, Algorithm] = {
    "ES256": Algorithm("EC", ("P-256",), (64,)),
    "ES384": Algorithm("EC", ("P-384",), (96,)),
    "ES512": Algorithm("EC", ("P-521",), (132,)),
    **{f"{family}{size}": Algorithm("RSA") for family in ("RS", "PS") for size in (256, 384, 512)},
    "EdDSA": Algorithm("OKP", ("Ed25519", "Ed448"), (64, 114)),
    "Ed25519": Algorithm("OKP", ("Ed25519",), (64,)),
}
CURVE_BYTES = {"P-256": 32, "P-384": 48, "P-521": 66, "Ed25519": 32, "Ed448": 57}
