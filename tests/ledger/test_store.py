import json
import multiprocessing
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.core import files
from headcount.core.errors import BadFile, BadInput, CannotWrite
from headcount.core.signature import stable_key
from headcount.ledger.store import Store

TEXT = st.text(st.characters(codec="utf-8"), max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
SETTINGS = {"method": "ablation", "seed": 0, "n": 512}
RESULT = {"value": [0.5, -0.25, 1e-300], "note": "één"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "records")


@given(st.dictionaries(TEXT, VALUES, max_size=4), VALUES.filter(lambda value: value is not None))
def test_what_is_put_is_got(tmp_path_factory, settings, result):
    store = Store(tmp_path_factory.getbasetemp() / "drawn_records")
    path = store.put("step", settings, result)
    found = store.get("step", settings)
    assert found == result
    assert stable_key(found) == stable_key(result)
    assert path == store.path("step", stable_key(settings))


def test_what_is_absent_is_none(store):
    assert store.get("scores", SETTINGS) is None
    store.put("scores", SETTINGS, RESULT)
    assert store.get("scores", {**SETTINGS, "seed": 1}) is None
    assert store.get("truth", SETTINGS) is None


def test_a_record_is_one_file_named_by_step_and_key(store):
    path = store.put("scores", SETTINGS, RESULT)
    assert [item.name for item in store.folder.iterdir()] == [path.name] == [f"scores-{stable_key(SETTINGS)}.json"]
    document = json.loads(path.read_text())
    assert (document["step"], document["settings"], document["result"]) == ("scores", SETTINGS, RESULT)


def test_order_does_not_matter_and_types_do(store):
    store.put("scores", SETTINGS, RESULT)
    assert store.get("scores", dict(reversed(SETTINGS.items()))) == RESULT
    for other in (0.0, False, "0", None):
        assert store.get("scores", {**SETTINGS, "seed": other}) is None


def test_a_new_result_takes_the_place_of_the_old_one(store):
    store.put("scores", SETTINGS, RESULT)
    store.put("scores", SETTINGS, [1])
    assert store.get("scores", SETTINGS) == [1]
    assert len(list(store.folder.iterdir())) == 1


@pytest.mark.parametrize("cut", [0, 1, 40, 120, -1, -2])
def test_a_partial_record_is_named_and_not_passed_over(store, cut):
    path = store.put("scores", SETTINGS, RESULT)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    if json_is_whole(whole[:cut]):
        assert store.get("scores", SETTINGS) == RESULT
        return
    with pytest.raises(BadFile, match=rf"{path.name}.*: (the file is empty|not valid JSON)"):
        store.get("scores", SETTINGS)


def json_is_whole(data):
    return data.endswith(b"}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": "truth"}, "does not match its name; delete it and run again"),
        ({"settings": {**SETTINGS, "seed": 1}}, "does not match its name; delete it and run again"),
        ({"settings": {**SETTINGS, "seed": False}}, "does not match its name"),
        ({"settings": []}, "does not match its name"),
        ({"settings": "\ud800"}, "half a character"),
        (
            {"result": {"value": [0.5, -0.26, 1e-300], "note": "één"}},
            "the result of this record was changed; del",
        ),
        ({"result": None}, "the result of this record was changed"),
        ({"result_key": 5}, "the result of this record was changed"),
        ({"format": "headcount.scores"}, "A headcount.record document was expected, not 'headcount.scores'"),
        ({"version": 2}, "headcount.record version 2; this headcount reads version 1. Upgrade headcount"),
        ({"results": 1}, "A record has no field 'results'. Did you mean 'result'"),
    ],
)
def test_an_edited_record_is_named_and_not_believed(store, change, message):
    path = store.put("scores", SETTINGS, RESULT)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(BadFile, match=rf"{path.name}: .*{message}"):
        store.get("scores", SETTINGS)


@pytest.mark.parametrize("name", ["format", "version", "step", "settings", "result", "result_key"])
def test_a_record_that_lacks_a_part_is_named(store, name):
    path = store.put("scores", SETTINGS, RESULT)
    document = json.loads(path.read_text())
    del document[name]
    path.write_text(json.dumps(document))
    with pytest.raises(BadFile, match=path.name):
        store.get("scores", SETTINGS)


def test_a_renamed_record_is_named_and_not_believed(store):
    path = store.put("scores", SETTINGS, RESULT)
    other = {**SETTINGS, "seed": 1}
    path.rename(store.path("scores", stable_key(other)))
    with pytest.raises(BadFile, match="does not match its name"):
        store.get("scores", other)
    path = store.put("scores", SETTINGS, RESULT)
    path.rename(store.path("truth", stable_key(SETTINGS)))
    with pytest.raises(BadFile, match="does not match its name"):
        store.get("truth", SETTINGS)


@pytest.mark.parametrize("content", [b"\x00\xff", b"[]", b"NaN", b'{"format": NaN}', b"{" * 9])
def test_a_damaged_record_is_named(store, content):
    path = store.put("scores", SETTINGS, RESULT)
    path.write_bytes(content)
    with pytest.raises(BadFile, match=path.name):
        store.get("scores", SETTINGS)


@pytest.mark.parametrize(
    ("settings", "result"),
    [
        ({"n": float("nan")}, 1),
        (SETTINGS, {"n": float("inf")}),
        (SETTINGS, {1: 2}),
        ({"n": {1: 2}}, 1),
        (SETTINGS, {1, 2}),
        (SETTINGS, "\ud800"),
        (SETTINGS, None),
    ],
)
def test_what_would_not_come_back_the_same_is_not_recorded(store, settings, result):
    with pytest.raises(BadInput):
        store.put("scores", settings, result)
    assert not store.folder.exists()


@pytest.mark.parametrize("place", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("old", [False, True])
def test_an_interrupted_write_leaves_nothing_or_the_old_record(store, monkeypatch, place, error, old):
    if old:
        store.put("scores", SETTINGS, "old")

    def fail(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(files.os, place, fail)
        with pytest.raises(CannotWrite if isinstance(error, OSError) else KeyboardInterrupt):
            store.put("scores", SETTINGS, RESULT)
    assert store.get("scores", SETTINGS) == ("old" if old else None)
    assert len(list(store.folder.iterdir())) == old


def test_a_store_in_the_place_of_a_file_is_refused(tmp_path):
    (tmp_path / "records").write_text("x")
    with pytest.raises(CannotWrite, match="a file where a folder is needed"):
        Store(tmp_path / "records").put("scores", SETTINGS, RESULT)


def _write(folder, number):
    store = Store(folder)
    for _ in range(15):
        store.put("scores", SETTINGS, [number] * 20_000)
        store.get("scores", SETTINGS)


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_two_writers_of_one_record_end_with_a_whole_one(store, kind):
    if kind == "processes":
        workers = [multiprocessing.get_context("spawn").Process(target=_write, args=(store.folder, n)) for n in (1, 2)]
    else:
        workers = [threading.Thread(target=_write, args=(store.folder, n)) for n in (1, 2)]
    for worker in workers:
        worker.start()
    seen = []
    while any(worker.is_alive() for worker in workers):
        seen.append(store.get("scores", SETTINGS))
    for worker in workers:
        worker.join()
        assert getattr(worker, "exitcode", 0) == 0
    assert all(item is None or item in ([1] * 20_000, [2] * 20_000) for item in seen)
    assert store.get("scores", SETTINGS) in ([1] * 20_000, [2] * 20_000)
    assert len(os.listdir(store.folder)) == 1
