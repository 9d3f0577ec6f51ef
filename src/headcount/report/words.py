"""Numbers and findings in words: percent, intervals, p-values, counts, names of methods. Where they stand is `page`."""

from collections.abc import Iterable, Sequence
from typing import Final

from headcount.core.heads import Layout
from headcount.report.document import Estimate

_COUNTS: Final = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)

# What a method does, for someone who meets it here first. An unknown method keeps its own name and gets no story.
METHODS: Final = {
    "ablation": (
        "Close-one ablation",
        "It closes one head at a time, reads the same sentences again and counts how many more or fewer words come out "
        "right. It can say helps and it can say harms.",
    ),
    "gradient": (
        "Gate gradient",
        "It asks how strongly the answer would react if a head were turned down a little, all heads in one pass. That "
        "is quick, but it has no sign: a head that harms reacts as strongly as a head that helps. Its values are "
        "scaled, each layer by its L2 norm, then all heads together from 0 to 1: the lowest head is always 0 and the "
        "highest always 1, so a 0 means less than all others and not nothing.",
    ),
    "random": ("Random order", "Heads leave in an order drawn by lot: what any method must beat."),
}


def title_of(method: str) -> str:
    """'Close-one ablation' for `ablation`."""
    return METHODS[method][0] if method in METHODS else method


def story_of(method: str) -> str:
    """One or two sentences on what the method does, if we have them."""
    return METHODS[method][1] if method in METHODS else ""


def count(number: int) -> str:
    """Small numbers as words, larger ones with digits."""
    return _COUNTS[number] if number < len(_COUNTS) else f"{number:,}"


def plural(number: int, one: str, many: str) -> str:
    """'three heads', 'one head'."""
    return f"{count(number)} {one if number == 1 else many}"


def listing(items: Sequence[str]) -> str:
    """'a, b and c'."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else "none"


def sentence(text: str) -> str:
    """The first letter large, whatever the rest."""
    return text[:1].upper() + text[1:]


def full_sentence(text: str) -> str:
    """A large letter at the start and one full stop at the end, whatever the document has."""
    return f"{sentence(text).rstrip('.')}."


def typographic(number: str) -> str:
    """A real minus sign; and never a minus before nothing."""
    nothing = not any(figure in "123456789" for figure in number.split("e")[0])
    return number.lstrip("+-") if nothing else number.replace("-", "−")


def percent(share: float) -> str:
    """0.953 → '95.3 %' with a space that does not break."""
    return f"{typographic(f'{100 * share:.1f}')}\u00a0%"


def number(value: float, *, unit: str, signed: bool) -> str:
    """A bare number in its unit: points of accuracy with one decimal, anything else with three figures."""
    form = f"{100 * value:+.1f}" if unit == "accuracy" else f"{value:+.3g}"
    return typographic(form if signed else form.lstrip("+"))


def interval(low: float, high: float, *, unit: str) -> str:
    """'[4.2, 6.0]', which never breaks over two lines."""
    return f"[{number(low, unit=unit, signed=False)},\u00a0{number(high, unit=unit, signed=False)}]"


def points(estimate: Estimate) -> str:
    """'+5.1 points [4.2, 6.0]'."""
    value = number(estimate.value, unit="accuracy", signed=True)
    return f"{value}\u00a0points {interval(estimate.low, estimate.high, unit='accuracy')}"


def accuracy(estimate: Estimate) -> str:
    """'95.3 % [94.7, 95.9]'."""
    return f"{percent(estimate.value)} {interval(estimate.low, estimate.high, unit='accuracy')}"


def p_value(p: float) -> str:
    """'p < 0.001', 'p = 0.004', 'p = 0.03'."""
    if p < 0.001:
        return "p\u00a0<\u00a00.001"
    return f"p\u00a0=\u00a0{p:.3f}" if p < 0.01 else f"p\u00a0=\u00a0{p:.2f}"


def duration(seconds: float) -> str:
    """'57 seconds', '4 minutes 10 seconds'."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if not minutes:
        return "1 second" if whole == 1 else f"{whole} seconds"
    return f"{minutes} min {rest} s"


def head(layout: Layout, name: str) -> str:
    """'layer 4, head 8 (encoder.3.7)'; a player of several heads keeps its own name."""
    player = layout.members[layout.place(name)]
    return player.heads[0].prose if len(player.heads) == 1 else player.name


def heads(layout: Layout, names: Iterable[str]) -> str:
    """Several heads in one sentence."""
    return listing([head(layout, name) for name in names])


def level(confidence: float) -> str:
    """0.95 → '95 %'."""
    return f"{100 * confidence:g}\u00a0%"
