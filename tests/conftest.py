"""What every test stands on: no network, no hub, one thread, and a reason for everything that is skipped."""

import os
import shutil
import socket
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
_LOOPBACK = ("127.", "::1", "localhost")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what this machine cannot run, and say what would be needed."""
    import torch

    # models here are so small that threads would only wait for one another
    torch.set_num_threads(1)
    missing = {
        "real": None
        if (SHARED / "models").is_dir()
        else "needs real models and treebanks, which are not part of the project: put them in ../shared/models and "
        "../shared/data",
        "gpu": None if torch.cuda.is_available() else "needs a CUDA device; this machine has none",
        "browser": None if shutil.which("chromium") else "needs Chromium: install the package that brings `chromium`",
        "cluster": "needs a Ray cluster; comes with a later version",
    }
    for item in items:
        for marker, reason in missing.items():
            if reason is not None and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests must not reach out: a connection to anywhere but this machine fails loudly."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family != socket.AF_UNIX and not str(address[0]).startswith(_LOOPBACK):  # type: ignore[index]
            raise AssertionError(f"a test tried to connect to {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def shared() -> Path:
    """Real data and models beside the project (marker `real`)."""
    return SHARED
