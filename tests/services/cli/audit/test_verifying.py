"""A proof that is given where a bundle belongs is known for what it is."""

from pathlib import Path

from cardtrail.services.ledger.proof import Proof
from tests.services.cli.program import cardtrail

PROOF = Proof(
    format="cardtrail.proof/1",
    sequence=7,
    stored_ns="1",
    subject="cardtrail.ledger.policy-declared",
    event="{}",
    index=6,
    path=(),
    checkpoint="",
    older=None,
)


def test_a_proof_that_is_given_as_a_bundle_is_refused_with_the_way_to_check_it(tmp_path: Path) -> None:
    file = tmp_path / "fact.proof.json"
    file.write_text(PROOF.model_dump_json())
    error = cardtrail("verify-log", file, "--json").json["error"]
    assert error["code"] == "bundle-unreadable"
    assert error["hint"] == f"cardtrail verify-log --proof {file}"


def test_what_is_neither_is_no_bundle(tmp_path: Path) -> None:
    file = tmp_path / "incident.tar.gz"
    file.write_text("{}")
    error = cardtrail("verify-log", file, "--json").json["error"]
    assert (error["code"], error["hint"]) == (
        "bundle-unreadable",
        "a folder, .tar or .tar.gz as cardtrail export writes them",
    )
