import pytest

from cardtrail.events.model.profile import SkillProfile
from cardtrail.services.verdict.renames import Renames, twins


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


LEDGER = SkillProfile(input=("text/plain",), output=("text/plain",), tags=("ledger", "tasks"))


@pytest.mark.parametrize(
    ("lost", "gained", "named"),
    [
        ({"economy": LEDGER}, {"lifecycle": LEDGER}, {"economy": "lifecycle"}),
        (
            {"economy": LEDGER},
            {"lifecycle": LEDGER.model_copy(update={"tags": ("tasks", "ledger")})},
            {"economy": "lifecycle"},
        ),
        ({"economy": LEDGER}, {"lifecycle": LEDGER.model_copy(update={"input": ("image/png",)})}, {}),
        ({"economy": LEDGER}, {"one": LEDGER, "two": LEDGER}, {}),
        ({"economy": LEDGER, "other": LEDGER}, {"lifecycle": LEDGER}, {}),
        ({"economy": SkillProfile()}, {"lifecycle": SkillProfile()}, {}),
    ],
)
def test_the_only_skill_with_the_same_tags_and_modes_is_the_lost_one_under_another_id(
    lost: dict[str, SkillProfile], gained: dict[str, SkillProfile], named: dict[str, str]
) -> None:
    assert twins(lost, gained) == named
