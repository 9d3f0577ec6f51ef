"""The demo's model: text on disk, a tagger grown on it, heads planted in it. What is true of them is `demo`."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from headcount.core.heads import Head, Layout
from headcount.core.progress import Progress
from headcount.core.runtime import Runtime
from headcount.data.tasks import TASKS, read_examples
from headcount.lab import nursery, plant
from headcount.lab.corpus import make_corpus, write_corpus
from headcount.lab.grammar import language
from headcount.model import loading
from headcount.training.subject import Subject, subject_of

TASK = TASKS["pos"]
POSITIONAL = plant.PositionalPlan(head=Head("encoder", 0, 2), offset=-1)
# How much accuracy the harmful head is to cost its language, on the text it is tuned on.
DROP = 0.06
# Sentences on which the strength of the harm is tuned: training text, so that dev, test and truth stay unseen.
TUNING = 300


def write_text(folder: Path, *, sizes: Mapping[str, int], languages: Sequence[str], seed: int) -> dict[str, Any]:
    """Write the treebanks, and tell of each language how it orders its words and what one sentence looks like."""
    corpus = make_corpus(languages, sizes=dict(sizes), seed=seed)
    write_corpus(corpus, folder / "text")
    told = []
    for name in languages:
        sentences = corpus[name]["dev"]
        place = next(place for place, item in enumerate(sentences) if 6 <= len(item.words) <= 8)
        told.append(
            {
                "name": name,
                "order": language(name).order,
                "sentences": dict(sizes),
                "sample": {
                    "words": [word.form for word in sentences[place].words],
                    "tags": [word.upos for word in sentences[place].words],
                    "meaning": corpus.glosses(name, "dev")[place],
                },
            }
        )
    return {"languages": told}


def text_path(folder: Path, name: str, split: str) -> Path:
    """Where one split of one language lies."""
    return folder / "text" / f"{name}.{split}.conllu"


def grow(
    folder: Path, *, languages: Sequence[str], trained: Sequence[str], victim: str, runtime: Runtime, progress: Progress
) -> dict[str, Any]:
    """Train the tagger, plant a dead and a harmful head beside the positional one, save it as a usual checkpoint."""
    texts = {name: read_examples(text_path(folder, name, "train"), task=TASK.name) for name in languages}
    tokenizer = nursery.make_tokenizer([example for name in languages for example in texts[name]])
    runtime = loading.settle(runtime)
    model = nursery.train_tagger(
        [example for name in trained for example in texts[name]],
        tokenizer=tokenizer,
        positional=POSITIONAL,
        marked=nursery.pieces_of_one(
            tokenizer, texts[victim], [example for name in languages if name != victim for example in texts[name]]
        ),
        runtime=runtime,
        progress=progress,
    ).to(runtime.device)
    loaded = loading.Loaded(model=model, tokenizer=tokenizer, name="lab", revision="growing", runtime=runtime)
    whole, subjects = (
        {
            name: subject_of(loaded, task=TASK, language=name, examples=texts[name][:count], where=name)
            for name in languages
        }
        for count in (None, TUNING)
    )
    dead, harmful = _idlest(subjects, layers=(1, 2))
    progress("planting heads", 0, 2)
    plant.plant_dead(model, dead)
    progress("planting heads", 1, 2)
    strength = plant.plant_harmful(
        model,
        harmful,
        victim=whole[victim].batches,
        others=[batch for name in languages if name != victim for batch in whole[name].batches],
        accuracy=lambda: _accuracy(subjects[victim]),
        drop=DROP,
    )
    progress("planting heads", 2, 2)
    share = plant.share_at_offset(model, POSITIONAL, [b for name in languages for b in subjects[name].batches])
    loading.save(model, tokenizer, folder / "model", replace=True)
    told = [
        _told(
            POSITIONAL.head,
            "positional",
            "its queries and keys were written before training so that it looks at the piece before, "
            "and held; what it passes on was learned",
            note=f"attends most to the piece before for {100 * share:.1f} % of pieces",
        )
        | {"share": share},
        _told(
            dead,
            "dead",
            "its columns of the output projection were set to zero: whatever it says, nobody hears it",
        ),
        _told(
            harmful,
            "harmful",
            f"overwritten to recognise {victim}, whose own pieces were marked in the embeddings before training, and "
            f"to push its words towards wrong tags (strength {strength:.1f}, tuned on training text)",
            language=victim,
        ),
    ]
    return {"model": _model_told(model, subjects[victim].layout), "planted": told}


def _told(head: Head, kind: str, claim: str, *, language: str | None = None, note: str | None = None) -> dict[str, Any]:
    """What was done to one head, for the record and the page."""
    return {"head": str(head), "kind": kind, "language": language, "claim": claim, "note": note}


def _model_told(model: Any, layout: Layout) -> dict[str, Any]:
    """What the model is, for the record and the page."""
    return {
        "path": "model",
        "family": "bert",
        "layers": len(layout.rows),
        "heads": len(layout),
        "parameters": sum(part.numel() for part in model.parameters()),
        "layout": layout.to_json(),
    }


def _accuracy(subject: Subject) -> float:
    tallies = subject.worth(torch.ones(1, len(subject.layout)))[0]
    return float(subject.figure(tallies.sum(axis=0)))


def _idlest(subjects: Mapping[str, Subject], *, layers: Sequence[int]) -> tuple[Head, Head]:
    """The two heads of these layers whose closing moves the figures least: their places are free for planting."""
    effects: dict[Head, float] = {}
    for subject in subjects.values():
        players = len(subject.layout)
        whole = _accuracy(subject)
        for head, tallies in zip(
            subject.layout.heads, subject.worth(torch.ones(players, players) - torch.eye(players)), strict=True
        ):
            change = abs(whole - float(subject.figure(tallies.sum(axis=0))))
            effects[head] = max(change, effects.get(head, 0.0))
    free = sorted((head for head in effects if head.layer in layers), key=lambda head: (effects[head], head))
    return free[0], free[1]


def seconds_per_sentence() -> float:
    """What one sentence costs the demo's model on this machine, timed now on untrained weights."""
    model = nursery.make_tagger(["A", "B"], vocabulary=nursery.VOCABULARY, seed=0).eval()
    pieces = torch.ones(256, 14, dtype=torch.long)
    with torch.no_grad():
        model(input_ids=pieces)
        started = time.perf_counter()
        for _ in range(3):
            model(input_ids=pieces)
    return (time.perf_counter() - started) / (3 * len(pieces))
