"""One public key as a JWK set gives it (RFC 7517): what it is, what it may verify, and what forbids its use."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.value import Value
from cardtrail.services.card.algorithms import ALGORITHMS, CURVE_BYTES
from cardtrail.services.card.base64url import decode_base64, encode_base64

_RSA_BITS = range(2048, 16_384 + 1)
_MEMBERS = {"RSA": ("e", "n"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}


class Key(Value):
    """A public key; `jwk` holds its public members only, `thumbprint` names it for ever (RFC 7638, base64url SHA-256).

    `problem` is a reason of `REASONS` that forbids its use, "" for a usable key. `not_before`, `expires` and `revoked_at` come
    from the members `nbf`, `exp` and `revoked` (OpenID Federation 1.0 §8.7), or from the operator.
    """

    kid: str = ""
    alg: str = ""
    kty: str = ""
    crv: str = ""
    thumbprint: str = ""
    jwk: dict[str, str] = {}
    not_before: datetime | None = None
    expires: datetime | None = None
    revoked_at: datetime | None = None
    problem: str = ""

    def trouble(self, now: datetime) -> str:
        """Why the key may not be used at `now`: a reason of `REASONS`, or ""."""
        if self.revoked_at is not None and self.revoked_at <= now:
            return "key-revoked"
        if self.expires is not None and self.expires <= now:
            return "key-expired"
        if self.not_before is not None and self.not_before > now:
            return "key-not-yet-valid"
        return self.problem

    def takes(self, alg: str) -> bool:
        """Whether this key may verify `alg`: its type and curve fit, and its own `alg`, where it states one, is the same."""
        wanted = ALGORITHMS[alg]
        bound = self.alg in {"", alg} or {self.alg, alg} == {"EdDSA", "Ed25519"}
        return bound and self.kty == wanted.kty and (not wanted.curves or self.crv in wanted.curves)


def read_jwk(data: dict[str, Any]) -> Key:
    """One member of a JWK set; private members are dropped, and whatever is wrong becomes the key's `problem`."""
    text = {name: value for name, value in data.items() if isinstance(value, str)}
    label = {name: text.get(name, "")[:256] for name in ("kid", "alg", "kty", "crv")}
    public = {name: text.get(name, "") for name in _MEMBERS.get(label["kty"], ())}
    try:
        times = _times(data)
        problem = _problem(data, public)
    except (InputRefused, OverflowError, TypeError, ValueError, OSError):
        return Key(**label, problem="key-malformed")
    jwk = {"kty": label["kty"], **public} if public else {}
    return Key(**label, **times, jwk=jwk, thumbprint=_thumbprint(jwk), problem=problem)


def _times(data: dict[str, Any]) -> dict[str, datetime | None]:
    revoked = data.get("revoked")
    if isinstance(revoked, dict):
        revoked = revoked.get("revoked_at", 0)
    elif revoked is not None:
        revoked = 0 if revoked else None
    members = {"not_before": data.get("nbf"), "expires": data.get("exp"), "revoked_at": revoked}
    return {name: _instant(value) for name, value in members.items()}


def _instant(seconds: object) -> datetime | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError("not a NumericDate")
    return datetime.fromtimestamp(seconds, UTC)


def _problem(data: dict[str, Any], public: dict[str, str]) -> str:
    """A reason of `REASONS` that forbids the key, or ""."""
    operations = data.get("key_ops")
    verifies = not isinstance(operations, list) or "verify" in operations or "sign" in operations
    if not public or data.get("use", "sig") != "sig" or not verifies:
        return "key-not-for-signing"
    return _rsa_problem(public) if "n" in public else _curve_problem(public)


def _rsa_problem(public: dict[str, str]) -> str:
    modulus, exponent = (int.from_bytes(decode_base64(public[name])) for name in ("n", "e"))
    if modulus.bit_length() >= _RSA_BITS.stop:
        return "key-too-large"
    fit = exponent % 2 == 1 and 2 < exponent < 2**32  # noqa: PLR2004 — RFC 8017 §3.1: odd, from 3
    return "" if modulus.bit_length() in _RSA_BITS and fit else "key-too-weak"


def _curve_problem(public: dict[str, str]) -> str:
    size = CURVE_BYTES.get(public["crv"])
    if size is None:
        return "key-not-for-signing"
    sizes = {len(decode_base64(public[name])) for name in ("x", "y") if name in public}
    if sizes != {size}:
        return "key-malformed"
    if "y" in public:
        _point(public)
    return ""


def _point(public: dict[str, str]) -> None:
    """Raises ValueError where the curve has no such point: RFC 7518 §6.2.2, SEC 1 §3.2.2."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 — settings are read without it

    curves: dict[str, ec.EllipticCurve] = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}
    x, y = (int.from_bytes(decode_base64(public[name])) for name in ("x", "y"))
    ec.EllipticCurvePublicNumbers(x, y, curves[public["crv"]]).public_key()


def _thumbprint(jwk: dict[str, str]) -> str:
    ordered = json.dumps(jwk, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return encode_base64(sha256(ordered.encode()).digest()) if jwk else ""
