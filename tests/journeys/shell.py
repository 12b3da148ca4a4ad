"""A shell in the operator's folder, beside a tracker at work."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from cardtrail.services.cli.catalogue.schemas import schemas
from tests.journeys.tracked import Tracked
from tests.services.cli.program import Done, cardtrail


@dataclass
class Shell:
    """Commands as an operator types them; each tells its exit code, and its document what its published schema says."""

    tracked: Tracked
    folder: Path

    async def say(self, *words: str, code: int = 0) -> Done:
        config = {"CARDTRAIL_CONFIG": str(self.folder / "cardtrail.toml")}
        done = await asyncio.to_thread(cardtrail, *words, NATS_URL=self.tracked.system.url, **config)
        assert done.code == code, done
        return done

    async def json(self, *words: str, code: int = 0) -> Any:
        document = (await self.say(*words, "--json", code=code)).json
        name = "error" if "error" in document else words[0]
        Draft202012Validator(schemas()[name]()).validate(document)
        return document
