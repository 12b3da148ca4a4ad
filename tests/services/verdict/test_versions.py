import pytest

from cardtrail.services.verdict.versions import is_patch, major, protocol, went_down


@pytest.mark.parametrize(
    ("before", "after", "down"),
    [
        ("3.10.0", "3.9.0", True),
        ("v2.0", "1.9.9", True),
        ("1.0.0", "1.0.0-rc.1", True),
        ("1.0.0-rc.10", "1.0.0-rc.2", True),
        ("1.0.0-rc.1", "1.0.0-beta", True),
        ("1.0", "1.0.0", False),
        ("1.0.0+b2", "1.0.0+b1", False),
        ("latest", "1.0", False),
        ("2026-11", "2025-01", True),
        ("1.0.0-9", "1.0.0-99999999999999999999", False),
        ("", "1.0", False),
    ],
)
def test_a_version_went_down_only_where_both_can_be_ordered(before: str, after: str, down: bool) -> None:
    assert went_down(before, after) is down


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ("0.4.3", "0.4.4", True),
        ("0.4.3", "0.4.11", True),
        ("0.4.3", "0.5.0", False),
        ("0.4.3", "0.4.3", False),
        ("0.4.4", "0.4.3", False),
        ("1.0", "1.0.1", False),
        ("0.4.3", "0.4.4-rc.1", False),
        ("0.4.3+b7", "0.4.4+b1", True),
        ("0.4.3", "0.4.3+b1", False),
        ("2026.01.05", "2026.01.06", False),
        ("0.4.3", "0.4.04", False),
    ],
)
def test_a_patch_is_a_higher_last_number_of_three(before: str, after: str, patch: bool) -> None:
    assert is_patch(before, after) is patch


def test_protocol_versions_are_cut_to_two_numbers_and_others_left() -> None:
    assert [protocol(text) for text in ("1.0.1", "0.3", " 1.0 ", "draft", "")] == ["1.0", "0.3", "1.0", "draft", ""]
    assert [major(text) for text in ("1.0", "2", "draft", "")] == [1, 2, None, None]
