"""Fixtures of the gallery: one invented demo, as a document and as a rendered page."""

from typing import Any

import pytest

from headcount.report.document import Demo
from headcount.report.page import render
from headcount.report.reading import read
from report import invented_demo


@pytest.fixture
def document() -> dict[str, Any]:
    return invented_demo.demo()


@pytest.fixture
def demo(document: dict[str, Any]) -> Demo:
    return read(document)


@pytest.fixture(scope="session")
def page() -> str:
    return render(invented_demo.demo())
