"""An invented demo document for the tests of the gallery: right in shape, drawn by lot, measured nowhere."""

from typing import Any

import numpy as np

from headcount.core.heads import Layout, row
from headcount.core.scores import HeadScores
from headcount.core.signature import Signature

LANGUAGES = ("svona", "kemi", "sovami")
ORDERS = {"svona": "SVO", "kemi": "VSO", "sovami": "SOV"}
DEAD, POSITIONAL, HARMFUL = "encoder.0.3", "encoder.1.1", "encoder.2.4"
KINDS = {DEAD: "dead", POSITIONAL: "positional", HARMFUL: "harmful"}


MASKS = [
    (
        "harmful closed",
        "Ablation says this head harms sovami.",
        [HARMFUL],
        {"svona": -0.002, "kemi": 0.001, "sovami": 0.051},
    ),
    (
        "lowest six by gradient",
        "The six heads with the weakest gradient.",
        [f"encoder.3.{i}" for i in range(6)],
        {"svona": -0.031, "kemi": -0.044, "sovami": -0.026},
    ),
    (
        "six by lot",
        "Six heads drawn by lot, as a control.",
        [f"encoder.0.{i}" for i in range(6)],
        {"svona": -0.092, "kemi": -0.105, "sovami": -0.071},
    ),
]


def layout_of(rows: int = 4, heads: int = 6) -> Layout:
    return Layout(tuple(row("encoder", layer, heads) for layer in range(rows)))


def demo(*, layout: Layout | None = None, seed: int = 7) -> dict[str, Any]:
    """A whole document; the planted heads must be in the layout."""
    layout = layout or layout_of()
    rng = np.random.default_rng(seed)
    scores = [item for name in LANGUAGES for item in (_ablation(layout, name, rng), _gradient(layout, name, rng))]
    return {
        "format": "headcount.demo",
        "version": 1,
        "made": {
            "command": "headcount demo --to runs/demo --seed 0",
            "headcount": "0.0.0",
            "seed": 0,
            "seconds": 57.3,
            "settings": "device:cpu|dtype:float32|threads:2|invented:yes",
            "versions": {"python": "3.11.7", "torch": "2.0.0", "transformers": "5.0.0"},
        },
        "model": _model(layout),
        "languages": [_language(name) for name in LANGUAGES],
        "scores": [item.to_json() for item in scores],
        "planted": _planted(),
        "exam": _exam(),
        "evaluations": _evaluations(rng),
        "curves": [
            _curve(len(layout), method, name, rng)
            for method in ("ablation", "gradient", "random")
            for name in LANGUAGES
        ],
        "commands": [
            "headcount inspect runs/demo/model",
            "headcount measure runs/demo/model --task pos --language sovami --data runs/demo/text/sovami.dev.conllu "
            "--method ablation --to runs/demo/sovami.ablation.json",
            "headcount report runs/demo --to runs/demo/page.html",
        ],
    }


def _model(layout: Layout) -> dict[str, Any]:
    return {
        "path": "model",
        "family": "bert",
        "layers": len(layout.rows),
        "heads": len(layout),
        "parameters": 310_000,
        "layout": layout.to_json(),
    }


def _language(name: str) -> dict[str, Any]:
    value = {"svona": 0.953, "kemi": 0.938, "sovami": 0.901}[name]
    return {
        "name": name,
        "order": ORDERS[name],
        "trained": name != "kemi",
        "sentences": {"train": 0 if name == "kemi" else 1500, "dev": 400, "test": 400},
        "accuracy": {"value": value, "low": value - 0.006, "high": value + 0.006},
        "sample": {
            "words": ["mo", "kanu", "lipi", "satu", "e", "virak"],
            "tags": ["DET", "NOUN", "ADJ", "VERB", "DET", "NOUN"],
            "meaning": "the small dogs saw a tree",
        },
    }


def _ablation(layout: Layout, language: str, rng: np.random.Generator) -> HeadScores:
    value = rng.normal(0.004, 0.007, len(layout))
    value[rng.integers(0, len(layout), 2)] = 0.035
    for head, kind in KINDS.items():
        value[layout.place(head)] = {"dead": 0.0, "positional": 0.062, "harmful": 0.003}[kind]
    if language == "sovami":
        value[layout.place(HARMFUL)] = -0.051
    width = rng.uniform(0.003, 0.008, len(layout))
    width[layout.place(DEAD)] = 0.0
    low, high = value - width, value + width
    verdicts = [
        "helps" if lo > 0 else "harms" if hi < 0 else "idle" if hi < 0.005 else "needs more data"
        for lo, hi in zip(low, high, strict=True)
    ]
    return HeadScores(
        layout=layout,
        method="ablation",
        task="pos",
        language=language,
        unit="accuracy",
        signed=True,
        value=value,
        low=low,
        high=high,
        verdicts=tuple(verdicts),
        signature=Signature.of(method="ablation", task=f"pos/{language}", n=400, seed=0),
    )


def _gradient(layout: Layout, language: str, rng: np.random.Generator) -> HeadScores:
    value = rng.gamma(2.0, 0.012, len(layout))
    for head, kind in KINDS.items():
        value[layout.place(head)] = {"dead": 0.0, "positional": 0.11, "harmful": 0.07}[kind]
    value = (value - value.min()) / (value.max() - value.min())
    return HeadScores(
        layout=layout,
        method="gradient",
        task="pos",
        language=language,
        unit="scaled gradient",
        signed=False,
        value=value,
        low=value * 0.92,
        high=np.minimum(1.0, value * 1.08),
        signature=Signature.of(method="gradient", task=f"pos/{language}", n=400, seed=0),
    )


def _truth(gain: float, width: float = 0.006) -> dict[str, Any]:
    low, high = gain - width, gain + width
    return {"gain": gain, "low": low, "high": high, "verdict": "helps" if low > 0 else "harms" if high < 0 else "idle"}


def _planted() -> list[dict[str, Any]]:
    same = {name: _truth(0.0, 0.0) for name in LANGUAGES}
    return [
        {
            "head": DEAD,
            "kind": "dead",
            "language": None,
            "claim": "Its output weights were set to zero, so whatever it sees, it says nothing.",
            "truth": same,
            "note": None,
            "confirmed": True,
        },
        {
            "head": POSITIONAL,
            "kind": "positional",
            "language": None,
            "claim": "It was trained to look at the previous token and at nothing else.",
            "truth": {"svona": _truth(0.058), "kemi": _truth(0.061), "sovami": _truth(0.049)},
            "note": "attends to the previous token for 99.2 % of tokens",
            "confirmed": True,
        },
        {
            "head": HARMFUL,
            "kind": "harmful",
            "language": "sovami",
            "claim": "Its weights were turned so that it adds confusion to the words of sovami only.",
            "truth": {"svona": _truth(0.003), "kemi": _truth(0.002), "sovami": _truth(-0.051)},
            "note": None,
            "confirmed": True,
        },
    ]


def _exam() -> dict[str, Any]:
    asked = [(DEAD, name, "idle") for name in LANGUAGES] + [(POSITIONAL, name, "helps") for name in LANGUAGES]
    asked.append((HARMFUL, "sovami", "harms"))
    questions = []
    for method in ("ablation", "gradient"):
        for head, language, expected in asked:
            missed = method == "gradient" and head == HARMFUL
            said = (
                expected
                if method == "ablation"
                else "rank 3 of 24 (among those it keeps)"
                if missed
                else "rank 24 of 24"
            )
            questions.append(
                {
                    "method": method,
                    "head": head,
                    "kind": KINDS[head],
                    "language": language,
                    "expected": expected,
                    "said": said,
                    "result": "missed" if missed else "found",
                }
            )
    accused = [
        {"method": "gradient", "language": name, "head": head, "said": "among its 6 lowest", "truth": _truth(gain)}
        for name, head, gain in (("svona", "encoder.0.1", 0.012), ("kemi", "encoder.3.2", 0.019))
    ]
    return {"questions": questions, "accused": accused, "checked": {"ablation": 72, "gradient": 18}}


def _evaluations(rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = []
    for mask, why, closed, gains in MASKS:
        for language, gain in gains.items():
            before, width = {"svona": 0.953, "kemi": 0.938, "sovami": 0.901}[language], float(rng.uniform(0.006, 0.011))
            sure = abs(gain) > width
            rows.append(
                {
                    "mask": mask,
                    "why": why,
                    "closed": list(closed),
                    "language": language,
                    "before": before,
                    "after": before + gain,
                    "gain": gain,
                    "low": gain - width,
                    "high": gain + width,
                    "p": 0.0005 if sure else 0.41,
                    "examples": 400,
                }
            )
    return rows


def _curve(total: int, method: str, language: str, rng: np.random.Generator) -> dict[str, Any]:
    removed = list(range(total + 1))
    share = np.asarray(removed) / total
    shape = {"ablation": 5.0, "gradient": 3.0, "random": 1.4}[method]
    bump = 0.05 * (share > 0) * np.exp(-6 * share) if method == "ablation" and language == "sovami" else 0.0
    top = {"svona": 0.953, "kemi": 0.938, "sovami": 0.901}[language]
    accuracy = np.clip(top - 0.6 * share**shape + bump + rng.normal(0, 0.004, total + 1), 0.0, 1.0)
    accuracy[0] = top
    width = 0.008 + 0.01 * share
    return {
        "method": method,
        "language": language,
        "removed": removed,
        "accuracy": accuracy.tolist(),
        "low": (accuracy - width).tolist(),
        "high": np.minimum(1.0, accuracy + width).tolist(),
    }
