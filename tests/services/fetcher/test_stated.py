"""A digest that a registry states is held against the card that came."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from cardtrail.events.canonical import digest, raw_digest
from cardtrail.services.fetcher.stated import contradictions
from tests.agent_host import AgentHost, Reply
from tests.services.fetcher.looks import WELL_KNOWN, Watch, card, codes, fetched, refused

BODY = json.dumps(card(), indent=1).encode()
RAW, CANONICAL = raw_digest(BODY), digest(card())
OTHER = "sha256:" + "0" * 64


@pytest.fixture
def host() -> Iterator[AgentHost]:
    with AgentHost("agent.example") as running:
        yield running


@pytest.mark.parametrize("stated", ["", RAW, CANONICAL, RAW.upper(), RAW[7:], RAW.replace(":", "-"), f" {RAW} "])
def test_a_digest_of_the_raw_or_of_the_canonical_bytes_says_nothing(stated: str) -> None:
    assert contradictions(stated, BODY) == ()


@pytest.mark.parametrize(
    ("stated", "body", "code"),
    [
        (OTHER, BODY, "CT105"),
        (RAW, BODY + b" ", "CT105"),
        (RAW, BODY.replace(b"3.2.0", b"3.2.1"), "CT105"),
        (CANONICAL, b'{"n": 9007199254740993}', "CT105"),
        ("sha512:" + "0" * 128, BODY, "CT106"),
        ("sha256:", BODY, "CT106"),
        ("latest\x1b[2J", BODY, "CT106"),
    ],
)
def test_any_other_is_one_finding(stated: str, body: bytes, code: str) -> None:
    (found,) = contradictions(stated, body)
    assert found.code == code
    assert found.message.isprintable()


def test_of_an_embedded_card_without_a_canonical_form_nobody_can_tell() -> None:
    (found,) = contradictions(OTHER, b'{"n": 9007199254740993}', embedded=True)
    assert found.code == "CT106"
    assert contradictions(CANONICAL, BODY, embedded=True) == ()


def test_the_finding_stands_while_it_is_so_and_no_longer(host: AgentHost) -> None:
    host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": '"1"'}))
    watch = Watch(host, stated=OTHER)
    assert codes(watch.look()) == ["CT105"]
    same = fetched(watch.look())
    assert (same.status, same.same_as) == (304, 1)
    watch.errand = replace(watch.errand, forced=True)
    assert fetched(watch.look()).same_as == 1, "the same card and the same contradiction"
    watch.errand = replace(watch.errand, stated=CANONICAL)
    over = fetched(watch.look())
    assert (over.same_as, codes(watch.look())) == (None, [])
    assert watch.memory.full == over


def test_a_card_that_is_not_kept_any_more_is_a_refusal_of_ours(host: AgentHost) -> None:
    gone = refused(Watch(host, kind="document", path=OTHER).look())
    assert (gone.stage, gone.reason, gone.fault) == ("fetch", "document-missing", "ours")
