from cardtrail.events.fact import dump
from cardtrail.services.card.read import read_card
from cardtrail.services.demo import cards
from cardtrail.services.web.past import Past
from cardtrail.services.web.views.compare import CompareView, Side, compare_view
from tests.services.web.scene import past, story


def side(told: Past, through: int) -> Side:
    profile = told.profile_at(through)
    known = {"profile": profile[0] if profile else None, "card": None, "version": "", "verdicts": {}}
    return Side(principal="public", at=None, through=through, **known)  # type: ignore[arg-type]


def shown(left: int, right: int, *, with_cards: bool = False) -> CompareView:
    told = past(story().facts)
    profiles = [held[1] if (held := told.profile_at(place)) else None for place in (left, right)]
    original = cards.pricing(443)
    pair = (read_card(dump(original)), read_card(dump(cards.reworded(original)))) if with_cards else None
    return compare_view("pricing", ("public",), (side(told, left), side(told, right)), (profiles[0], profiles[1]), pair)


def test_only_what_differs_is_shown_and_the_rest_is_named() -> None:
    view = shown(4, 9)
    assert [(one.capability, one.mark, one.left, one.right) for one in view.differing] == [
        ("streaming", "~", True, False)
    ]
    assert "push" in view.alike
    assert "streaming" not in view.alike


def test_a_side_of_which_nothing_is_known_has_nothing() -> None:
    view = shown(1, 9)
    assert {one.mark for one in view.differing} == {"+"}
    assert not view.alike
    assert view.left.profile is None


def test_the_same_twice_differs_in_nothing() -> None:
    assert shown(9, 9).differing == ()


def test_texts_of_the_raw_cards_are_folded() -> None:
    view = shown(9, 9, with_cards=True)
    assert [one.subject for one in view.members] == ["skills[fare-rules]"]
    assert view.not_counted == ("key order", "2 texts")
    assert not shown(9, 9).cards_read
