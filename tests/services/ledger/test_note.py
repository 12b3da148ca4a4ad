"""Signed notes beside the example of golang.org/x/mod/sumdb/note, and what is refused of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.ledger.checkpoint import Checkpoint, read_checkpoint
from cardtrail.services.ledger.note import Verifier, opened, read_signer, read_verifier, signer

# The example of the package's documentation.
GO_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_NOTE = GO_TEXT + (
    "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY = signer("tracker.example/log", bytes(range(32)))
POINT = Checkpoint("tracker.example/log", 7, bytes(32), 9)


def test_keys_and_signatures_are_those_of_go() -> None:
    key = read_signer(GO_SECRET)
    assert str(key.verifier) == GO_PUBLIC
    assert key.secret() == GO_SECRET
    assert key.sign(GO_TEXT) == GO_NOTE
    assert opened(GO_NOTE, [read_verifier(GO_PUBLIC)]) == (GO_TEXT, (key.verifier,))


def test_a_signing_key_never_shows_itself() -> None:
    assert "AYEKFALV" not in repr(read_signer(GO_SECRET))


@given(st.binary(min_size=32, max_size=32), st.text("abc./-", min_size=1, max_size=9))
def test_a_key_is_read_as_it_was_written(seed: bytes, name: str) -> None:
    key = signer(name, seed)
    assert read_signer(key.secret()) == key
    assert read_verifier(str(key.verifier)) == key.verifier == read_verifier(key.secret())


def test_a_checkpoint_is_read_as_it_was_signed() -> None:
    note = POINT.signed(KEY)
    assert note.startswith(
        "tracker.example/log\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nthrough 9\n\n— tracker.example/log "
    )
    assert read_checkpoint(note, [KEY.verifier]) == (POINT, (KEY.verifier,))
    assert read_checkpoint(note, []) == (POINT, ())
    both = note + signer("witness", bytes(32)).sign(POINT.text()).rpartition("\n\n")[2]
    assert read_checkpoint(both, [KEY.verifier])[1] == (KEY.verifier,)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda note: note.replace("\n7\n", "\n8\n"), "note-forged"),
        (lambda note: note[:-1], "note-unreadable"),
        (lambda note: note.replace("\n\n", "\n"), "note-unreadable"),
        (lambda note: note.replace("— ", "- "), "note-unreadable"),
        (lambda note: note + "x" * 70_000 + "\n", "note-unreadable"),
        (lambda _: "", "note-unreadable"),
    ],
)
def test_what_is_no_checkpoint_of_ours_is_refused(change: object, code: str) -> None:
    assert callable(change)
    with pytest.raises(InputRefused) as refused:
        read_checkpoint(change(POINT.signed(KEY)), [KEY.verifier])
    assert refused.value.code == code


@pytest.mark.parametrize("text", ["o\n07\nAAAA\n", "o\n7\nAAAA\n", "\n7\nAAAA\n", "o\n7\n", "o\nx\ny\n", "o\n7\n%%%\n"])
def test_a_note_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(InputRefused) as refused:
        read_checkpoint(KEY.sign(text), [KEY.verifier])
    assert refused.value.code == "note-unreadable"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a+b",
        GO_PUBLIC.replace("c74f20a3", "c74f20a4"),
        GO_PUBLIC[:-4],
        "PRIVATE+KEY+x",
        GO_SECRET.replace("c7", "c8"),
    ],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_verifier(text)
    assert refused.value.code == "key-unfit"


def test_a_key_whose_name_cannot_be_told_apart_is_refused() -> None:
    for name in ("", "a b", "a+b"):
        with pytest.raises(UsageError):
            signer(name, bytes(32))
    assert Verifier("a", bytes(32)).id != Verifier("b", bytes(32)).id
