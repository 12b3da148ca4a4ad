"""Signers and cards for the tests about signatures: throwaway keys, invented providers."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwcrypto.jwk import JWK

from cardtrail.services.card.keys import KeySet, parse_keys
from cardtrail.services.card.parse import parse
from cardtrail.services.card.verification import SignatureResult, Verification
from cardtrail.services.card.verify import verify

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
ORIGIN = "https://rates.example"
PRIVATE: dict[str, dict[str, Any]] = {
    "ec": json.loads(JWK.generate(kty="EC", crv="P-256", kid="ec", alg="ES256").export()),
    "ec2": json.loads(JWK.generate(kty="EC", crv="P-256", kid="ec2").export()),
    "p384": json.loads(JWK.generate(kty="EC", crv="P-384", kid="p384").export()),
    "p521": json.loads(JWK.generate(kty="EC", crv="P-521", kid="p521").export()),
    "ed": json.loads(JWK.generate(kty="OKP", crv="Ed25519", kid="ed").export()),
    "rsa": json.loads(JWK.generate(kty="RSA", size=2048, kid="rsa").export()),
}


def public(name: str, **changes: Any) -> dict[str, Any]:
    return json.loads(JWK(**PRIVATE[name]).export_public()) | changes


def key_set(*keys: dict[str, Any]) -> KeySet:
    return parse_keys(json.dumps({"keys": list(keys)}).encode())


ALL_KEYS = key_set(*(public(name) for name in PRIVATE))


def a_card(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Rates",
        "description": "Quotes rates",
        "version": "3.2.0",
        "supportedInterfaces": [
            {"url": "https://rates.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": False, "extensions": [{"uri": "urn:x", "required": False}]},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": "quote", "name": "Quote", "description": "", "tags": []}],
        "securitySchemes": {
            "m": {"mtlsSecurityScheme": {}},
            "k": {"apiKeySecurityScheme": {"location": "header", "name": "X"}},
        },
        "securityRequirements": [{"schemes": {"m": {"list": []}}}],
    } | changes


def judge(card: dict[str, Any], keys: KeySet = ALL_KEYS, **more: Any) -> Verification:
    data = json.dumps(card, ensure_ascii=False).encode()
    return verify(data, parse(data), keys, **({"now": NOW, "origin": ORIGIN} | more))


def only(verification: Verification) -> SignatureResult:
    (result,) = verification.signatures
    return result


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def es256(message: bytes) -> bytes:
    """R and S of an ES256 signature by the key `ec`, made without the product."""
    r, s = decode_dss_signature(der(message))
    return r.to_bytes(32) + s.to_bytes(32)


def der(message: bytes) -> bytes:
    """The same signature as DER."""
    key = load_pem_private_key(JWK(**PRIVATE["ec"]).export_to_pem(private_key=True, password=None), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    return key.sign(message, ECDSA(SHA256()))


def signed_over(
    payload: bytes, header: bytes | dict[str, Any], maker: Callable[[bytes], bytes] = es256
) -> dict[str, str]:
    """A signature over any payload with any protected header, as a foreign signer may make it."""
    protected = b64(header if isinstance(header, bytes) else json.dumps(header).encode())
    return {"protected": protected, "signature": b64(maker(f"{protected}.{b64(payload)}".encode()))}


def raw_payload(card: dict[str, Any]) -> bytes:
    """RFC 8785 bytes of a card with ASCII keys and no floats, by Python's own JSON."""
    return json.dumps(card, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
