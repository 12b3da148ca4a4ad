from cardtrail.services.cli.formats import render
from cardtrail.services.cli.formats.report import Place, Report
from cardtrail.services.cli.shell.console import Style
from tests.services.cli.cards import HOSTILE
from tests.services.cli.formats.reports import breaking, full, note, report, section


def annotations(found: Report) -> list[str]:
    return render("github", found, Style()).splitlines()


def test_a_finding_is_an_annotation_on_the_lock_line() -> None:
    first, second, third = annotations(full())
    assert first.startswith(
        "::error file=trip.lock.json,line=7,col=52,endLine=7,endColumn=72,title=input-mode-removed::"
        "skill itinerary-pricing no longer takes application/json · needs [application/json]"
    )
    assert second.startswith("::warning ")
    assert third.startswith("::notice file=trip.lock.json,line=2,title=skill-added::")


def test_of_more_than_ten_of_a_kind_the_tenth_says_how_many_are_missing() -> None:
    lines = annotations(report(section(*(breaking() for _ in range(12)), *(note() for _ in range(10)))))
    assert len(lines) == 20
    assert lines[9].endswith(" (and 2 more: cardtrail check …)")
    assert "more:" not in lines[19]


def test_card_text_stays_inside_its_message() -> None:
    for line in annotations(full(HOSTILE + "\n::error::x\r%0A,title=y::z")):
        head, _, data = line[2:].partition("::")
        assert head.count(",title=") == 1
        assert "\n" not in data
        assert "%0A" not in data.replace("%250A", "")
        assert "##[" not in data


def test_where_nothing_is_found_one_notice_says_so() -> None:
    assert annotations(report(section())) == [
        "::notice title=cardtrail::compatible: trip-planner × pricing.partner.example"
    ]


def test_a_path_is_encoded_as_a_command_wants_it_and_no_further() -> None:
    (line,) = annotations(report(section(breaking(place=Place("./na sty,100%.json", 7)))))
    assert line.startswith("::error file=na sty%2C100%25.json,line=7,")
