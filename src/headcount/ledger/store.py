"""The archive: one folder of records, each there whole or not at all. What is worth recording is decided elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from headcount.core import documents
from headcount.core.errors import BadInput
from headcount.core.signature import stable_key

FORMAT = "headcount.record"
VERSION = 1
_FIELDS = ("format", "version", "step", "settings", "result")


@final
@dataclass(frozen=True)
class Store:
    """Records by key: the key is a hash of the settings, so what is there need not be made again."""

    folder: Path

    def path(self, step: str, key: str) -> Path:
        """Where the record of one step under one key lies."""
        return self.folder / f"{step}-{key}.json"

    def get(self, step: str, settings: Mapping[str, Any]) -> Any | None:
        """What is known of this step under these settings, or None; a damaged record is named, not passed over."""
        path = self.path(step, stable_key(dict(settings)))
        if not path.exists():
            return None
        with documents.naming(path):
            document = documents.load(path, what="a record of headcount")
            documents.check_format(document, name=FORMAT, version=VERSION)
            documents.fields(document, what="A record", required=[*_FIELDS, "result_key"])
            if document["step"] != step or stable_key(document["settings"]) != stable_key(dict(settings)):
                raise BadInput("this record does not match its name; delete it and run again.")
            if document["result_key"] != stable_key(document["result"]):
                raise BadInput("the result of this record was changed; delete it and run again.")
        return document["result"]

    def put(self, step: str, settings: Mapping[str, Any], result: Any) -> Path:
        """Record a result under its settings; None is what an absent record gives, and no result."""
        if result is None:
            raise BadInput(f"The step {step!r} gave no result to record.")
        document = {
            "format": FORMAT,
            "version": VERSION,
            "step": step,
            "settings": dict(settings),
            "result": result,
            "result_key": stable_key(result),
        }
        return documents.save(document, self.path(step, stable_key(dict(settings))))
