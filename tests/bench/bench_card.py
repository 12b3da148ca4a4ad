"""Bytes → strict parse → validate → lift → compile → digest, beside a2a-sdk's parse alone of the same card (goal: faster).

The SDK's side is what its client does with an answer: `json.loads`, then `parse_agent_card` (protobuf's `ParseDict`).
"""

import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from a2a.client.card_resolver import parse_agent_card

from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.card.lift import lift
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.parse import parse
from cardtrail.services.card.read import read_card
from cardtrail.services.card.shape import recognise
from cardtrail.services.card.validate import validate
from tests.services.card.cards import FULL, MINIMAL, changed, skill

CLIENT = ClientCapabilities()
ROUNDS = 400
SKILLS = [
    skill(
        id=f"skill-{number}",
        name=f"Skill {number}",
        description="Prices a whole itinerary and returns one quote with all taxes and fees.",
        tags=["pricing", "travel"],
        examples=["Price Berlin to Lisbon for two on 12 May"],
        inputModes=["application/json", "text/plain"],
        outputModes=["application/json"],
    )
    for number in range(8)
]
CARDS: dict[str, Any] = {"one-skill": MINIMAL, "two-skills": FULL, "eight-skills": changed(FULL, skills=SKILLS)}


def bench() -> dict[str, dict[str, float]]:
    """By card: microseconds of each side, medians measured in turn, their ratio (ours ÷ SDK), and of each stage alone."""
    return {name: _card(json.dumps(card, indent=2).encode()) for name, card in CARDS.items()}


def _card(data: bytes) -> dict[str, float]:
    value = parse(data).value
    card = lift(value, Notes(recognise(value)))
    profile = compile_profile(card, CLIENT)
    sdk, ours = _in_turn(
        lambda: parse_agent_card(json.loads(data)),
        lambda: profile_digest(compile_profile(_read(data), CLIENT)),
    )
    stages: dict[str, Callable[[], object]] = {
        "parse": lambda: parse(data),
        "lift": lambda: lift(value, Notes(recognise(value))),
        "validate": lambda: validate(card, Notes()),
        "compile": lambda: compile_profile(card, CLIENT),
        "digest": lambda: profile_digest(profile),
    }
    alone = {f"{name}_us": _in_turn(stage)[0] for name, stage in stages.items()}
    return {"bytes": len(data), "sdk_us": sdk, "ours_us": ours, "ratio": round(ours / sdk, 2), **alone}


def _read(data: bytes) -> Any:
    return read_card(data).card


def _in_turn(*sides: Callable[[], object]) -> list[float]:
    taken: list[list[float]] = [[] for _ in sides]
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for side, times in zip(sides, taken, strict=True):
                start = time.perf_counter()
                side()
                times.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return [round(1e6 * statistics.median(times), 1) for times in taken]


if __name__ == "__main__":
    print(json.dumps(bench(), indent=1))
