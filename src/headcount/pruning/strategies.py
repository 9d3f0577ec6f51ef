"""Scores to masks: which heads shall leave, and why. What their leaving does is `curve` and `evaluate`."""

from headcount.core.errors import BadInput, NotSupported, pick
from headcount.core.mask import HeadMask
from headcount.core.scores import HeadScores

RULES = {
    "negative": "heads that harm with confidence: their whole interval lies below zero (signed methods only)",
}


def prune(
    scores: HeadScores, *, lowest: int | None = None, keep: float | None = None, rule: str | None = None
) -> HeadMask:
    """Choose heads to close: the `lowest` so many, all but the share `keep`, or by a named `rule`."""
    given = [name for name, value in (("lowest", lowest), ("keep", keep), ("rule", rule)) if value is not None]
    if len(given) != 1:
        raise BadInput(f"Choose heads by exactly one of lowest, keep, rule; got {', '.join(given) or 'none'}.")
    if rule is not None:
        pick(RULES, rule, kind="pruning rule")
        return _mask(scores, _negative(scores), choice=f"rule {rule}")
    count = len(scores.layout)
    if keep is not None:
        if not 0 <= keep <= 1:
            raise BadInput(f"The share to keep lies between 0 and 1, not {keep}.")
        closed = count - round(keep * count)
        return _mask(scores, scores.ranking[:closed], choice=f"keep {keep:g} (lowest {closed})")
    if isinstance(lowest, bool) or not isinstance(lowest, int) or not 0 <= lowest <= count:
        raise BadInput(f"A whole number of heads between 0 and {count} can be closed, not {lowest}.")
    return _mask(scores, scores.ranking[:lowest], choice=f"lowest {lowest}")


def _negative(scores: HeadScores) -> tuple[str, ...]:
    if not scores.signed:
        raise NotSupported(f"{scores.method!r} is unsigned: it cannot say that a head harms. Choose lowest or keep.")
    if scores.high is None:
        raise NotSupported("These scores have no intervals, so no head is negative with confidence. Choose lowest.")
    return tuple(name for name, high in zip(scores.layout.names, scores.high, strict=True) if high < 0)


def _mask(scores: HeadScores, closed: tuple[str, ...], *, choice: str) -> HeadMask:
    return HeadMask.closing(
        scores.layout,
        closed,
        why=f"{choice} by {scores.method} on {scores.task}/{scores.language}",
        signature=scores.signature.with_settings(prune=choice),
    )


def nested(scores: HeadScores) -> list[HeadMask]:
    """The masks of a removal curve: the 0, 1, … N lowest heads closed."""
    return [prune(scores, lowest=count) for count in range(len(scores.layout) + 1)]
