"""The archive: one folder of records, each there whole or not at all. What is worth recording is decided elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from headcount.core import documents
from headcount.core.errors import BadFile
from headcount.core.signature import stable_key

FORMAT = "headcount.record"
VERSION = 1


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
            documents.fields(document, what="A record", required=["format", "version", "step", "settings", "result"])
        if document["step"] != step or stable_key(document["settings"]) != stable_key(dict(settings)):
            raise BadFile("this record does not match its name; delete it and run again.", path=path)
        return document["result"]

    def put(self, step: str, settings: Mapping[str, Any], result: Any) -> Path:
        """Record a result under its settings."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "step": step,
            "settings": dict(settings),
            "result": result,
        }
        return documents.save(document, self.path(step, stable_key(dict(settings))))
