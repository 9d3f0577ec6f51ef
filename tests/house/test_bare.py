"""Measuring and cutting work with torch, transformers, numpy and safetensors alone: every other package is blocked."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from builders import examples, tiny, tokenizer
from headcount.model import loading

ROOTS = ("torch", "transformers", "numpy", "safetensors")

WORK = """
import sys
BLOCKED = set({blocked!r})

class Blind:
    # does not see what is blocked, as if it were not installed
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in BLOCKED else self.finder.find_spec(name, path, target)
    def find_distributions(self, *given):
        return getattr(self.finder, "find_distributions", lambda *_: [])(*given)

sys.meta_path[:] = [Blind(finder) for finder in sys.meta_path]
import headcount as hc
subject = hc.load({model!r}, data={data!r}, runtime=hc.Runtime(device="cpu", threads=1))
for method in ("ablation", "gradient"):
    scores = hc.measure(subject, method=method)
mask = hc.prune(scores, lowest=3)
hc.cut(subject, mask).save({out!r})
again = hc.load({out!r}, data={data!r}, runtime=hc.Runtime(device="cpu", threads=1))
print(hc.evaluate(again).full.value == hc.evaluate(subject, mask=mask).difference.after)
"""


def closure() -> set[str]:
    """The four packages and all that they require."""
    known: set[str] = set()
    waiting = list(ROOTS)
    while waiting:
        name = normal(waiting.pop())
        if name in known:
            continue
        known.add(name)
        try:
            required = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # a requirement of another platform
        waiting += [re.split(r"[\s;<>=!~\[(]", text)[0] for text in required if "extra ==" not in text]
    return known


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_measuring_and_cutting_need_four_packages(tmp_path: Path) -> None:
    allowed = closure()
    blocked = sorted(
        module
        for module, owners in metadata.packages_distributions().items()
        if not {normal(owner) for owner in owners} & {*allowed, "headcount", "pip", "setuptools"}
    )
    assert {"altair", "vl_convert", "accelerate", "pandas"} <= set(blocked)
    loading.save(tiny(), tokenizer(), tmp_path / "model")
    lines = [
        f"{place}\t{word}\t_\t{label}\t_\t_\t_\t_\t_\t_" if place else ""
        for example in examples()
        for place, (word, label) in enumerate([("", ""), *zip(example.words, example.labels, strict=True)])
    ]
    (tmp_path / "xx.conllu").write_text("\n".join(lines).strip() + "\n\n")
    code = WORK.format(
        blocked=blocked, model=str(tmp_path / "model"), data=str(tmp_path / "xx.conllu"), out=str(tmp_path / "out")
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "True", found.stderr[-2000:]
