"""Write the generated parts of the documentation: the commands' help, and the picture of the README from a demo."""

import json
import os
import subprocess
import sys
from pathlib import Path

COMMANDS = ("", "demo", "inspect", "methods", "measure", "prune", "evaluate", "cut")
DOCS = Path(__file__).parent
DEMO = DOCS.parent / "runs" / "demo" / "demo.json"
_PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "TERMINAL_WIDTH": "100", "PYTHONIOENCODING": "utf-8"}


def help_of(command: str) -> str:
    """What `headcount COMMAND --help` prints, without colours and 100 columns wide."""
    words = [sys.executable, "-m", "headcount.cli", *command.split(), "--help"]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, **_PLAIN}).stdout
    return "\n".join(line.rstrip() for line in shown.strip("\n").split("\n")).strip("\n")


def commands() -> str:
    """The page of all commands."""
    parts = ["# The commands", "", "Made by `make docs` from the commands themselves; a test compares them.", ""]
    for command in COMMANDS:
        parts += [f"## {f'headcount {command}'.strip()}", "", "```text", help_of(command), "```", ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def picture(demo: Path) -> str:
    """The head maps of a demo by close-one ablation, side by side, as SVG."""
    import vl_convert

    from headcount.report import figures, reading

    document = reading.read(json.loads(demo.read_text(encoding="utf-8")))
    scores = document.scores_of("ablation")
    limit = max(abs(float(value)) for item in scores for value in item.value)
    whole: dict[str, object] = {"hconcat": []}
    for item in scores:
        chart = figures.head_map(item, planted=document.planted, limit=limit).to_dict()
        whole |= {"config": chart.pop("config") | {"background": "white"}, "$schema": chart.pop("$schema")}
        chart.pop("autosize", None)
        whole["hconcat"] = [*whole["hconcat"], chart | {"width": 250, "title": item.language}]  # type: ignore[misc]
    return str(vl_convert.vegalite_to_svg(whole))


if __name__ == "__main__":
    (DOCS / "commands.md").write_text(commands(), encoding="utf-8")
    if DEMO.exists():
        (DOCS / "head-maps.svg").write_text(picture(DEMO), encoding="utf-8")
    else:
        print("No picture was made: run `make demo` first.", file=sys.stderr)  # noqa: T201
