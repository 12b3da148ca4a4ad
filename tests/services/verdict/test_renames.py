import pytest

from cardtrail.services.verdict.renames import Renames


@pytest.mark.parametrize(
    ("lost", "gained", "named"),
    [
        ("generate-n8n-workflow", ["generate_n8n_workflow", "other"], "generate_n8n_workflow"),
        ("postBounty", ["bounty-claim", "bounty-post"], "bounty-post"),
        ("returns-policy-analysis", ["return-policy-analysis", "risk"], "return-policy-analysis"),
        ("sentiment-analyzer", ["sentiment-analysis"], "sentiment-analysis"),
        ("refunds", ["itinerary-pricing", "fare-rules"], None),
        ("refunds", [], None),
    ],
)
def test_the_likely_new_name_is_the_nearest_one_or_none(lost: str, gained: list[str], named: str | None) -> None:
    assert Renames(gained).likely(lost) == named
