"""What a reader meets first: the findings in words, the languages, the planted heads. Figures are `measured`."""

from collections.abc import Sequence

from headcount.report import words
from headcount.report.document import Demo, Evaluation, Language, Planted
from headcount.report.markup import Safe, badge, paragraph, section, table, tag, together

_KIND_STORIES = {
    "dead": "a dead one that says nothing",
    "positional": "one that only looks at a fixed neighbour",
    "harmful": "one that does harm",
}


def header(demo: Demo) -> Safe:
    """Title, the findings in one paragraph, and four numbers to remember."""
    question = "Which attention heads earn their place, and what happens when the others leave?"
    return tag(
        "header",
        paragraph("headcount demo", kind="eyebrow"),
        tag("h1", question),
        paragraph(*summary(demo), kind="lead"),
        _facts(demo),
    )


def summary(demo: Demo) -> list[str]:
    """The findings, computed from the data; what went wrong is told like what went right."""
    sentences = [_scene(demo), *(_grade(demo, method) for method in examined(demo)), *_closing(demo)]
    return [" ".join(sentences)]


def examined(demo: Demo) -> tuple[str, ...]:
    """Every method that was asked or that accused, in the order of the document."""
    asked = [item.method for item in demo.questions]
    return tuple(dict.fromkeys([*asked, *demo.checked, *(item.method for item in demo.accused)]))


def tally(demo: Demo, method: str) -> tuple[int, int, int, int]:
    """Found and asked, wrongly accused and checked."""
    asked = [item for item in demo.questions if item.method == method]
    accused = [item for item in demo.accused if item.method == method]
    return sum(item.found for item in asked), len(asked), len(accused), demo.checked.get(method, len(accused))


def _scene(demo: Demo) -> str:
    languages = words.plural(len(demo.languages), "artificial language", "artificial languages")
    planted = words.plural(len(demo.planted), "planted head", "planted heads")
    stories = words.listing([_planted_story(item) for item in demo.planted])
    scene = f"{languages}, one tiny encoder of {demo.model.heads} heads in {demo.model.layers} layers, {planted}"
    return words.sentence(f"{scene}: {stories}." if demo.planted else f"{scene}.")


def _planted_story(item: Planted) -> str:
    return _KIND_STORIES[item.kind] + (f" in {item.language}" if item.language else "")


def _grade(demo: Demo, method: str) -> str:
    found, asked, accused, checked = tally(demo, method)
    text = f"{words.title_of(method)} found {found} of {asked} planted effects"
    missed = [item for item in demo.questions if item.method == method and not item.found]
    if missed:
        kinds = [f"the {item.kind} head" + (f" in {item.language}" if item.language else "") for item in missed]
        names = list(dict.fromkeys(kinds))
        text += f"; it missed {words.listing(names)}" if len(names) <= 3 else ""
    return f"{text}. Of its {checked} accusations, {accused} {'was' if accused == 1 else 'were'} wrong."


def best_gain(demo: Demo) -> Evaluation | None:
    """The largest gain whose interval lies above zero."""
    sure = [item for item in demo.evaluations if item.gain.sign > 0]
    return max(sure, key=lambda item: item.gain.value, default=None)


def worst_loss(demo: Demo) -> Evaluation | None:
    """The largest loss whose interval lies below zero."""
    sure = [item for item in demo.evaluations if item.gain.sign < 0]
    return min(sure, key=lambda item: item.gain.value, default=None)


def _closing(demo: Demo) -> list[str]:
    if not demo.evaluations:
        return []
    best, worst = best_gain(demo), worst_loss(demo)
    if best is None:
        sentences = ["Closing heads lifted no language beyond doubt."]
    else:
        sentences = [f"Closing {_closed(demo, best)} lifts {best.language} {_change(best)}."]
    if worst is not None:
        sentences.append(
            f"Not every closing is free: closing {_closed(demo, worst)} takes {worst.language} {_change(worst)}."
        )
    return sentences


def _closed(demo: Demo, item: Evaluation) -> str:
    if len(item.closed) != 1:
        return f"{words.plural(len(item.closed), 'head', 'heads')} (“{item.mask}”)"
    kinds = [
        planted.kind for planted in demo.planted if planted.head == item.closed[0] and planted.speaks(item.language)
    ]
    kind = f"the {kinds[0]} head, " if kinds else ""
    return kind + words.head(demo.model.layout, item.closed[0]) + ","


def _change(item: Evaluation) -> str:
    certainty = f"{words.points(item.gain)}, {words.p_value(item.p)}"
    return f"from {words.percent(item.before)} to {words.percent(item.after)} ({certainty})"


def _facts(demo: Demo) -> Safe:
    facts = [(str(demo.model.heads), f"heads, {len(demo.planted)} of them planted")]
    for method in examined(demo):
        found, asked, accused, checked = tally(demo, method)
        facts.append(
            (
                f"{found} of {asked}",
                f"planted effects found by {words.title_of(method).lower()}; {accused} of {checked} accusations wrong",
            )
        )
    best = best_gain(demo)
    if best is not None:
        value = words.number(best.gain.value, unit="accuracy", signed=True)
        facts.append((value, f"points of accuracy in {best.language}, the best gain from closing heads"))
    return tag("dl", *(tag("div", tag("dt", label), tag("dd", value)) for value, label in facts), kind="facts")


def languages(demo: Demo) -> Safe:
    """What each language is, how well the model reads it, and one sentence of it."""
    splits = list(dict.fromkeys(name for item in demo.languages for name in item.sentences))
    head = [
        "Language",
        "Word order",
        "Seen in training",
        *(f"{words.sentence(name)} sentences" for name in splits),
        "Accuracy",
    ]
    rows = [
        [
            item.name,
            item.order,
            "yes" if item.trained else "no",
            *(f"{item.sentences[name]:,}" if name in item.sentences else "–" for name in splits),
            words.accuracy(item.accuracy),
        ]
        for item in demo.languages
    ]
    numeric = range(3, len(head))
    caption = f"How many words in a hundred the model tags right, with {words.level(demo.confidence)} intervals"
    return section(
        "languages",
        "The languages",
        paragraph(
            "They are made up, so that everything about them is known: who does what to whom is said with words that "
            "nobody has ever read. The model gives each word its part of speech."
        ),
        table(caption, head, rows, kind="stack", numeric=numeric),
        tag("div", *(_sample(item) for item in demo.languages), kind="grid samples"),
    )


def _sample(item: Language) -> Safe:
    pairs = zip(item.words, item.tags, strict=True)
    gloss = [tag("span", tag("b", word), tag("small", part), kind="word") for word, part in pairs]
    return tag(
        "div",
        tag("h3", item.name),
        tag("p", *gloss, kind="gloss"),
        paragraph(f"“{item.meaning}”", kind="meaning"),
        kind="card",
    )


_UNCONFIRMED = "Exact removal did not confirm this in this run, so it is not called true: the exam leaves it out."


def planted(demo: Demo) -> Safe:
    """What was done to which head, and what exact removal says about it."""
    intro = (
        "Before anything was measured, we changed the weights of a few heads, so that the right answer is known. "
        "Then we cut each of them out for good, on text that no method saw. What a head is worth is the accuracy "
        "with it minus the accuracy without it: above zero it helps, below zero it harms."
    )
    cards = tag("div", *(_planted_card(demo, item) for item in demo.planted), kind="grid")
    none = paragraph("In this run no head was planted.")
    return section("planted", "The planted heads", paragraph(intro), cards if demo.planted else none)


def _planted_card(demo: Demo, item: Planted) -> Safe:
    name = words.head(demo.model.layout, item.head)
    rows = [[language, words.points(truth), verdict_badge(truth.verdict)] for language, truth in item.truth.items()]
    where = f" in {item.language}" if item.language else ""
    return tag(
        "div",
        paragraph(f"{item.kind}{where}", kind="eyebrow"),
        tag("h3", words.sentence(name)),
        paragraph(words.full_sentence(item.claim)),
        paragraph(words.full_sentence(f"Seen in the model: {item.note}")) if item.note else "",
        "" if item.confirmed else paragraph(_UNCONFIRMED),
        table("Its true worth, by exact removal", ["Language", "Worth", "So it"], rows, kind="small"),
        kind="card",
    )


def verdict_badge(verdict: str) -> Safe:
    """The verdict in its colour; the words come first."""
    kinds = {"helps": "good", "harms": "bad"}
    return badge(verdict, kinds.get(verdict, "calm"))


def contents(titles: Sequence[tuple[str, str]]) -> Safe:
    """A row of links to the parts of the page."""
    links = (tag("li", tag("a", title, attributes={"href": f"#{key}"})) for key, title in titles)
    return tag("nav", together(tag("ul", *links)), attributes={"aria-label": "Parts of this page"})
