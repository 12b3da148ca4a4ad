"""Why a signature is not `verified`: one row per reason, with what it makes of the signature and what a person can do."""

from typing import NamedTuple

from cardtrail.events.card_fetched import SignatureOutcome


class Reason(NamedTuple):
    """`outcome` is `invalid` where the signature itself is wrong, `unverifiable` where we cannot tell."""

    outcome: SignatureOutcome
    hint: str


_INVALID: dict[str, str] = {
    "alg-not-allowed": "sign with ES256, ES384, ES512, RS256-512, PS256-512 or EdDSA; `none` and HS* prove nothing",
    "alg-key-mismatch": "the key named by kid is bound to another algorithm; sign with the algorithm of the key",
    "bad-header": "the protected header must be one JSON object with string alg and kid, disjoint from the unprotected header",
    "b64": "sign without the b64 header parameter (RFC 7797); the payload is always base64url",
    "crit-unknown": "sign without crit; RFC 7515 demands refusal of names that are not understood",
    "der-signature": "ECDSA signatures in a JWS are R and S side by side, not DER; convert the signature (RFC 7518 §3.4)",
    "malformed-base64": "write protected and signature as base64url without padding",
    "malformed-signature": "a signature is an object with the strings protected and signature, of the length its algorithm gives",
    "no-form-matches": "the card is not what was signed, signed over a form of the signer's own, or by another key of that kid",
}
_UNVERIFIABLE: dict[str, str] = {
    "unknown-kid": "ask the provider for its current key set and add it to the keys of this origin",
    "kid-missing": "the provider must name its key in the protected header (A2A §8.4.2)",
    "untrusted-jku": "a jku is chosen by the signer and never fetched; add the provider's key set to the keys of this origin",
    "key-expired": "ask the provider to sign with a current key",
    "key-not-yet-valid": "the key becomes valid later; check the clock, or ask the provider to sign with a current key",
    "key-revoked": "ask the provider to sign with a key that is not revoked",
    "key-too-weak": "the key is smaller than 2048 bits RSA, or its exponent is unfit; ask the provider for a stronger key",
    "key-too-large": "the key is larger than 16384 bits RSA; ask the provider for a usual size",
    "key-malformed": "the key in the key set cannot be read; ask the provider to repair it",
    "key-not-for-signing": "the key is marked for another use, or is symmetric; ask the provider for a signing key",
    "number-range": "the card holds an integer beyond 2^53-1, which JSON readers round differently; ask for a string instead",
    "not-unicode": "the card holds text that is not valid Unicode; ask the provider to repair it",
    "too-deep": "the card is nested too deeply to be canonicalized",
    "too-many": "more signatures than are looked at; ask the provider to publish one per key",
    "rewritten": "only interface URLs differ from what was signed, as a gateway leaves it; fetch the card directly and compare",
}
REASONS: dict[str, Reason] = {
    **{name: Reason("invalid", hint) for name, hint in _INVALID.items()},
    **{name: Reason("unverifiable", hint) for name, hint in _UNVERIFIABLE.items()},
}
