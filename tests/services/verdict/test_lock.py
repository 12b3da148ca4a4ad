import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.verdict.lock import lock_digest, lockfile_schema, read_lock, sealed, write_lock

SAMPLE = """{"agent": "https://pricing.partner.example/.well-known/agent-card.json",
 "pinned_at": "2026-10-02T08:30:00Z",
 "card_digest": "sha256:6f1c…e2", "agent_version": "3.2.0",
 "interface": {"binding": "JSONRPC", "version": "1.0"},
 "requires": {"streaming": true,
   "skills": {"itinerary-pricing": {"input": ["application/json"], "output": ["application/json"],
     "scopes": ["pricing.quote"]}},
   "extensions": []},
 "verified": {"streaming": "probe ok 2026-10-02", "itinerary-pricing": "probe ok 2026-10-02"}}"""


def refusal(text: str) -> InputRefused:
    with pytest.raises(InputRefused) as caught:
        read_lock(text.encode(), "trip.lock.json")
    return caught.value


def test_the_minimal_shape_loads_as_it_stands_and_its_short_digest_is_only_a_doubt() -> None:
    reading = read_lock(SAMPLE.encode())
    assert reading.lockfile.requires.skills["itinerary-pricing"].scopes == ("pricing.quote",)
    (doubt,) = reading.diagnostics
    assert (doubt.name, doubt.path, doubt.line, doubt.column) == ("digest-not-checkable", "$.card_digest", 3, 17)


def test_writing_and_reading_give_the_same_bytes_for_ever() -> None:
    data = write_lock(read_lock(SAMPLE.encode()).lockfile)
    assert write_lock(read_lock(data).lockfile) == data
    assert data.endswith(b"}\n")
    assert b'  "requires": {\n    "streaming": true,' in data


def test_the_order_of_members_in_the_file_changes_no_byte_that_is_written() -> None:
    turned = json.dumps(dict(reversed(json.loads(SAMPLE).items())))
    assert write_lock(read_lock(turned.encode()).lockfile) == write_lock(read_lock(SAMPLE.encode()).lockfile)


def test_a_sealed_lock_that_was_edited_is_refused_with_its_place() -> None:
    data = write_lock(sealed(read_lock(SAMPLE.encode()).lockfile)).decode()
    assert read_lock(data.encode()).lockfile.integrity.startswith("sha256:")
    error = refusal(data.replace("pricing.quote", "pricing.book"))
    assert (error.code, error.path, error.exit_code) == ("lock-tampered", "$.integrity", 3)
    assert error.file == "trip.lock.json"
    assert error.line > 1
    assert error.hint


@pytest.mark.parametrize(
    ("text", "code", "path", "hint"),
    [
        ('{"lockfile_version": 9}', "lock-version-unknown", "$.lockfile_version", "upgrade"),
        ("[]", "lock-not-an-object", "$", ""),
        ("{}", "lock-member-missing", "$", "agent"),
        ('{"name": "a", "skills": [], "url": "https://a.example"}', "lock-member-unknown", "$.name", "an Agent Card"),
        (SAMPLE.replace('"require', '"requir'), "lock-member-unknown", "$.requirs", "requires"),
        (
            SAMPLE.replace('"input"', '"inputs"'),
            "lock-member-unknown",
            "$.requires.skills['itinerary-pricing'].inputs",
            "input",
        ),
        (SAMPLE.replace('"skills"', '"skils"'), "lock-member-unknown", "$.requires.skils", "skills"),
        (SAMPLE.replace("true", '"yes"'), "lock-type-wrong", "$.requires.streaming", "true or false"),
        (
            SAMPLE.replace('["pricing.quote"]', '"pricing.quote"'),
            "lock-type-wrong",
            "$.requires.skills['itinerary-pricing'].scopes",
            "list",
        ),
        (SAMPLE.replace('"3.2.0"', "3.2"), "lock-type-wrong", "$.agent_version", "string"),
        (
            SAMPLE.replace('"verified"', '"severities": {"skill-removed": "fatal"}, "verified"'),
            "lock-value-wrong",
            "$.severities['skill-removed']",
            "",
        ),
        (
            SAMPLE.replace('"verified"', '"baseline": {"profile": {"usable": 1}}, "verified"'),
            "lock-type-wrong",
            "$.baseline.profile.usable",
            "",
        ),
        (SAMPLE[:-1], "json-syntax", "", ""),
        (SAMPLE.replace('"extensions": []', '"extensions": [], "streaming": false'), "json-duplicate-member", "", ""),
    ],
)
def test_a_broken_lock_is_refused_with_code_path_and_hint(text: str, code: str, path: str, hint: str) -> None:
    error = refusal(text)
    assert error.code == code
    assert error.path == path or not path
    assert hint in error.hint
    assert error.line >= 1


def test_null_as_the_tenant_pins_that_there_is_none_and_no_member_pins_nothing() -> None:
    pinned = SAMPLE.replace('"binding"', '"tenant": null, "binding"')
    assert read_lock(pinned.encode()).lockfile.interface.tenant == ""
    assert read_lock(SAMPLE.encode()).lockfile.interface.tenant is None


def test_a_schema_reference_and_private_members_are_left_alone() -> None:
    text = SAMPLE.replace('{"agent"', '{"$schema": "lock.schema.json", "x-ticket": 7, "agent"', 1)
    assert read_lock(text.encode()).lockfile == read_lock(SAMPLE.encode()).lockfile


def test_a_severity_for_no_rule_is_a_doubt_that_names_the_near_rule() -> None:
    text = SAMPLE.replace('"verified"', '"severities": {"skil-removed": null}, "verified"')
    doubt = read_lock(text.encode()).diagnostics[-1]
    assert (doubt.name, doubt.hint) == ("rule-unknown", "did you mean skill-removed?")


def test_the_digest_ignores_the_seal_and_sees_a_need() -> None:
    lock = read_lock(SAMPLE.encode()).lockfile
    assert lock_digest(sealed(lock)) == lock_digest(lock)
    assert lock_digest(lock.model_copy(update={"owner": "ops"})) != lock_digest(lock)


def test_the_schema_knows_every_member_and_asks_for_no_more_than_the_minimal_shape_has() -> None:
    schema = lockfile_schema()
    assert set(Lockfile.model_fields) <= set(schema["properties"])
    assert set(schema["required"]) <= set(json.loads(SAMPLE))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_make_reading_fail_otherwise_than_by_refusal(data: bytes) -> None:
    with suppress(InputRefused):
        read_lock(data)


LOGIN = "https://mira:hunter2@pricing.partner.example/"


@pytest.mark.parametrize(
    ("member", "path"),
    [
        ({"agent": LOGIN}, "$.agent"),
        ({"fallback": [{"agent": "rail"}, {"agent": LOGIN}]}, "$.fallback[1].agent"),
        ({"fallback": [LOGIN]}, "$.fallback[0]"),
        ({"workflow": "trip\u202eplanner"}, "$.workflow"),
        ({"owner": "m" * 201}, "$.owner"),
        ({"channel": "d" * 201}, "$.channel"),
        ({"person": "n" * 201}, "$.person"),
        ({"principal": ""}, "$.principal"),
        ({"evidence_max_age_s": -5}, "$.evidence_max_age_s"),
        ({"evidence_max_age_s": 10**18}, "$.evidence_max_age_s"),
    ],
)
def test_a_value_that_no_lock_may_have_is_refused_at_its_place_and_a_password_is_not_repeated(
    member: dict[str, object], path: str
) -> None:
    error = refusal(json.dumps({**json.loads(SAMPLE), **member}, indent=1))
    assert error.code in {"lock-value-wrong", "lock-type-wrong"}
    assert (error.path, error.file) == (path, "trip.lock.json")
    assert error.line > 1
    assert "hunter2" not in f"{error.message} {error.hint}"


def test_a_lock_without_a_digest_for_its_numbers_is_refused_with_its_file() -> None:
    error = refusal(json.dumps({**json.loads(SAMPLE), "x-ticket": 10**18, "integrity": "sha256:0"}))
    assert (error.code, error.path, error.file) == ("number-range", "$", "trip.lock.json")


def test_a_name_with_an_at_sign_is_no_login() -> None:
    assert read_lock(json.dumps({**json.loads(SAMPLE), "agent": "pricing@desk"}).encode()).lockfile.agent
