"""What leaves the house: nothing of whoever did it, everything that explains it."""

import json

from cardtrail.events import EVENTS, ChangeAcknowledged, encode
from cardtrail.events.upcast import decode
from cardtrail.services.bundle.redact import HIDDEN, LOCAL, Redaction
from cardtrail.services.cli.catalogue.topics import TOPICS
from tests.projections.log import Log

KEY = b"k" * 32


def acknowledged(by: str, reason: str = "agreed with mira") -> bytes:
    log = Log()
    event = ChangeAcknowledged(agent="pricing", workflow="trip", fingerprint="f", reason=reason, by=by)
    return encode(log.tell(event).fact)


def test_the_same_person_is_the_same_word_in_one_bundle_and_another_in_the_next() -> None:
    one = Redaction(KEY)
    first, members = one.redacted(acknowledged("mira"), "change-acknowledged")
    second, _ = one.redacted(acknowledged("mira", "other words"), "change-acknowledged")
    assert members == ("by", "reason")
    names = [json.loads(data)["data"]["by"] for data in (first, second)]
    assert (
        names[0]
        == names[1]
        != json.loads(Redaction(b"x" * 32).redacted(acknowledged("mira"), "change-acknowledged")[0])["data"]["by"]
    )
    assert b"mira" not in first
    assert one.counts == {"change-acknowledged.by": 2, "change-acknowledged.reason": 2}


def test_a_redacted_fact_is_still_a_fact() -> None:
    data, _ = Redaction(KEY).redacted(acknowledged("mira"), "change-acknowledged")
    event = decode(data).data
    assert isinstance(event, ChangeAcknowledged)
    assert (event.fingerprint, event.workflow, event.agent) == ("f", "trip", "pricing")


def test_what_holds_nothing_private_keeps_its_bytes() -> None:
    log = Log()
    data = encode(log.say("card-fetched", status=304, same_as=1).fact)
    assert Redaction(KEY).redacted(data, "card-fetched") == (data, ())
    for data in (b"\xff\x00", b"[]", b"{}", b'{"data": 3}'):
        assert Redaction(KEY).redacted(data, "card-fetched") == (data, ())


def test_headers_go_one_by_one_and_paths_of_our_machines_only() -> None:
    log = Log()
    served = encode(log.say("card-fetched", headers={"server": "x/1", "via": "y"}, location="https://p.example/c").fact)
    told = json.loads(Redaction(KEY).redacted(served, "card-fetched")[0])["data"]
    assert set(told["headers"]) == {"server", "via"}
    assert all(text.startswith("redacted-") for text in told["headers"].values())
    assert told["location"] == "https://p.example/c"
    for place in (
        "/home/mira/card.json",
        "mira/card.json",
        "./card.json",
        "file:///home/mira/card.json",
        '{"name": "x"}',
    ):
        local = encode(log.say("card-fetched", location=place).fact)
        assert json.loads(Redaction(KEY).redacted(local, "card-fetched")[0])["data"]["location"].startswith("redacted-")


def test_the_list_names_members_that_there_are_and_the_help_names_the_list() -> None:
    for kind, paths in (*HIDDEN.items(), *LOCAL.items()):
        fields = set(EVENTS[kind].model_fields)
        for path in paths:
            assert path.split(".")[0] in fields, (kind, path)
            assert path in TOPICS["bundles"], (kind, path)
        assert kind in TOPICS["bundles"]


def test_every_member_that_names_a_person_is_on_the_list() -> None:
    for kind, event in EVENTS.items():
        for member in {"by", "owner", "channel", "person"} & set(event.model_fields):
            assert member in HIDDEN.get(kind, ()), (kind, member)


def test_a_fact_told_with_a_number_that_no_json_has_leaves_redacted_all_the_same() -> None:
    data = acknowledged("mira").replace(b'"specversion":"1.0"', b'"specversion":1e400')
    redacted, members = Redaction(KEY).redacted(data, "change-acknowledged")
    assert members == ("by", "reason")
    assert b"mira" not in redacted
