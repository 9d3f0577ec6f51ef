"""From JSON to a Demo, strictly: a missing, unknown or wrong field is told by its name. The parts are `document`."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from headcount.core.documents import check_format, fields, text_field
from headcount.core.errors import BadInput, suggestion
from headcount.core.heads import Layout
from headcount.core.scores import VERDICTS, HeadScores
from headcount.report import document as parts

Part = TypeVar("Part")
Table = Mapping[str, Any]


def read(document: Any) -> parts.Demo:
    """Read a demo document; another kind, a newer version or a wrong part is told by name."""
    if not isinstance(document, Mapping):
        raise BadInput(f"A {parts.FORMAT} document must be a table, not {type(document).__name__}.")
    check_format(document, name=parts.FORMAT, version=parts.VERSION)
    rooms = ["made", "model", "languages", "scores", "planted", "exam", "evaluations", "curves", "commands"]
    fields(document, what="The demo", required=["format", "version", *rooms])
    exam = _table(document["exam"], "exam", ["questions", "accused", "checked"])
    demo = parts.Demo(
        made=_made(document["made"], "made"),
        model=_model(document["model"], "model"),
        languages=_list(document["languages"], "languages", _language),
        scores=_list(document["scores"], "scores", lambda item, _: HeadScores.from_json(item)),
        planted=_list(document["planted"], "planted", _planted),
        questions=_list(exam["questions"], "exam.questions", _question),
        accused=_list(exam["accused"], "exam.accused", _accusation),
        checked=_mapping(exam["checked"], "exam.checked", _whole),
        evaluations=_list(document["evaluations"], "evaluations", _evaluation),
        curves=_list(document["curves"], "curves", _curve),
        commands=_list(document["commands"], "commands", _words),
    )
    if not demo.languages or not demo.scores:
        raise BadInput(
            "A demo needs at least one language and one set of scores; without them there is nothing to show."
        )
    demo.check()
    return demo


def _made(item: Any, what: str) -> parts.Made:
    table = _table(item, what, ["command", "headcount", "seed", "seconds", "settings", "versions"])
    return parts.Made(
        command=text_field(table, "command", what=what),
        headcount=text_field(table, "headcount", what=what),
        seed=_whole(table["seed"], f"{what}.seed"),
        seconds=_number(table["seconds"], f"{what}.seconds"),
        settings=text_field(table, "settings", what=what),
        versions=_mapping(table["versions"], f"{what}.versions", _words),
    )


def _model(item: Any, what: str) -> parts.Model:
    table = _table(item, what, ["path", "family", "layers", "heads", "parameters", "layout"])
    return parts.Model(
        path=text_field(table, "path", what=what),
        family=text_field(table, "family", what=what),
        layers=_whole(table["layers"], f"{what}.layers"),
        heads=_whole(table["heads"], f"{what}.heads"),
        parameters=_whole(table["parameters"], f"{what}.parameters"),
        layout=Layout.from_json(table["layout"]),
    )


def _language(item: Any, what: str) -> parts.Language:
    table = _table(item, what, ["name", "order", "trained", "sentences", "accuracy", "sample"])
    sample = _table(table["sample"], f"{what}.sample", ["words", "tags", "meaning"])
    words, tags = (_list(sample[name], f"{what}.sample.{name}", _words) for name in ("words", "tags"))
    if len(words) != len(tags):
        raise BadInput(f"{what}.sample needs one tag per word; got {len(words)} words and {len(tags)} tags.")
    return parts.Language(
        name=text_field(table, "name", what=what),
        order=text_field(table, "order", what=what),
        trained=_flag(table["trained"], f"{what}.trained"),
        sentences=_mapping(table["sentences"], f"{what}.sentences", _whole),
        accuracy=_estimate(_table(table["accuracy"], f"{what}.accuracy", ["value", "low", "high"]), "value", what),
        words=words,
        tags=tags,
        meaning=text_field(sample, "meaning", what=f"{what}.sample"),
    )


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{what} must be true or false, not {value!r}.")
    return value


def _planted(item: Any, what: str) -> parts.Planted:
    table = _table(item, what, ["head", "kind", "language", "claim", "truth", "note", "confirmed"])
    return parts.Planted(
        head=text_field(table, "head", what=what),
        kind=_one_of(table["kind"], f"{what}.kind", parts.KINDS),
        language=_maybe(table["language"], f"{what}.language"),
        claim=text_field(table, "claim", what=what),
        truth=_mapping(table["truth"], f"{what}.truth", _truth),
        note=_maybe(table["note"], f"{what}.note"),
        confirmed=_flag(table["confirmed"], f"{what}.confirmed"),
    )


def _question(item: Any, what: str) -> parts.Question:
    table = _table(item, what, ["method", "head", "kind", "language", "expected", "said", "result"])
    return parts.Question(
        method=text_field(table, "method", what=what),
        head=text_field(table, "head", what=what),
        kind=_one_of(table["kind"], f"{what}.kind", parts.KINDS),
        language=_maybe(table["language"], f"{what}.language"),
        expected=text_field(table, "expected", what=what),
        said=text_field(table, "said", what=what),
        found=_one_of(table["result"], f"{what}.result", parts.RESULTS) == "found",
    )


def _accusation(item: Any, what: str) -> parts.Accusation:
    table = _table(item, what, ["method", "language", "head", "said", "truth"])
    method, language, head, said = (
        text_field(table, name, what=what) for name in ("method", "language", "head", "said")
    )
    return parts.Accusation(
        method=method, language=language, head=head, said=said, truth=_truth(table["truth"], f"{what}.truth")
    )


def _evaluation(item: Any, what: str) -> parts.Evaluation:
    names = ["mask", "why", "closed", "language", "before", "after", "gain", "low", "high", "p", "examples"]
    table = _table(item, what, names)
    return parts.Evaluation(
        mask=text_field(table, "mask", what=what),
        why=text_field(table, "why", what=what),
        closed=_list(table["closed"], f"{what}.closed", _words),
        language=text_field(table, "language", what=what),
        before=_number(table["before"], f"{what}.before"),
        after=_number(table["after"], f"{what}.after"),
        gain=_estimate(table, "gain", what),
        p=_number(table["p"], f"{what}.p"),
        examples=_whole(table["examples"], f"{what}.examples"),
    )


def _curve(item: Any, what: str) -> parts.Curve:
    table = _table(item, what, ["method", "language", "removed", "accuracy", "low", "high"])
    removed = _list(table["removed"], f"{what}.removed", _whole)
    heights = {name: _list(table[name], f"{what}.{name}", _number) for name in ("accuracy", "low", "high")}
    for name, values in heights.items():
        if len(values) != len(removed):
            raise BadInput(f"{what}.{name} needs one number per step of removed ({len(removed)}); got {len(values)}.")
    return parts.Curve(
        method=text_field(table, "method", what=what),
        language=text_field(table, "language", what=what),
        removed=removed,
        accuracy=heights["accuracy"],
        low=heights["low"],
        high=heights["high"],
    )


def _truth(item: Any, what: str) -> parts.Estimate:
    table = _table(item, what, ["gain", "low", "high", "verdict"])
    found = _estimate(table, "gain", what)
    verdict = _one_of(table["verdict"], f"{what}.verdict", VERDICTS)
    return parts.Estimate(value=found.value, low=found.low, high=found.high, verdict=verdict)


def _estimate(table: Table, name: str, what: str) -> parts.Estimate:
    value, low, high = (_number(table[key], f"{what}.{key}") for key in (name, "low", "high"))
    if low > high:
        raise BadInput(f"{what} has an interval whose low ({low}) lies above its high ({high}).")
    return parts.Estimate(value=value, low=low, high=high)


def _table(item: Any, what: str, required: list[str]) -> Table:
    if not isinstance(item, Mapping):
        raise BadInput(f"{what} must be a table, not {item!r}.")
    fields(item, what=what, required=required)
    return item


def _list(items: Any, what: str, read_one: Callable[[Any, str], Part]) -> tuple[Part, ...]:
    if not isinstance(items, list | tuple):
        raise BadInput(f"{what} must be a list, not {items!r}.")
    return tuple(read_one(item, f"{what}[{place}]") for place, item in enumerate(items))


def _mapping(items: Any, what: str, read_one: Callable[[Any, str], Part]) -> dict[str, Part]:
    if not isinstance(items, Mapping):
        raise BadInput(f"{what} must be a table, not {items!r}.")
    return {str(name): read_one(item, f"{what}.{name}") for name, item in items.items()}


def _words(item: Any, what: str) -> str:
    if not isinstance(item, str):
        raise BadInput(f"{what} must be text, not {item!r}.")
    return item


def _maybe(item: Any, what: str) -> str | None:
    return None if item is None else _words(item, what)


def _one_of(item: Any, what: str, known: tuple[str, ...]) -> str:
    if item not in known:
        raise BadInput(f"{what} cannot be {item!r}.{suggestion(str(item), known)} Known: {', '.join(known)}.")
    return str(item)


def _whole(item: Any, what: str) -> int:
    if isinstance(item, bool) or not isinstance(item, int) or item < 0:
        raise BadInput(f"{what} must be a whole number from 0, not {item!r}.")
    return item


def _number(item: Any, what: str) -> float:
    if isinstance(item, bool) or not isinstance(item, int | float) or not np.isfinite(item):
        raise BadInput(f"{what} must be a finite number, not {item!r}.")
    return float(item)
