"""From a card to one profile: first shared endpoint, replaced modes, flags, extensions, security, provenance."""

from typing import Any

import pytest

from cardtrail.events.model.policy import ClientCapabilities
from tests.services.card.cards import (
    FULL,
    MINIMAL,
    OAUTH,
    V01,
    V03,
    changed,
    interface,
    lifted,
    profile,
    read,
    skill,
    validated,
)


def offering(*pairs: tuple[str, str]) -> dict[str, Any]:
    entries = [
        interface(url=f"https://h{n}.example/a", protocolBinding=binding, protocolVersion=version)
        for n, (binding, version) in enumerate(pairs)
    ]
    return changed(MINIMAL, supportedInterfaces=entries)


def test_the_first_entry_that_the_client_supports_is_chosen_in_the_agents_order() -> None:
    compiled = profile(offering(("GRPC", "1.0"), ("HTTP+JSON", "0.3"), ("JSONRPC", "1.0")))
    assert compiled.interface is not None
    assert (compiled.interface.binding, compiled.interface.version) == ("HTTP+JSON", "0.3")
    assert [one.supported for one in compiled.interfaces] == [False, True, True]


@pytest.mark.parametrize(
    "card",
    [
        MINIMAL,
        FULL,
        V03,
        V01,
        changed(V03, protocolVersion="1.0", skills=["quote"], capabilities={"extensions": ["https://e.example/x"]}),
        changed(FULL, supportedInterfaces=[interface(protocolVersion="v1", tenant="")], unheard={"a": 1}),
        changed(FULL, skills=[skill(inputModes=["a/b"]), skill(securityRequirements=[{"key": []}, {}])]),
        changed(FULL, signatures=[{"protected": "e30", "signature": "eA"}], provider="Partner"),
    ],
)
def test_a_card_and_its_profile_are_what_strict_validation_would_make_of_their_members(card: Any) -> None:
    assert validated(lifted(card)) == lifted(card)
    assert validated(profile(card)) == profile(card)


def test_bindings_compare_letter_by_letter() -> None:
    compiled = profile(offering(("jsonrpc", "1.0")))
    assert not compiled.usable
    assert compiled.sdk_choice["js"] is not None
    assert "python" not in compiled.sdk_choice


def test_a_tenant_is_carried_verbatim_and_an_empty_one_is_none() -> None:
    for tenant, carried in (("a/b?c", "a/b?c"), ("", None), (None, None)):
        card = changed(MINIMAL, supportedInterfaces=[interface(tenant=tenant)])
        assert profile(card).interface.tenant == carried  # type: ignore[union-attr]


PYTHON_RULES = [
    ([("JSONRPC", "0.3"), ("JSONRPC", "1.0.0")], 1),
    ([("HTTP+JSON", "0.3"), ("JSONRPC", "1.0")], 0),
    ([("JSONRPC", "2.0"), ("JSONRPC", "0.3")], 0),
    ([("JSONRPC", "0.2"), ("JSONRPC", "0.3")], 1),
    ([("JSONRPC", ""), ("JSONRPC", "0.3")], 1),
    ([("JSONRPC", "")], 0),
    ([("JSONRPC", "0.2")], None),
    ([("JSONRPC", "v1")], 0),
    ([("JSONRPC", "soon")], None),
    ([("GRPC", "1.0")], None),
]


@pytest.mark.parametrize(("pairs", "index"), PYTHON_RULES)
def test_the_python_sdk_chooses_as_its_own_code_does(pairs: list[tuple[str, str]], index: int | None) -> None:
    compiled = profile(offering(*pairs))
    ours = compiled.sdk_choice.get("python", compiled.interface)
    assert ours == (None if index is None else compiled.interfaces[index])


@pytest.mark.parametrize(("pairs", "index"), PYTHON_RULES)
def test_the_rule_for_the_python_sdk_is_what_the_installed_sdk_does(
    pairs: list[tuple[str, str]], index: int | None
) -> None:
    factory = pytest.importorskip("a2a.client.client_factory").ClientFactory
    types = pytest.importorskip("a2a.types")
    entries = [
        types.AgentInterface(url=str(n), protocol_binding=b, protocol_version=v) for n, (b, v) in enumerate(pairs)
    ]
    known = ("JSONRPC", "HTTP+JSON")
    binding = next((entry.protocol_binding for entry in entries if entry.protocol_binding in known), "-")
    chosen = factory._find_best_interface(entries, protocol_bindings=[binding])  # noqa: SLF001 — the SDK's own rule
    assert (chosen and int(chosen.url)) == index or (chosen is None and index is None)


@pytest.mark.parametrize(
    ("pairs", "index"),
    [
        ([("jsonrpc", "0.3"), ("JSONRPC", "1.0")], 1),
        ([("JSONRPC", "0.3"), ("JSONRPC", "1.0.0")], 0),
        ([("HTTP+JSON", "0.3"), ("JSONRPC", "1.0")], 0),
        ([("GRPC", "1.0"), ("JSONRPC", "2.0")], 1),
        ([("GRPC", "1.0")], None),
    ],
)
def test_the_js_sdk_ignores_case_and_wants_exactly_1_0(pairs: list[tuple[str, str]], index: int | None) -> None:
    compiled = profile(offering(*pairs))
    ours = compiled.sdk_choice.get("js", compiled.interface)
    assert ours == (None if index is None else compiled.interfaces[index])


def test_a_skills_own_modes_replace_the_defaults() -> None:
    skills = profile(FULL).skills
    assert skills["quote"].input == ("application/json", "text/plain")
    assert skills["quote"].output == ("application/pdf",)
    assert skills["help"].input == skills["help"].output == ("application/json",)


def test_card_and_skill_security_are_both_recorded() -> None:
    compiled = profile(FULL)
    assert [one.schemes for one in compiled.security] == [{"partner": ("quote",)}, {"key": ()}]
    assert [one.schemes for one in compiled.skills["quote"].security or ()] == [{"partner": ("quote", "book")}]
    assert compiled.skills["help"].security is None
    assert compiled.security_reading == "card and skill"


def test_an_unknown_required_extension_makes_the_agent_unusable_and_a_known_one_does_not() -> None:
    uri = "https://e.example/x"
    card = changed(MINIMAL, capabilities={"extensions": [{"uri": uri, "required": True}, {"uri": "u:opt"}]})
    assert [(r.code, r.detail, r.path) for r in profile(card).reasons] == [
        ("required-extension-unknown", uri, "$.capabilities.extensions[0]")
    ]
    knowing = profile(card, ClientCapabilities(extensions=(uri,)))
    assert knowing.usable
    assert [(one.uri, one.required, one.known) for one in knowing.extensions] == [
        (uri, True, True),
        ("u:opt", False, False),
    ]


def test_repeated_extensions_give_one_that_is_required_if_either_is() -> None:
    twice = [{"uri": "u:x", "params": {"a": 1}}, {"uri": "u:x", "required": True, "params": {"a": 2}}]
    (only,) = profile(changed(MINIMAL, capabilities={"extensions": twice})).extensions
    assert (only.required, only.params) == (True, {"a": 1})


def test_security_of_a_kind_the_client_does_not_implement_makes_the_agent_unusable() -> None:
    flows = ClientCapabilities(schemes=("oauth2/clientCredentials",))
    assert profile(FULL, flows).usable
    only_oauth = changed(FULL, securityRequirements=FULL["securityRequirements"][:1])
    assert [r.code for r in profile(only_oauth, ClientCapabilities(schemes=("http",))).reasons] == [
        "no-supported-security"
    ]
    assert profile(only_oauth, flows).usable
    undeclared = changed(MINIMAL, securityRequirements=[{"schemes": {"lost": {"list": []}}}])
    assert profile(undeclared, ClientCapabilities(schemes=())).usable


def test_every_value_remembers_the_member_it_came_from() -> None:
    compiled, document = profile(FULL), read(FULL).document
    assert document is not None
    assert compiled.provenance["interface.tenant"] == "$.supportedInterfaces[0].tenant"
    assert compiled.provenance["skills.quote.input"] == "$.skills[0].inputModes"
    assert compiled.provenance["skills.help.input"] == "$.defaultInputModes"
    assert compiled.provenance["skills.quote.security"] == "$.skills[0].securityRequirements"
    assert compiled.provenance["streaming"] == "$.capabilities.streaming"
    assert compiled.provenance["schemes.partner"].startswith("$.securitySchemes.partner")
    assert "streaming" not in profile(MINIMAL).provenance
    for path in compiled.provenance.values():
        assert document.place(path) != (1, 1)


def test_a_legacy_cards_values_remember_legacy_members() -> None:
    provenance = profile(V03).provenance
    assert (provenance["interface.url"], provenance["interface.binding"], provenance["interface.version"]) == (
        "$.url",
        "$.preferredTransport",
        "$.protocolVersion",
    )
    assert provenance["extended_card"] == "$.supportsAuthenticatedExtendedCard"
    assert provenance["security"] == "$.security"


def test_a_0_1_card_has_no_version_to_share() -> None:
    assert [one.code for one in profile(V01).reasons] == ["no-shared-interface"]
    compiled = profile(V01, ClientCapabilities(missing_version_matches=True))
    assert compiled.usable
    assert [one.schemes for one in compiled.security] == [{"Bearer": ()}, {}]
    assert compiled.schemes["Bearer"].http_scheme == "bearer"


def test_moving_from_0_3_to_1_0_is_not_everything_removed_and_added() -> None:
    newer = changed(
        MINIMAL,
        supportedInterfaces=[
            interface(protocolVersion="0.3"),
            interface(url="https://rates.example/rest", protocolBinding="HTTP+JSON", protocolVersion="0.3"),
        ],
        capabilities={"streaming": True, "extendedAgentCard": True},
        securitySchemes={"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
        securityRequirements=[{"schemes": {"key": {"list": []}}}],
    )
    plain = {"shape": "1.0", "provenance": {}}
    assert profile(V03).model_copy(update=plain) == profile(newer).model_copy(update=plain)


def test_a_skill_without_id_is_in_no_profile() -> None:
    assert set(profile(changed(MINIMAL, skills=[skill(id=""), skill(id=...), skill(id=7)])).skills) == {"7"}


def test_a_scheme_keeps_what_redefines_it() -> None:
    scheme = profile(changed(MINIMAL, securitySchemes={"o": OAUTH})).schemes["o"]
    assert (scheme.kind, scheme.flow, scheme.urls) == (
        "oauth2",
        "clientCredentials",
        {"tokenUrl": "https://auth.example/token"},
    )


@pytest.mark.parametrize(
    "odd", [{"url": "https://a.example/a2a#top"}, {"protocolBinding": "HTTP+JSON", "tenant": ".."}]
)
def test_an_endpoint_that_no_request_reaches_is_passed_over_and_alone_makes_the_agent_unusable(
    odd: dict[str, Any],
) -> None:
    alone = profile(changed(MINIMAL, supportedInterfaces=[interface(**odd)]))
    assert [(one.code, one.path) for one in alone.reasons] == [("interface-unfit", "$.supportedInterfaces[0]")]
    beside = profile(changed(MINIMAL, supportedInterfaces=[interface(**odd), interface()]))
    assert beside.interface is not None
    assert (beside.usable, beside.interface.url) == (True, interface()["url"])
