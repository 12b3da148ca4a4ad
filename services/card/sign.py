"""Signing a card (A2A §8.4.2), a helper for providers: the sole place where a private key is used."""

import json
from typing import Any

from jwcrypto.common import JWException
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

from cardtrail.events.errors import UsageError
from cardtrail.services.card.algorithms import ALGORITHMS
from cardtrail.services.card.base64url import encode_base64
from cardtrail.services.card.canonical_forms import FORMS, canonical_form
from cardtrail.services.card.jwk import Key, read_jwk
from cardtrail.services.card.payloads import is_legacy

_DEFAULTS = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512", "Ed25519": "EdDSA", "Ed448": "EdDSA"}

_RSA_BITS = 3072


def sign(  # noqa: PLR0913 — the choices a signer has
    card: dict[str, Any],
    jwk: dict[str, Any],
    *,
    form: str = "spec_present",
    kid: str = "",
    alg: str = "",
    jku: str = "",
    header: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The card with one more signature, appended; the card given stays as it is.

    `kid` and `alg` default to those of the key; `header` is the unprotected header, which nothing protects.

    Raises:
        UsageError: `form-unknown`, `form-unfit`, `key-unfit`, `kid-missing`, `alg-not-allowed`.
        InputRefused: `number-range`, `too-deep`, `not-unicode`: the card has no canonical form.
    """
    key = _key(jwk)
    kid, alg = kid or key.kid, alg or key.alg or _DEFAULTS.get(key.crv, "RS256")
    if form not in FORMS:
        raise UsageError("form-unknown", f"no form {form!r}", hint=f"one of {', '.join(FORMS)}")
    if is_legacy(card) and form != "raw":
        raise UsageError("form-unfit", "a card of the time before 1.0 has only its raw form", hint="sign with form raw")
    if not kid:
        raise UsageError("kid-missing", "the key has no kid", hint="name one: A2A §8.4.2 demands it")
    if alg not in ALGORITHMS or not key.takes(alg):
        raise UsageError("alg-not-allowed", f"{alg} is not for this key", hint="ES256, RS256, PS256, EdDSA or larger")
    parameters = {"alg": alg, "typ": "JOSE", "kid": kid} | ({"jku": jku} if jku else {})
    protected = encode_base64(json.dumps(parameters, separators=(",", ":")).encode())
    payload = encode_base64(canonical_form(card, form).payload)
    signature = {"protected": protected, "signature": _signature(jwk, alg, f"{protected}.{payload}")}
    held = card.get("signatures")
    kept = held if isinstance(held, list) else []
    return {**card, "signatures": [*kept, signature | ({"header": header} if header else {})]}


def new_key(alg: str = "", kid: str = "") -> dict[str, Any]:
    """A new private key for one algorithm as a JWK (RFC 7517), ES256 unless named; `kid` defaults to its thumbprint (RFC 7638).

    Raises:
        UsageError: `alg-not-allowed`.
    """
    alg = alg or "ES256"
    if alg not in ALGORITHMS:
        raise UsageError("alg-not-allowed", f"no key is made for {alg!r}", hint=f"one of {', '.join(ALGORITHMS)}")
    kind = ALGORITHMS[alg]
    made = JWK.generate(kty=kind.kty, **({"crv": kind.curves[0]} if kind.curves else {"size": _RSA_BITS}))
    return {**json.loads(made.export_private()), "kid": kid or made.thumbprint(), "alg": alg, "use": "sig"}


def _key(jwk: dict[str, Any]) -> Key:
    key = read_jwk(jwk)
    if key.problem or "d" not in jwk:
        raise UsageError("key-unfit", f"not a private signing key: {key.problem or 'no private member d'}")
    return key


def _signature(jwk: dict[str, Any], alg: str, signing_input: str) -> str:
    members = {name: value for name, value in jwk.items() if name not in {"use", "key_ops", "alg"}}
    try:
        return encode_base64(JWA.signing_alg(alg).sign(JWK(**members), signing_input.encode()))
    except (JWException, ValueError, TypeError) as error:
        raise UsageError("key-unfit", "the private key cannot sign") from error
