"""Declared security schemes of every generation → one flat form (A2A §4.5); what cannot be understood stays as `unreadable`."""

from typing import Any

from cardtrail.events.model.card import SchemeKind, SecurityScheme
from cardtrail.services.card.lift_requirements import Declared
from cardtrail.services.card.members import KNOWN, Json, flag, require, strangers, text, wrong
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.paths import member

_SCHEME = KNOWN["SecurityScheme"]
WRAPPERS: dict[str, tuple[SchemeKind, str]] = {
    "apiKeySecurityScheme": ("apiKey", "APIKeySecurityScheme"),
    "httpAuthSecurityScheme": ("http", "HTTPAuthSecurityScheme"),
    "oauth2SecurityScheme": ("oauth2", "OAuth2SecurityScheme"),
    "openIdConnectSecurityScheme": ("openIdConnect", "OpenIdConnectSecurityScheme"),
    "mtlsSecurityScheme": ("mtls", "MutualTlsSecurityScheme"),
}
_TYPES: dict[str, SchemeKind] = {
    "apiKey": "apiKey",
    "http": "http",
    "oauth2": "oauth2",
    "openIdConnect": "openIdConnect",
    "mutualTLS": "mtls",
}
_LOOSE_TYPES: dict[str, SchemeKind] = {
    **{name.lower(): kind for name, kind in _TYPES.items()},
    "httpauth": "http",
    "bearer": "http",
    "basic": "http",
    "oauth": "oauth2",
    "oidc": "openIdConnect",
    "mtls": "mtls",
}
_DUE = {kind: name for name, kind in _TYPES.items()}
FLOWS = {
    "authorizationCode": "AuthorizationCodeOAuthFlow",
    "clientCredentials": "ClientCredentialsOAuthFlow",
    "deviceCode": "DeviceCodeOAuthFlow",
    "implicit": "ImplicitOAuthFlow",
    "password": "PasswordOAuthFlow",
}
_FLOW_URLS = ("authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl")
_LOCATIONS = ("query", "header", "cookie")


def lift_schemes(card: Json, notes: Notes) -> tuple[dict[str, SecurityScheme], Declared]:
    """The schemes by name, and what each declared name stands for; a 0.x scheme of several OAuth flows is split.

    Raises:
        DocumentRefused: `wrong-type` where the map of schemes is none.
    """
    declared = card.get("securitySchemes")
    if declared is None:
        return {}, {}
    if type(declared) is not dict:
        wrong(declared, "an object of schemes", "$.securitySchemes")
    found: dict[str, SecurityScheme] = {}
    parts: Declared = {}
    for name, data in declared.items():
        lifted = _scheme(name, data, member("$.securitySchemes", name), notes)
        parts[name] = tuple([scheme.name for scheme in lifted])
        found.update([(scheme.name, scheme) for scheme in lifted])
    return found, parts


def _scheme(name: str, data: Any, at: str, notes: Notes) -> list[SecurityScheme]:  # noqa: ANN401 — any JSON value
    """One declaration; none where it declares that no authentication is needed."""
    if type(data) is not dict:
        return [unreadable(name, "not an object", at, notes)]
    data = _unleaked(data, "scheme", at, notes)
    if not data.keys() <= _SCHEME:
        strangers(data, "SecurityScheme", at, notes)
    wrapped = [key for key in WRAPPERS if data.get(key) is not None]
    if len(wrapped) > 1:
        notes.note("CT042", at, found=wrapped)
        return [SecurityScheme(name=name, kind="unreadable", problem="scheme-oneof", at=at)]
    if wrapped:
        return _wrapped(name, data, wrapped[0], at, notes)
    return _typed(name, data, at, notes)


def _wrapped(name: str, data: Json, wrapper: str, at: str, notes: Notes) -> list[SecurityScheme]:
    kind, message = WRAPPERS[wrapper]
    inner, path = data[wrapper], f"{at}.{wrapper}"
    if "type" in data:
        if _LOOSE_TYPES.get(str(data["type"]).lower()) in (kind, None):
            notes.note("CT081", f"{at}.type", name="type")
        else:
            notes.note("CT082", f"{at}.type", name="type", found=data["type"], won=wrapper)
    if type(inner) is not dict:
        return [unreadable(name, f"{wrapper} is not an object", path, notes)]
    if not inner.keys() <= KNOWN[message]:
        strangers(inner, message, path, notes)
    require(inner, message, path, notes)
    return _of_kind(name, kind, inner, path, notes)


def _typed(name: str, data: Json, at: str, notes: Notes) -> list[SecurityScheme]:
    """A 0.x declaration, told by `type` as OpenAPI does."""
    stated = data.get("type")
    if type(stated) is not str:
        return [unreadable(name, "neither one of the five members nor a type", at, notes)]
    if stated.strip().lower() in ("none", "public"):
        notes.note("CT049", f"{at}.type", found=stated, kind="anonymous access", due="no scheme at all")
        return []
    kind = _TYPES.get(stated) or _LOOSE_TYPES.get(stated.strip().lower())
    if kind is None:
        return [unreadable(name, "type is none of the five", f"{at}.type", notes)]
    if stated not in _TYPES:
        notes.note("CT049", f"{at}.type", found=stated, kind=kind, due=_DUE[kind])
        data = {"scheme": stated, **data} if stated.lower() in ("bearer", "basic") else data
    return _of_kind(name, kind, data, at, notes)


def _of_kind(name: str, kind: SchemeKind, data: Json, at: str, notes: Notes) -> list[SecurityScheme]:
    if kind == "oauth2":
        return _oauth2(name, data, at, notes)
    if kind == "apiKey":
        return [_api_key(name, data, at, notes)]
    if kind == "http":
        scheme = text(data, "scheme", at, notes)
        if not scheme:
            return [unreadable(name, "no HTTP scheme", at, notes)]
        bearer = text(data, "bearerFormat", at, notes) or None
        return [SecurityScheme(name=name, kind=kind, http_scheme=scheme, bearer_format=bearer, at=at)]
    urls = _urls(data, ("openIdConnectUrl",), at, notes) if kind == "openIdConnect" else {}
    return [SecurityScheme(name=name, kind=kind, urls=urls, at=at)]


def _api_key(name: str, data: Json, at: str, notes: Notes) -> SecurityScheme:
    where = "in" if "in" in data else "location"
    location = text(data, where, at, notes)
    parameter = text(data, "name", at, notes)
    if location.lower() not in _LOCATIONS or not parameter:
        problem = "no parameter name" if not parameter else "location is none of query, header, cookie"
        return unreadable(name, problem, at, notes)
    return SecurityScheme(name=name, kind="apiKey", location=location.lower(), parameter=parameter, at=at)


def _oauth2(name: str, data: Json, at: str, notes: Notes) -> list[SecurityScheme]:
    flows = data.get("flows")
    stated = _unleaked(flows, "flow", f"{at}.flows", notes) if type(flows) is dict else {}
    if not stated.keys() <= KNOWN["OAuthFlows"]:
        strangers(stated, "OAuthFlows", f"{at}.flows", notes)
    chosen = [flow for flow in FLOWS if type(stated.get(flow)) is dict]
    extra = _urls(data, ("oauth2MetadataUrl",), at, notes)
    if not chosen:
        notes.note("CT044", at)
        return [SecurityScheme(name=name, kind="oauth2", urls=extra, problem="oauth2-no-flow", at=at)]
    if len(chosen) > 1 and at.endswith("oauth2SecurityScheme"):
        notes.note("CT042", f"{at}.flows", found=chosen)
        return [SecurityScheme(name=name, kind="unreadable", problem="scheme-oneof", at=at)]
    if len(chosen) > 1:
        notes.note("CT045", f"{at}.flows", count=len(chosen))
    named = {flow: name if len(chosen) == 1 else f"{name}/{flow}" for flow in chosen}
    return [_flow(named[flow], flow, stated[flow], extra, f"{at}.flows.{flow}", notes) for flow in chosen]


def _flow(name: str, flow: str, data: Json, extra: dict[str, str], at: str, notes: Notes) -> SecurityScheme:  # noqa: PLR0913, PLR0917 — one flow and where it stands
    if not data.keys() <= KNOWN[FLOWS[flow]]:
        strangers(data, FLOWS[flow], at, notes)
    require(data, FLOWS[flow], at, notes)
    if flow in ("implicit", "password"):
        notes.note("CT052", at, flow=flow)
    return SecurityScheme(
        name=name,
        kind="oauth2",
        flow=flow,
        scopes=_offered(data.get("scopes"), f"{at}.scopes", notes),
        urls=_urls(data, _FLOW_URLS, at, notes) | extra,
        pkce_required=flag(data, "pkceRequired", at, notes) or False,
        at=at,
    )


def _offered(scopes: Any, at: str, notes: Notes) -> tuple[str, ...]:  # noqa: ANN401 — any JSON value
    """The names of the scopes that a flow lists: an object of descriptions, where a list of names is read too."""
    if type(scopes) is dict or scopes is None:
        return tuple(scopes or ())
    notes.note("CT012", at, found=scopes, due="an object of scopes", read="its names are read")
    return tuple([scope for scope in scopes if type(scope) is str]) if type(scopes) is list else ()


def _urls(data: Json, names: tuple[str, ...], at: str, notes: Notes) -> dict[str, str]:
    found = {name: text(data, name, at, notes) for name in names if name in data}
    return {name: url for name, url in found.items() if url}


def _unleaked(data: Json, outer: str, at: str, notes: Notes) -> Json:
    """Take the value out of a leaked `{outer: {"$case": name, "value": …}}` (or the inner object alone)."""
    leaked = data.get(outer) if isinstance(data.get(outer), dict) else data
    case = leaked.get("$case") if isinstance(leaked, dict) else None
    if not isinstance(case, str):
        return data
    notes.note("CT047", at, kind=case)
    kept = {name: value for name, value in data.items() if name not in (outer, "$case", "value")}
    return {**kept, case: leaked.get("value")} if isinstance(leaked, dict) else data


def unreadable(name: str, reason: str, at: str, notes: Notes) -> SecurityScheme:
    """A scheme whose declaration cannot be understood."""
    notes.note("CT043", at, reason=reason)
    return SecurityScheme(name=name, kind="unreadable", problem=reason, at=at)
