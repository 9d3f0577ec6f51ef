"""Stages of a demo in one folder: each made once, recorded with what it was made from. What they make is `demo`."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from headcount.core.progress import Progress
from headcount.core.runtime import Runtime
from headcount.ledger.store import Store


@final
@dataclass(frozen=True, kw_only=True)
class Stages:
    """The records of one folder, valid under one set of settings and for the very files they were made from."""

    folder: Path
    runtime: Runtime
    progress: Progress
    fixed: dict[str, Any]
    total: int
    seconds: list[float] = field(default_factory=list)  # what each stage took, in whichever run it was made
    sources: dict[str, str] = field(default_factory=dict)  # stage → content hash of the files it left

    def step(self, name: str, make: Callable[[], Any], *, files: tuple[Path, ...] = (), **settings: Any) -> Any:
        """What is known of a stage; made now if nothing is, or if its files are not those it left."""
        known = self.known(name, files=files, **settings)
        if known is None:
            started = time.monotonic()
            made = make()
            known = {"seconds": round(time.monotonic() - started, 2), "made": made, "files": content_of(files)}
            self._store.put(name, self.settings(**settings), known)
        if files:
            self.sources[name] = known["files"]
        self.seconds.append(known["seconds"])
        self.progress("all stages", len(self.seconds), self.total)
        return known["made"]

    def known(self, name: str, *, files: tuple[Path, ...] = (), **settings: Any) -> Any | None:
        """What a stage left under these settings, if it is there and its files are as it left them."""
        found = self._store.get(name, self.settings(**settings))
        return found if found is not None and found["files"] == content_of(files) else None

    def settings(self, **more: Any) -> dict[str, Any]:
        """All that a stage depends on: settings, and the content of the files that earlier stages left."""
        return {**self.fixed, **self.runtime.settings(), "made_from": dict(self.sources), **more}

    @property
    def _store(self) -> Store:
        return Store(self.folder / "records")


def content_of(files: tuple[Path, ...]) -> str:
    """One hash of several files; a file that is not there is told from an empty one."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"")
    return digest.hexdigest()[:20]
