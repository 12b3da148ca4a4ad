"""What real cards send instead of what the specification says, and what it is read as."""

from typing import Any

import pytest

from tests.services.card.cards import (
    FULL,
    MINIMAL,
    OAUTH,
    V01,
    V03,
    changed,
    codes,
    interface,
    lifted,
    profile,
    read,
    refusal,
    skill,
)

QUOTE = {"partner": ("quote",)}


def secured(**members: Any) -> dict[str, Any]:
    return changed(MINIMAL, securitySchemes={"partner": OAUTH}, **members)


def alternatives(card: Any) -> list[dict[str, tuple[str, ...]]]:
    return [requirement.schemes for requirement in lifted(card).security_requirements]


@pytest.mark.parametrize(
    ("card", "shape"),
    [
        (MINIMAL, "1.0"),
        (V03, "0.3"),
        (V01, "0.1"),
        (changed(V03, protocolVersion="0.2.5"), "0.2"),
        (changed(V03, protocolVersion=...), "0.2"),
        (changed(V03, protocolVersion=..., signatures=[]), "0.3"),
        (changed(V03, protocolVersion="1.0"), "hybrid"),
        (changed(V03, supportedInterfaces=[]), "0.3"),
        (changed(MINIMAL, url="https://rates.example/a2a"), "hybrid"),
        (changed(MINIMAL, protocolVersion="0.3.0"), "hybrid"),
        (changed(MINIMAL, security=[]), "hybrid"),
    ],
)
def test_the_shape_is_told_from_the_members(card: Any, shape: str) -> None:
    assert read(card).shape == lifted(card).shape == shape


def test_a_lifted_card_keeps_its_own_protocol_version() -> None:
    first, second = lifted(V03).supported_interfaces
    assert (first.url, first.protocol_binding, first.version, first.protocol_version, first.at) == (
        "https://rates.example/a2a",
        "JSONRPC",
        "0.3",
        "0.3.0",
        "$.url",
    )
    assert (second.protocol_binding, second.version, second.at) == ("HTTP+JSON", "0.3", "$.additionalInterfaces[0]")


def test_without_a_preferred_transport_the_default_is_jsonrpc_and_no_version_is_invented() -> None:
    (only,) = lifted(V01).supported_interfaces
    assert (only.protocol_binding, only.version, only.protocol_version) == ("JSONRPC", None, "")


def test_an_additional_interface_that_repeats_the_main_one_is_dropped() -> None:
    twin = [{"url": V03["url"], "transport": "JSONRPC"}]
    assert len(lifted(changed(V03, additionalInterfaces=twin)).supported_interfaces) == 1
    assert "CT023" in codes(changed(V03, additionalInterfaces=twin))


def test_in_a_hybrid_the_interfaces_of_1_0_win_and_a_contradiction_is_named() -> None:
    agreeing = changed(MINIMAL, url="https://rates.example/a2a", preferredTransport="JSONRPC", protocolVersion="1.0")
    assert lifted(agreeing).supported_interfaces == lifted(MINIMAL).supported_interfaces
    assert codes(agreeing) == {"CT081"}
    contradicting = changed(agreeing, url="https://old.example/", preferredTransport="GRPC", protocolVersion="0.3.0")
    assert lifted(contradicting).supported_interfaces == lifted(MINIMAL).supported_interfaces
    assert [one.path for one in read(contradicting).diagnostics if one.code == "CT082"] == [
        "$.url",
        "$.preferredTransport",
        "$.protocolVersion",
    ]


@pytest.mark.parametrize(
    ("member", "shape"),
    [
        ({"securityRequirements": [{"schemes": {"partner": {"list": ["quote"]}}}]}, "1.0"),
        ({"securityRequirements": [{"schemes": {"partner": ["quote"]}}]}, "bare-list"),
        ({"securityRequirements": [{"partner": ["quote"]}]}, "flat"),
        ({"security": [{"partner": ["quote"]}]}, "0.3"),
        ({"security": [{"schemes": {"partner": {"list": ["quote"]}}}]}, "1.0"),
        ({"securityRequirements": {"partner": ["quote"]}}, "flat"),
        ({"securityRequirements": [{"partner": {"list": ["quote"]}}]}, "flat"),
        ({"securityRequirements": [{"schemes": {"partner": "quote"}}]}, "1.0"),
        ({"securityRequirements": [{"schemes": None, "partner": ["quote"]}]}, "flat"),
        ({"securityRequirements": [{"schemes": {"partner": {"scopes": ["quote"]}}}]}, "1.0"),
        ({"securityRequirements": [], "security": [{"partner": ["quote"]}]}, "0.3"),
        ({"securityRequirements": None, "security": [{"partner": ["quote"]}]}, "0.3"),
    ],
)
def test_every_shape_of_a_requirement_gives_the_same_scopes(member: dict[str, Any], shape: str) -> None:
    card = lifted(secured(**member))
    assert [(r.schemes, r.shape) for r in card.security_requirements] == [(QUOTE, shape)]
    on_skill = lifted(secured(skills=[skill(**member)]))
    assert [r.schemes for r in on_skill.skills[0].security_requirements or ()] == [QUOTE]


@pytest.mark.parametrize("entry", [{}, {"schemes": {}}, {"schemes": None}, {"none": []}, {"public": []}])
def test_only_an_empty_requirement_is_anonymous_access(entry: dict[str, Any]) -> None:
    assert alternatives(secured(securityRequirements=[entry])) == [{}]


@pytest.mark.parametrize(
    ("entry", "schemes"),
    [
        ({"partner": []}, {"partner": ()}),
        ("partner", {"partner": ()}),
        ({"schemes": ["partner"]}, {"partner": ()}),
        ({"partner": ["quote"], "none": []}, QUOTE),
        ({"schemes": {"partner": {"list": ["quote"]}}, "key": []}, {"partner": ("quote",), "key": ()}),
        ({"unknown": {}}, {"unknown": ()}),
        ({"schemes": {"partner": {"list": []}}, "partner": ["quote"]}, QUOTE),
    ],
)
def test_an_odd_requirement_never_becomes_anonymous_access(entry: Any, schemes: dict[str, Any]) -> None:
    assert alternatives(secured(securityRequirements=[entry])) == [schemes]


@pytest.mark.parametrize("entry", [7, [], None, {"partner": 7}, {"partner": [7]}, {"schemes": {"partner": True}}])
def test_a_requirement_that_cannot_be_read_refuses_the_card(entry: Any) -> None:
    code, path = refusal(secured(securityRequirements=[entry]))
    assert code == "wrong-type"
    assert path.startswith("$.securityRequirements[0]")


@pytest.mark.parametrize("stated", [7, True, "partner", {"partner": []}])
def test_an_odd_1_0_member_beside_the_legacy_one_is_no_error_of_ours(stated: Any) -> None:
    reading = read(secured(securityRequirements=stated, security=[{"partner": ["quote"]}]))
    assert (reading.refusal is not None) is (stated != {"partner": []})


def test_a_declared_scheme_called_none_is_a_scheme() -> None:
    card = changed(MINIMAL, securitySchemes={"none": OAUTH}, securityRequirements=[{"schemes": {"none": {"list": []}}}])
    assert alternatives(card) == [{"none": ()}]


def test_a_scheme_of_type_none_means_anonymous_access() -> None:
    card = changed(V03, securitySchemes={"open": {"type": "none"}}, security=[{"open": []}])
    assert alternatives(card) == [{}]
    named = changed(V03, securitySchemes={"none": {"type": "none"}}, security=[{"none": []}])
    assert alternatives(named) == [{}]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"type": "apiKey", "in": "header", "name": "X"}, ("apiKey", "header", "X", None)),
        ({"type": "apiKey", "in_": "header", "name": "X"}, ("apiKey", "header", "X", None)),
        ({"type": "apikey", "location": "header", "name": "X"}, ("apiKey", "header", "X", None)),
        ({"apiKeySecurityScheme": {"location": "header", "name": "X"}}, ("apiKey", "header", "X", None)),
        ({"api_key_security_scheme": {"location": "header", "name": "X"}}, ("apiKey", "header", "X", None)),
        (
            {"scheme": {"$case": "apiKeySecurityScheme", "value": {"location": "header", "name": "X"}}},
            ("apiKey", "header", "X", None),
        ),
        (
            {"$case": "apiKeySecurityScheme", "value": {"location": "header", "name": "X"}},
            ("apiKey", "header", "X", None),
        ),
        (
            {"type": "apiKey", "in": "query", "name": "Y", "apiKeySecurityScheme": {"location": "header", "name": "X"}},
            ("apiKey", "header", "X", None),
        ),
        ({"type": "http", "scheme": "Bearer"}, ("http", None, None, "Bearer")),
        ({"type": "httpAuth", "scheme": "Bearer"}, ("http", None, None, "Bearer")),
        ({"type": "bearer"}, ("http", None, None, "bearer")),
        ({"type": "mutualTLS"}, ("mtls", None, None, None)),
        ({"mtlsSecurityScheme": {}}, ("mtls", None, None, None)),
        ({"type": "apiKey", "in": "body", "name": "X"}, ("unreadable", None, None, None)),
        ({"type": "apiKey", "in": "header"}, ("unreadable", None, None, None)),
        ({"type": "magic"}, ("unreadable", None, None, None)),
        ({}, ("unreadable", None, None, None)),
        (7, ("unreadable", None, None, None)),
        ({"apiKeySecurityScheme": []}, ("unreadable", None, None, None)),
    ],
)
def test_every_spelling_of_a_scheme_gives_one_form(declared: Any, expected: tuple[Any, ...]) -> None:
    scheme = lifted(changed(MINIMAL, securitySchemes={"s": declared})).security_schemes["s"]
    assert (scheme.kind, scheme.location, scheme.parameter, scheme.http_scheme) == expected


def test_a_leaked_flow_is_a_flow() -> None:
    flows = {"flow": {"$case": "clientCredentials", "value": {"tokenUrl": "https://a.example/t", "scopes": {"s": ""}}}}
    card = changed(MINIMAL, securitySchemes={"s": {"oauth2SecurityScheme": {"flows": flows}}})
    scheme = lifted(card).security_schemes["s"]
    assert (scheme.flow, scheme.scopes, scheme.urls) == (
        "clientCredentials",
        ("s",),
        {"tokenUrl": "https://a.example/t"},
    )
    assert "CT047" in codes(card)


FLOWS = {
    "clientCredentials": {"tokenUrl": "https://a.example/t", "scopes": {"read": ""}},
    "authorizationCode": {
        "tokenUrl": "https://a.example/t",
        "authorizationUrl": "https://a.example/a",
        "scopes": {"read": ""},
    },
}


def test_several_flows_of_a_legacy_scheme_become_alternatives() -> None:
    card = changed(V03, securitySchemes={"o": {"type": "oauth2", "flows": FLOWS}}, security=[{"o": ["read"]}])
    assert sorted(lifted(card).security_schemes) == ["o/authorizationCode", "o/clientCredentials"]
    assert alternatives(card) == [{"o/authorizationCode": ("read",)}, {"o/clientCredentials": ("read",)}]
    assert not codes(card) & {"CT040", "CT041"}


def test_several_flows_of_a_1_0_scheme_are_unreadable() -> None:
    card = changed(
        MINIMAL,
        securitySchemes={"o": {"oauth2SecurityScheme": {"flows": FLOWS}}},
        securityRequirements=[{"schemes": {"o": {"list": ["read"]}}}],
    )
    assert lifted(card).security_schemes["o"].kind == "unreadable"
    assert alternatives(card) == [{"o": ("read",)}]
    assert "CT042" in codes(card)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["Bearer"], [{"Bearer": ()}]),
        (["Bearer", "apiKey"], [{"Bearer": ()}, {"apiKey": ()}]),
        (["none"], [{}]),
        (["public"], [{}]),
        (["bearer", "none"], [{"bearer": ()}, {}]),
        ([], []),
    ],
)
def test_0_1_schemes_are_alternatives(words: list[str], expected: list[dict[str, Any]]) -> None:
    assert alternatives(changed(V01, authentication={"schemes": words})) == expected


@pytest.mark.parametrize(
    "block", [{}, {"type": "bearer"}, [{"type": "oauth2"}], "bearer", {"schemes": "Bearer"}, {"schemes": [1]}]
)
def test_a_malformed_authentication_block_is_kept_as_a_digest_and_demands_nothing(block: Any) -> None:
    card = lifted(changed(V01, authentication=block))
    assert card.security_requirements == ()
    assert card.legacy_security.startswith("sha256:")
    assert "CT055" in codes(changed(V01, authentication=block))
    assert lifted(V01).legacy_security == ""


@pytest.mark.parametrize(
    ("members", "expected", "found"),
    [
        ({}, None, set()),
        ({"supportsAuthenticatedExtendedCard": True}, True, set()),
        ({"supportsExtendedAgentCard": True}, True, set()),
        ({"supportsAuthenticatedExtendedCard": True, "supportsExtendedAgentCard": False}, True, {"CT082"}),
        (
            {"supportsExtendedAgentCard": True, "capabilities": {"extendedAgentCard": False}},
            False,
            {"CT082"},
        ),
        (
            {"supportsAuthenticatedExtendedCard": False, "capabilities": {"extendedAgentCard": True}},
            True,
            {"CT082"},
        ),
    ],
)
def test_the_extended_card_flag_of_1_0_wins_over_both_legacy_ones(
    members: dict[str, Any], expected: bool | None, found: set[str]
) -> None:
    card = changed(V03, **{"supportsAuthenticatedExtendedCard": ..., **members})
    assert lifted(card).capabilities.extended_agent_card is expected
    assert codes(card) & {"CT082"} == found


@pytest.mark.parametrize(
    ("flag", "read_as"),
    [
        (True, True),
        (False, False),
        (None, None),
        ("True", True),
        ("false", False),
        ("yes", None),
        (1, None),
        ([], None),
    ],
)
def test_a_flag_is_true_only_where_it_says_so(flag: Any, read_as: bool | None) -> None:
    card = changed(MINIMAL, capabilities={"streaming": flag})
    assert lifted(card).capabilities.streaming is read_as
    assert ("CT015" in codes(card)) is (flag not in (True, False, None) or (flag == 1 and flag is not True))


def test_bare_texts_stand_for_skills_extensions_and_provider() -> None:
    card = lifted(
        changed(
            MINIMAL,
            skills=["quote", skill(id="book")],
            provider="Partner",
            capabilities={"extensions": ["https://e.example/x"]},
        )
    )
    assert [one.id for one in card.skills] == ["quote", "book"]
    assert [one.uri for one in card.capabilities.extensions] == ["https://e.example/x"]
    assert card.provider is not None
    assert card.provider.organization == "Partner"


def test_capabilities_as_a_list_state_no_flag() -> None:
    card = lifted(changed(MINIMAL, capabilities=["streaming"]))
    assert card.capabilities.streaming is None
    assert "CT014" in codes(changed(MINIMAL, capabilities=["streaming"]))
    assert lifted(changed(MINIMAL, capabilities=[])).capabilities.extensions == ()


def test_snake_case_members_are_read_and_placed_where_they_stand() -> None:
    card = changed(
        MINIMAL,
        supportedInterfaces=...,
        supported_interfaces=[
            {"url": "https://rates.example/a2a", "protocol_binding": "JSONRPC", "protocol_version": "1.0"}
        ],
        skills=[skill(input_modes=["text/csv"])],
        securitySchemes={"api_key": {"api_key_security_scheme": {"location": "header", "name": "X"}}},
        security_requirements=[{"schemes": {"api_key": {"list": []}}}],
    )
    reading = read(card)
    assert reading.card is not None
    assert reading.document is not None
    assert profile(card).interface == profile(MINIMAL).interface
    assert reading.card.skills[0].input_modes == ("text/csv",)
    assert reading.card.supported_interfaces[0].at == "$.supported_interfaces[0]"
    assert reading.card.security_schemes["api_key"].at == "$.securitySchemes.api_key.api_key_security_scheme"
    spelled = {one.path for one in reading.diagnostics if one.code == "CT003"}
    assert "$.supported_interfaces[0].protocol_binding" in spelled
    assert all(reading.document.place(path) != (1, 1) for path in spelled)
    assert reading.document.value == card


@pytest.mark.parametrize("empty", [{"protected": "", "signature": "AA"}, {"protected": "e30", "signature": ""}])
def test_a_signature_with_an_empty_member_is_none(empty: dict[str, str]) -> None:
    assert lifted(changed(MINIMAL, signatures=[empty])).signatures == ()
    assert "CT085" in codes(changed(MINIMAL, signatures=[empty]))


def test_keys_that_people_choose_are_never_respelled() -> None:
    card = changed(
        MINIMAL,
        default_input_modes=["application/json"],
        securitySchemes={"api_key_security_scheme": {"mtls_security_scheme": {}}},
        capabilities={"extensions": [{"uri": "https://e.example/x", "params": {"input_modes": ["a", ["b"]]}}]},
    )
    read_back = lifted(card)
    assert list(read_back.security_schemes) == ["api_key_security_scheme"]
    assert read_back.capabilities.extensions[0].params == {"input_modes": ["a", ["b"]]}


def test_two_spellings_with_two_values_refuse_the_card() -> None:
    card = changed(MINIMAL, default_input_modes=["text/csv"])
    assert refusal(card) == ("conflicting-spelling", "$.default_input_modes")
    nested = changed(MINIMAL, skills=[skill(inputModes=["text/csv"], input_modes=["text/plain"])])
    assert refusal(nested) == ("conflicting-spelling", "$.skills[0].input_modes")
    scheme = {"type": "apiKey", "in": "header", "in_": "query", "name": "X"}
    assert refusal(changed(V03, securitySchemes={"key": scheme}))[0] == "conflicting-spelling"


def test_null_is_unset_in_either_spelling() -> None:
    for camel, snake in ((None, ["text/csv"]), (["text/csv"], None)):
        card = changed(MINIMAL, defaultInputModes=camel, default_input_modes=snake)
        assert lifted(card).default_input_modes == ("text/csv",)


def test_unknown_members_are_evidence_and_nothing_else() -> None:
    card = changed(MINIMAL, homepage="x", skills=[skill(price=3)], **{"odd name": {"skills": []}})
    assert set(lifted(card).unknown_members) == {"$.homepage", "$.skills[0].price", "$['odd name']"}
    assert profile(card) == profile(MINIMAL)


def test_unknown_members_are_told_in_the_cards_order() -> None:
    names = [f"member{number}" for number in range(12)]
    reading = read(MINIMAL | dict.fromkeys(names, 1))
    assert reading.card is not None
    assert [*reading.card.unknown_members] == [f"$.{name}" for name in names]
    assert [found.path for found in reading.diagnostics] == [f"$.{name}" for name in names]


def test_null_everywhere_means_absent() -> None:
    nothing = dict.fromkeys(("provider", "documentationUrl", "securitySchemes", "securityRequirements", "signatures"))
    card = changed(
        MINIMAL,
        **nothing,
        capabilities={"streaming": None, "extensions": None},
        supportedInterfaces=[interface(tenant=None)],
        skills=[skill(examples=None, inputModes=None, securityRequirements=None)],
    )
    assert profile(card) == profile(MINIMAL)
    assert codes(card) == set()


def test_signatures_are_read_once_each_and_never_more_than_sixty_four() -> None:
    one = {"protected": "a", "signature": "b", "header": {"x": 1}}
    card = changed(MINIMAL, signatures=[one, one, {"protected": "a", "signature": "c"}, 7])
    assert [(s.protected, s.signature, s.at) for s in lifted(card).signatures] == [
        ("a", "b", "$.signatures[0]"),
        ("a", "c", "$.signatures[2]"),
    ]
    many = changed(MINIMAL, signatures=[{"protected": "a", "signature": str(n)} for n in range(500)])
    assert len(lifted(many).signatures) == 64


def test_every_part_says_where_it_stood() -> None:
    card, document = lifted(FULL), read(FULL).document
    assert document is not None
    places = [part.at for part in (*card.supported_interfaces, *card.skills, *card.capabilities.extensions)]
    places += [scheme.at for scheme in card.security_schemes.values()]
    places += [requirement.at for requirement in card.security_requirements]
    places += [*card.at.values(), *card.capabilities.at.values()]
    assert len({document.place(path) for path in places}) == len(places)
