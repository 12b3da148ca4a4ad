"""One breaking, one review and one note, with or without text that would do harm, as every format is given them."""

from typing import Any

from cardtrail.events.errors import InputRefused
from cardtrail.services.cli.formats.report import Place, Remark, Report, RuleDoc, Section

FINGERPRINT = "3f0a91c2d7e4" + "0" * 52
RULES = {
    "input-mode-removed": RuleDoc(
        "input-mode-removed", "error", "breaking", "The agent takes less", "Why.", ("input",)
    ),
    "skill-added": RuleDoc("skill-added", "note", "note", "A skill is new", "Why.", ("skill",)),
    "tenant-changed": RuleDoc("tenant-changed", "warning", "review", "Another tenant", "Why.", ("tenant",)),
}


def breaking(text: str = "", **changes: Any) -> Remark:
    known = {
        "needs": ["application/json"],
        "before": ["application/json", "text/plain"],
        "after": ["text/plain" + text],
        "path": f"$.skills[0].inputModes{text}",
        "fingerprint": FINGERPRINT,
    }
    return Remark(
        "input-mode-removed",
        "error",
        "breaking",
        f"skills[itinerary-pricing{text}].inputModes",
        f"skill itinerary-pricing{text} no longer takes application/json",
        **{"place": Place("trip.lock.json", 7, 52, 7, 72), **known, **changes},
    )


def review(text: str = "") -> Remark:
    return Remark(
        "agent-version-changed",
        "warning",
        "review",
        "version",
        f"another version{text}",
        Place("trip.lock.json", 3, 18, 3, 25),
        before="3.2.0",
        after=f"4.0.0{text}",
        fingerprint="5d7e02b19c44" + "0" * 52,
    )


def note(text: str = "") -> Remark:
    return Remark(
        "skill-added",
        "note",
        "note",
        f"skills[refunds{text}]",
        "a skill is new",
        Place("trip.lock.json", 2, 1),
        after=f"refunds{text}",
        fingerprint="9" * 64,
    )


def section(*remarks: Remark, text: str = "", **changes: Any) -> Section:
    levels = {remark.level for remark in remarks}
    verdict = "breaking" if "error" in levels else "review" if "warning" in levels else "compatible"
    known: dict[str, Any] = {
        "card": f"https://pricing.partner.example{text}",
        "applied": tuple(RULES),
        "workflow": f"trip-planner{text}",
        "agent": f"pricing.partner.example{text}",
        "version": f"3.2.1{text}",
        "digest": "sha256:6f1c" + "0" * 58 + "e2",
        "file": "trip.lock.json",
    }
    output = {"verdict": verdict, "findings": [{"message": remark.message} for remark in remarks], "name": text}
    return Section(verdict=verdict, output=output, remarks=remarks, **{**known, **changes})


def report(*sections: Section, **changes: Any) -> Report:
    return Report("check", sections, **{"rules": RULES, "repeat": "cardtrail check …", "release": "0.1.0", **changes})


def full(text: str = "") -> Report:
    return report(section(breaking(text), review(text), note(text), text=text))


def unreadable(text: str = "") -> Section:
    failure = InputRefused("card-unreadable", f"an HTML page{text}; verdict review", file="new.json", line=1, column=1)
    return section(failure=failure, text=text)
