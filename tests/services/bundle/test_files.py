"""The files of a bundle: whole or not there, read only as far as the format names them, refused where they are not it."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from cardtrail.events.errors import CardtrailError, InputRefused, UsageError
from cardtrail.services.bundle.files import Bundle, Writing
from cardtrail.services.bundle.lines import body_line, fact_line, kind_of, read_body, read_fact
from cardtrail.services.bundle.manifest import FACTS, FORMAT, MANIFEST, Manifest, Scope
from cardtrail.services.bundle.slice import Slice
from cardtrail.services.ledger.leaf import Leaf

LEAF = Leaf(3, 1_700_000_000_123_456_789, "cardtrail.events.a.pricing.public.card-fetched.-", b'{"id":"x"}')
SCOPE = Scope(agents=("pricing",), principals=("public",), since=None, until=None, through=3, known_from=1)


def written(target: Path, *leaves: Leaf) -> Path:
    with Writing(target) as writing:
        with writing.file(FACTS) as put:
            for leaf in leaves:
                put(fact_line(leaf, None, context=False))
        writing.finish(
            Manifest(
                format=FORMAT, release="0", scope=SCOPE, redaction="none", redacted={}, facts=len(leaves), context=0,
                bodies=0, bodies_left_out={}, head="", files=writing.files,
            )
        )  # fmt: skip
    return target


@pytest.mark.parametrize("name", ["bundle", "bundle.tar", "bundle.tar.gz"])
def test_a_bundle_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    odd = LEAF._replace(sequence=4, data=b"\xff\xfe no text")
    bundle = Bundle(written(tmp_path / name, LEAF, odd))
    assert bundle.manifest.scope == SCOPE
    assert [read_fact(line)[1] for line in bundle.lines(FACTS)] == [LEAF, odd]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_same_slice_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, LEAF).read_bytes() for name in ("a.tar", "b.tar"))
    assert one == other


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    written(tmp_path / "bundle", LEAF)
    with pytest.raises(UsageError) as refused:
        Writing(tmp_path / "bundle")
    assert refused.value.code == "output-unwritable"


@pytest.mark.parametrize("name", ["bundle.zip", "bundle.tar.bz2", "bundle.JSON", "log.gz"])
def test_a_name_that_means_another_kind_of_file_makes_no_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        Writing(tmp_path / name)
    assert (refused.value.code, list(tmp_path.iterdir())) == ("output-unwritable", [])


def test_a_bundle_that_was_not_finished_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Writing(tmp_path / "bundle") as writing, writing.file(FACTS):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def refusal(place: Path) -> CardtrailError:
    with pytest.raises((InputRefused, UsageError)) as refused:
        read(place)
    return refused.value


def read(place: Path) -> None:
    for line in Bundle(place).lines(FACTS):
        read_fact(line)


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.write_bytes(b"no tar")
    assert refusal(nothing).code == "bundle-unreadable"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refusal(empty).code == "bundle-unreadable"
    cut = written(tmp_path / "cut.tar.gz", LEAF)
    cut.write_bytes(cut.read_bytes()[:100])
    assert refusal(cut).code == "bundle-unreadable"
    assert refusal(tmp_path / "absent.tar").code == "file-unreadable"


def test_a_changed_file_is_not_what_the_manifest_says(tmp_path: Path) -> None:
    bundle = written(tmp_path / "bundle", LEAF)
    (bundle / FACTS).write_bytes((bundle / FACTS).read_bytes().replace(b"pricing", b"pricinG"))
    assert refusal(bundle).code == "bundle-altered"


def test_a_tar_reaches_no_file_but_its_own(tmp_path: Path) -> None:
    """Links, paths that climb and names that no bundle has are never opened."""
    (tmp_path / "secret").write_text("secret")
    manifest = json.loads((written(tmp_path / "bundle", LEAF) / MANIFEST).read_text())
    for name in ("../secret", "/etc/passwd", "secret"):
        evil = tmp_path / "evil.tar"
        with tarfile.open(evil, "w") as tar:
            data = json.dumps(manifest | {"files": {name: {"sha256": "sha256:0", "lines": 1}}}).encode()
            info = tarfile.TarInfo(MANIFEST)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
            link = tarfile.TarInfo(FACTS)
            link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path / "secret")
            tar.addfile(link)
        assert refusal(evil).code == "bundle-unreadable"


def test_a_line_without_end_is_refused_and_not_kept(tmp_path: Path) -> None:
    bundle = written(tmp_path / "bundle", LEAF)
    (bundle / FACTS).write_bytes(b"x" * (3 << 20))
    assert refusal(bundle).code == "bundle-unreadable"


def test_a_body_is_its_digest() -> None:
    line = body_line("pricing", "public", b"card").model_dump_json().encode()
    assert read_body(line) == ("pricing", "public", b"card")
    with pytest.raises(InputRefused) as refused:
        read_body(line.replace(b"Y2FyZA==", b"Y2FyWA=="))
    assert refused.value.code == "bundle-altered"


def test_the_kind_is_in_the_subject() -> None:
    assert kind_of("cardtrail.events.a.pricing.public.lockfile-pinned.trip") == "lockfile-pinned"
    assert kind_of("cardtrail.decisions.trip.pricing") == "change-decided"
    assert kind_of("cardtrail.ledger.policy-declared") == "policy-declared"
    assert kind_of("cardtrail") == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "$JS.API.STREAM.DELETE.CARDTRAIL_FACTS"},
        {"subject": "cardtrail.events.>"},
        {"subject": "cardtrail.live.decisions.trip.pricing"},
        {"subject": "cardtrail.bodies.pricing.public.00"},
        {"subject": "cardtrail.ledger.a b"},
        {"sequence": 0},
        {"sequence": 1 << 60},
        {"stored_ns": "-1"},
        {"stored_ns": "9" * 5_000},
        {"leaf": "zz"},
        {"leaf": "00"},
        {"base64": "%", "event": None},
        {"more": 1},
    ],
)
def test_a_fact_that_can_lie_on_no_log_is_refused_and_never_published(changes: dict[str, object]) -> None:
    line = fact_line(LEAF, None, context=False).model_dump(mode="json") | changes
    with pytest.raises(InputRefused) as refused:
        read_fact(json.dumps(line).encode())
    assert refused.value.code == "bundle-unreadable"


def fact(sequence: int, kind: str, subject: str = "pricing", principal: str | None = None, **data: object) -> Leaf:
    told = {"subject": subject, "data": data} | ({"principal": principal} if principal else {})
    place = f"cardtrail.events.a.{subject}.{principal or 'public'}.{kind}.-"
    return Leaf(sequence, sequence, place, json.dumps(told).encode())


def test_a_slice_holds_what_one_principal_sees_and_no_extended_card() -> None:
    chosen = Slice(("pricing",), ("public",), extended=False)
    facts = [
        fact(1, "card-fetched", raw_digest="sha256:1"),
        fact(2, "card-fetched", principal="desk", raw_digest="sha256:2"),
        fact(3, "card-fetched", raw_digest="sha256:3", extended=True),
        fact(4, "lockfile-pinned", "other", lockfile={"fallback": [{"agent": "pricing"}]}),
        fact(5, "lockfile-pinned", "other", lockfile={"fallback": [{"agent": "third"}]}),
    ]
    assert [leaf.sequence for leaf in facts if chosen.takes(leaf)] == [1, 3, 4]
    assert list(chosen.bodies()) == [("pricing", "public", "sha256:1")]
    assert chosen.left_out == {"extended card": 1}


def test_what_a_slice_rests_on_is_the_last_word_of_each_subject_and_the_last_whole_card() -> None:
    chosen = Slice((), (), extended=True)
    for leaf in (
        fact(1, "card-fetched", raw_digest="sha256:1"),
        fact(2, "profile-compiled", card_digest="sha256:1"),
        fact(3, "card-fetched", same_as=1),
        fact(4, "card-fetched", same_as=1),
    ):
        chosen.before(leaf)
    chosen.settle()
    assert [leaf.sequence for leaf in chosen.context()] == [1, 2, 4]
    assert list(chosen.bodies()) == [("pricing", "public", "sha256:1")]
