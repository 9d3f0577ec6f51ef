import pytest

from headcount.core.progress import counted, silent


def test_every_item_passes_and_is_told_after_it_is_done():
    told = []
    seen = []
    for item in counted("abc", total=3, task="closing", progress=lambda *call: told.append(call)):
        seen.append((item, told[-1]))
    assert seen == [("a", ("closing", 0, 3)), ("b", ("closing", 1, 3)), ("c", ("closing", 2, 3))]
    assert told[-1] == ("closing", 3, 3)
    assert len(told) == 4


def test_nothing_to_do_is_told_too():
    told = []
    assert list(counted([], total=0, task="closing", progress=lambda *call: told.append(call))) == []
    assert told == [("closing", 0, 0)]


def test_an_interruption_passes_through():
    def stop(task, done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(counted("abc", total=3, task="closing", progress=stop))


def test_silence_is_silent(capsys):
    assert silent("closing", 1, 2) is None
    assert capsys.readouterr().out == ""
