import gzip
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from data.treebanks import TREEBANKS, line, with_extras, written
from headcount.core.errors import BadFile, BadInput
from headcount.data.formats import Sentence, Word, read_conllu, write_conllu

FIRST = ["# sent_id = a", "# text = x y", line(1, "x"), line(2, "y", head=1), ""]
TWO = "\n".join([*FIRST, "# note", line(1, "z", upos="_", head="_"), "", ""])
READ = [
    Sentence("a", (Word("x", "NOUN", 0, "dep"), Word("y", "NOUN", 1, "dep"))),
    Sentence("file.conllu#2", (Word("z", "_", None, "dep"),)),
]


def read(tmp_path, text, name="file.conllu", **options):
    return list(read_conllu(written(tmp_path / name, text, **options)))


@given(TREEBANKS, st.booleans())
def test_what_is_written_reads_back_the_same(tmp_path_factory, treebank, zipped):
    path = tmp_path_factory.getbasetemp() / ("drawn.conllu.gz" if zipped else "drawn.conllu")
    written(path, write_conllu(treebank), zipped=zipped)
    assert list(read_conllu(path)) == treebank
    assert list(read_conllu(str(path))) == treebank


@given(TREEBANKS, st.data())
def test_it_agrees_with_the_conllu_library(tmp_path_factory, treebank, data):
    conllu = pytest.importorskip("conllu", reason="the oracle is the conllu library: pip install conllu")
    text = with_extras(write_conllu(treebank), data.draw)
    assume("  " not in text)  # the oracle takes two blanks for a tab; we do not
    path = written(tmp_path_factory.getbasetemp() / "oracle.conllu", text)
    # the oracle is given lines split at \n alone, as the format says
    oracle = conllu.parse_incr(io.StringIO(text, newline="\n"), fields=list(conllu.parser.DEFAULT_FIELDS))
    for ours, theirs in zip(read_conllu(path), oracle, strict=True):
        tokens = theirs.filter(id=lambda place: isinstance(place, int))
        assert [word.form for word in ours.words] == [token["form"] for token in tokens]
        assert [word.upos for word in ours.words] == [token["upos"] or "_" for token in tokens]
        assert [word.head for word in ours.words] == [token["head"] for token in tokens]
        assert [word.relation for word in ours.words] == [token["deprel"] for token in tokens]
        assert ours.identifier == theirs.metadata["sent_id"]


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        TWO.rstrip("\n"),
        TWO.replace("\n", "\r\n"),
        "\ufeff" + TWO,
        "\n\n" + TWO + "\n\n",
        TWO.replace("\n\n", "\n \n"),
    ],
    ids=["plain", "no end", "CRLF", "BOM", "empty lines", "blanks"],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_line_ends_byte_order_marks_and_empty_lines_do_not_matter(tmp_path, text, zipped):
    name = "file.conllu"
    if zipped:
        (tmp_path / "gz").mkdir()
        found = read(tmp_path / "gz", text, name=f"{name}.gz", zipped=True)
        assert [item.words for item in found] == [item.words for item in READ]
        assert found[1].identifier == "file.conllu.gz#2"
    else:
        assert read(tmp_path, text) == READ


def test_ranges_and_empty_nodes_carry_no_word(tmp_path):
    lines = [line("0.1"), line("1-2", "zum"), line(1, "zu"), line(2, "dem"), line("2.1"), line("2.2"), line(3, "Haus")]
    (found,) = read(tmp_path, "\n".join(lines))
    assert [word.form for word in found.words] == ["zu", "dem", "Haus"]


def test_spaces_and_signs_are_parts_of_a_form(tmp_path):
    forms = ["New York", "_", "#", "a\u00a0b", "\u200d", "\ufeff", "# sent_id = b", "1-2", "क्ष"]
    (found,) = read(tmp_path, "\n".join(line(place, form) for place, form in enumerate(forms, start=1)))
    assert [word.form for word in found.words] == forms


def test_names_of_sentences(tmp_path):
    text = "\n\n".join(f"{head}\n{line(1)}" for head in ["# sent_id = a = b ", "#sent_id=c", "# sent_id =", "# newdoc"])
    assert [item.identifier for item in read(tmp_path, text)] == ["a = b", "c", "file.conllu#3", "file.conllu#4"]


def test_a_name_does_not_pass_to_the_next_sentence(tmp_path):
    text = f"# sent_id = a\n\n{line(1)}\n\n# sent_id = b\n{line(1)}\n\n{line(1)}"
    assert [item.identifier for item in read(tmp_path, text)] == ["file.conllu#1", "b", "file.conllu#3"]


def test_sentences_are_streamed(tmp_path):
    stream = read_conllu(written(tmp_path / "file.conllu", TWO + "broken"))
    assert next(stream) == READ[0]
    stream.close()


GOOD = f"# one\n{line(1)}\n{line(2)}\n\n# two\n"  # the next line is line 6
BROKEN = [
    ("1\tword", 6, "10 tab-separated columns were expected, got 2"),
    (line(1) + "\t_", 6, "10 tab-separated columns were expected, got 11"),
    (line(1).replace("\t", " "), 6, "10 tab-separated columns were expected, got 1"),
    ("\t", 6, "10 tab-separated columns were expected, got 2"),
    ("\t" * 9, 6, "word number 1 was expected, got ''"),
    (line(2), 6, "word number 1 was expected, got '2'"),
    (line(0), 6, "word number 1 was expected, got '0'"),
    (line("x"), 6, "word number 1 was expected, got 'x'"),
    (line("-1"), 6, "word number 1 was expected, got '-1'"),
    (line("1.5"), 6, "word number 1 was expected, got '1.5'"),
    (line("१"), 6, "word number 1 was expected, got '१'"),
    (line("9" * 5000), 6, "word number 1 was expected, got '999"),
    (f"{line(1)}\n{line(1)}", 7, "word number 2 was expected, got '1'"),
    (f"{line(1)}\n{line(3)}", 7, "word number 2 was expected, got '3'"),
    (f"{line(1)}\n{line('3-4')}\n{line(2)}", 7, "word number 2 was expected, got '3-4'"),
    (f"{line(1)}\n{line('2-1')}\n{line(2)}", 7, "word number 2 was expected, got '2-1'"),
    (f"{line(1)}\n{line('1-')}", 7, "word number 2 was expected, got '1-'"),
    (f"{line(1)}\n{line('2.1')}", 7, "word number 2 was expected, got '2.1'"),
    (f"{line(1)}\n{line('1.')}", 7, "word number 2 was expected, got '1.'"),
    (line("1-2"), 6, "a sentence without words"),
    (f"{line('0.1')}\n{line('0.2')}\n\n{line(1)}", 7, "a sentence without words"),
    (line(1, form=""), 6, "the word form is empty"),
    (line(1, form="\u00a0 "), 6, "the word form is empty"),
    (line(1, upos=""), 6, "the column UPOS is empty"),
    (line(1, relation=" "), 6, "the column DEPREL is empty"),
    (line(1, head=""), 6, "HEAD must be a number or _, not ''"),
    (line(1, head="-1"), 6, "HEAD must be a number or _, not '-1'"),
    (line(1, head="x"), 6, "HEAD must be a number or _, not 'x'"),
    (line(1, head="१"), 6, "HEAD must be a number or _, not '१'"),
    (line(1, head="9" * 5000), 6, "HEAD must be a number or _"),
    (line(1, head=2), 6, "HEAD 2 lies outside a sentence of 1 words"),
    (f"{line(1)}\n{line(2, head=9)}\n{line(3)}", 7, "HEAD 9 lies outside a sentence of 3 words"),
    (f"{line('1-2')}\n{line('0.1')}\n{line(1)}\n{line(2, head=9)}", 9, "HEAD 9 lies outside a sentence of 2 words"),
    (f"{line(1)}\n# late", 7, "a comment inside a sentence"),
    (f"{line('1-2')}\n# late\n{line(1)}", 7, "a comment inside a sentence"),
]


@pytest.mark.parametrize(("text", "number", "message"), BROKEN)
@pytest.mark.parametrize("after", ["", "\n", f"\n\n{line(1)}\n\n"], ids=["end", "line end", "more"])
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gz"])
def test_a_broken_line_is_told_with_file_and_line(tmp_path, text, number, message, after, zipped):
    name = "file.conllu.gz" if zipped else "file.conllu"
    with pytest.raises(BadFile) as caught:
        read(tmp_path, GOOD + text + after, name=name, zipped=zipped)
    assert str(caught.value).startswith(f"{tmp_path / name}:{number}: {message}")
    assert caught.value.line == number


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "# a\n\n# b", "\ufeff"])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_without_sentences_is_refused(tmp_path, text, zipped):
    name = "file.conllu.gz" if zipped else "file.conllu"
    with pytest.raises(BadFile, match=r"file\.conllu.*: no sentence in this file; CoNLL-U was expected"):
        read(tmp_path, text, name=name, zipped=zipped)


def test_what_is_no_utf8_is_told_with_its_line(tmp_path):
    with pytest.raises(BadFile, match=r"file\.conllu:4: not UTF-8 text \(invalid continuation byte\)"):
        read(tmp_path, f"# é\n{line(1)}\n\n".encode() + line(1, "é").encode("latin-1"))
    with pytest.raises(BadFile, match=r"file\.conllu:1: not UTF-8 text"):
        read(tmp_path, TWO.encode("utf-16"))
    with pytest.raises(BadFile, match=r"file\.conllu:1: not UTF-8 text"):
        read(tmp_path, TWO, zipped=True)


@pytest.mark.parametrize("cut", [1, 5, 12, 40, -1, -8, -9])
def test_truncated_gzip_data_is_told(tmp_path, cut):
    data = gzip.compress("\n\n".join(line(1, f"word{n}") for n in range(50)).encode())
    with pytest.raises(BadFile, match=r"file\.conllu\.gz: damaged gzip data .*; fetch the file again"):
        read(tmp_path, data[:cut], name="file.conllu.gz")


def test_damaged_and_pretended_gzip_data_is_told(tmp_path):
    whole = gzip.compress(TWO.encode())
    for content in (TWO.encode(), whole[:-8] + b"\0" * 8, whole[:10] + b"\xff" * 20, whole + b"junk"):
        with pytest.raises(BadFile, match="damaged gzip data"):
            read(tmp_path, content, name="file.conllu.gz")
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        try:
            found = read(tmp_path, bytes(damaged), name="file.conllu.gz")
        except BadFile:
            continue
        assert [item.words for item in found] == [item.words for item in READ]  # a flag or a date of the header


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(BadFile, match=r"gone\.conllu: no such file; a CoNLL-U treebank was expected here"):
        list(read_conllu(tmp_path / "gone.conllu"))
    (tmp_path / "folder.gz").mkdir()
    for path in (tmp_path, tmp_path / "folder.gz"):
        with pytest.raises(BadFile, match=r"cannot be read \(Is a directory\)"):
            list(read_conllu(path))


LINES = st.sampled_from(["", " ", "# x = y", line(1), line(2), line("1-2"), line(1, head=5), "\t" * 9, "\r"])
BLOCKS = st.lists(st.one_of(LINES, st.text("12-._\t #\x00aé", max_size=25)), max_size=8).map("\n".join)
FUZZ = st.one_of(
    st.binary(max_size=80),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
    BLOCKS.map(str.encode),
    (st.binary(max_size=40) | BLOCKS.map(str.encode)).map(gzip.compress),
)


@given(FUZZ, st.sampled_from(["fuzz.conllu", "fuzz.conllu.gz"]))
def test_anything_gives_sentences_or_a_bad_file(tmp_path_factory, content, name):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    try:
        found = list(read_conllu(path))
    except BadFile as problem:
        assert problem.path == path  # noqa: PT017 either outcome is right, and each is looked at
        return
    assert found
    for sentence in found:
        assert sentence.words
        assert sentence.identifier
        for word in sentence.words:
            assert word.form.strip()
            assert word.head is None or 0 <= word.head <= len(sentence.words)


@pytest.mark.parametrize("mark", ["\t", "\n", "\r"])
def test_tabs_and_line_ends_cannot_be_written(mark):
    good = Word("a", "NOUN", 0, "root")
    for part in ("form", "upos", "relation"):
        with pytest.raises(BadInput, match=r"Sentence 's1': .* cannot be written; no empty cells, tabs or line ends"):
            write_conllu([Sentence("s1", (good, good._replace(**{part: f"a{mark}b"})))])
        for empty in ("", " ", mark):
            with pytest.raises(BadInput, match="Sentence 's1'"):
                write_conllu([Sentence("s1", (good._replace(**{part: empty}),))])
    with pytest.raises(BadInput, match="A sentence cannot be called"):
        write_conllu([Sentence(f"s{mark}1", (good,))])


def test_what_would_not_be_read_back_is_not_written():
    good = Word("a", "NOUN", 0, "root")
    for name in ("", " a", "a ", "\u00a0"):
        with pytest.raises(BadInput, match="A sentence cannot be called"):
            write_conllu([Sentence(name, (good,))])
    with pytest.raises(BadInput, match="Sentence 's1' has no words"):
        write_conllu([Sentence("s1", ())])
    for head in (-1, 2):
        with pytest.raises(BadInput, match=f"Sentence 's1': HEAD {head} lies outside its 1 words"):
            write_conllu([Sentence("s1", (good._replace(head=head),))])
