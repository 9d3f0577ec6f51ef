"""How the page ends: the exam, the commands, how to read it, and the signature of the run."""

from headcount.report import words
from headcount.report.document import Accusation, Demo, Question
from headcount.report.markup import Safe, badge, paragraph, section, table, tag
from headcount.report.opening import examined, tally, verdict_badge


def exam(demo: Demo) -> Safe:
    """Per method: which planted heads it found or missed, and whom it accused wrongly."""
    intro = (
        "The truth is known, so every method can be marked. Each was asked for every planted effect; and every "
        "head it accused, by calling it harmful or by wanting it gone first, was cut out for good to see what is true."
    )
    return section("exam", "The exam", paragraph(intro), *(_examined(demo, method) for method in examined(demo)))


def _examined(demo: Demo, method: str) -> Safe:
    found, asked, accused, checked = tally(demo, method)
    grade = f"Found {found} of {asked} planted effects; {accused} of {checked} accusations were wrong."
    questions = [item for item in demo.questions if item.method == method]
    wrong = [item for item in demo.accused if item.method == method]
    return tag(
        "div",
        tag("h3", words.title_of(method)),
        paragraph(tag("strong", grade)),
        _questions(demo, method, questions) if questions else paragraph("This method was asked no question."),
        _accused(demo, method, wrong) if wrong else paragraph("It accused no head wrongly."),
        kind="method",
    )


def _questions(demo: Demo, method: str, questions: list[Question]) -> Safe:
    lines = [
        [
            words.head(demo.model.layout, item.head),
            item.kind,
            item.language or "every language",
            item.expected,
            item.said,
            badge("✓ found", "good") if item.found else badge("✗ missed", "bad"),
        ]
        for item in questions
    ]
    head = ["Planted head", "Planted as", "Language", "Should say", "Said", "Result"]
    return table(f"{words.title_of(method)}: planted heads found and missed", head, lines, kind="stack")


def _accused(demo: Demo, method: str, wrong: list[Accusation]) -> Safe:
    lines = [
        [
            words.head(demo.model.layout, item.head),
            item.language,
            item.said,
            words.points(item.truth),
            verdict_badge(item.truth.verdict),
        ]
        for item in wrong
    ]
    head = ["Head", "Language", "The method said", "True worth by exact removal", "In truth it"]
    return table(f"{words.title_of(method)}: heads accused wrongly, and the truth", head, lines, kind="stack")


def commands(demo: Demo) -> Safe:
    """What to type to get the same."""
    blocks = [
        tag(
            "div",
            tag("pre", tag("code", _unbroken(text))),
            tag("button", "Copy", attributes={"type": "button"}),
            kind="command",
        )
        for text in demo.commands
    ]
    intro = "The same by hand, one command at a time. Same seed, same machine, same numbers."
    return section("commands", "The commands that made it", paragraph(intro), *blocks)


def _unbroken(command: str) -> Safe:
    """A command that breaks between its words and never inside `--to`; copied, it is the same text."""
    return Safe(" ".join(tag("span", word) for word in command.split(" ")))


def how_to_read(demo: Demo) -> Safe:
    """The few words this page uses, explained once."""
    level = words.level(demo.confidence)
    meanings = [
        ("Points", "are differences in accuracy: from 90 % to 95 % is +5 points."),
        (
            "[4.2, 6.0]",
            f"is a {level} interval: the range that the data leave open. "
            "Where it does not hold zero, we say helps or harms.",
        ),
        (
            "p < 0.001",
            "means: if closing made no difference, a gain or loss as large as this would come up by chance "
            "less than once in a thousand times.",
        ),
        (
            "Idle",
            "means: the whole interval lies inside the zone of ±0.2\u00a0points that we call no effect, "
            "whether or not it holds zero. Needs more data means: the interval is still too wide to say, or there are "
            "fewer than 30 examples.",
        ),
        ("Layer 4, head 8 (encoder.3.7)", "is one head: people count from one, commands from zero."),
        (
            "Exact removal",
            "cuts the weights of a head out of the model for good, and tests on text no method has seen.",
        ),
    ]
    terms = [tag("div", tag("dt", term), tag("dd", meaning)) for term, meaning in meanings]
    return section("reading", "How to read this", tag("dl", *terms, kind="terms"))


def footer(demo: Demo) -> Safe:
    """The signature of the run: with this, the numbers can be made again."""
    made, model = demo.made, demo.model
    versions = ", ".join(
        [f"headcount {made.headcount}", *(f"{name} {number}" for name, number in made.versions.items())]
    )
    facts = [
        ("Made by", tag("code", made.command)),
        ("Took", words.duration(made.seconds)),
        ("Seed", str(made.seed)),
        ("Model", f"{model.family}, {model.parameters:,} parameters, {model.layout.describe()} ({model.path})"),
        ("Versions", versions),
        ("Settings", tag("code", made.settings)),
        *(
            (f"{item.method}, {item.language}", tag("code", str(item.signature)))
            for item in demo.scores
            if item.signature
        ),
    ]
    lines = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts]
    return tag("footer", tag("h2", "Signature"), tag("dl", *lines, kind="terms"))
