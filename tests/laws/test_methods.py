"""The laws of every method, run on all of them without being told which there are."""

import copy
import random

import numpy as np
import pytest
import torch

from builders import subject, tiny
from headcount.core.heads import Head
from headcount.core.mask import HeadMask
from headcount.core.scores import HeadScores
from headcount.importance.method import METHODS, measure
from headcount.lab.plant import lines_of, plant_dead, site_of

everywhere = pytest.mark.parametrize("method", METHODS)


@everywhere
def test_a_dead_head_scores_nothing(method: str) -> None:
    model = tiny()
    plant_dead(model, Head("encoder", 1, 2))
    scores = measure(subject(model), method=method)
    place = scores.place("encoder.1.2")
    assert scores.value[place] == 0
    assert (scores.low[place], scores.high[place]) == (0, 0)
    assert np.count_nonzero(scores.value) > 6


@everywhere
def test_twin_heads_score_alike(method: str) -> None:
    model = tiny()
    site, place = site_of(model, Head("encoder", 1, 0))
    source, target = lines_of(site, place), lines_of(site, 3)
    with torch.no_grad():
        for part in (site.query, site.key, site.value):
            part.weight[target], part.bias[target] = part.weight[source], part.bias[source]
        site.projection.weight[:, target] = site.projection.weight[:, source]
    scores = measure(subject(model), method=method)
    first, second = (scores.value[scores.place(name)] for name in ("encoder.1.0", "encoder.1.3"))
    assert first == pytest.approx(second, abs=1e-6)


@everywhere
def test_permuted_heads_have_permuted_scores(method: str) -> None:
    model = tiny()
    moved = copy.deepcopy(model)
    order = [2, 0, 3, 1]
    site, _ = site_of(moved, Head("encoder", 1, 0))
    lines = torch.cat([torch.arange(place * 6, place * 6 + 6) for place in order])
    with torch.no_grad():
        for part in (site.query, site.key, site.value):
            part.weight[:], part.bias[:] = part.weight[lines].clone(), part.bias[lines].clone()
        site.projection.weight[:] = site.projection.weight[:, lines].clone()
    before, after = (measure(subject(item), method=method).value.reshape(3, 4) for item in (model, moved))
    np.testing.assert_allclose(after[1], before[1][order], atol=1e-6)
    np.testing.assert_allclose(after[[0, 2]], before[[0, 2]], atol=1e-6)


@everywhere
def test_the_same_seed_gives_the_same_bytes(method: str) -> None:
    first, second = (measure(subject(tiny()), method=method, seed=4) for _ in range(2))
    assert first.to_json() == second.to_json()
    other = measure(subject(tiny()), method=method, seed=5)
    assert first.value.tolist() == other.value.tolist()
    assert first.low.tolist() != other.low.tolist()


@everywhere
def test_the_global_generators_are_untouched(method: str) -> None:
    asked = subject(tiny())
    torch.manual_seed(1)
    random.seed(1)
    np.random.seed(1)
    before = torch.random.get_rng_state(), random.getstate(), str(np.random.get_state())
    measure(asked, method=method)
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert (random.getstate(), str(np.random.get_state())) == before[1:]


@everywhere
def test_the_model_is_given_back(method: str) -> None:
    model = tiny()
    pieces = torch.arange(8)[None] + 5
    with torch.no_grad():
        before = model(input_ids=pieces).logits
    flags = [part.requires_grad for part in model.parameters()]
    measure(subject(model), method=method)
    with torch.no_grad():
        assert torch.equal(model(input_ids=pieces).logits, before)
    assert [part.requires_grad for part in model.parameters()] == flags
    assert all(part.grad is None for part in model.parameters())


@everywhere
def test_tiles_do_not_matter(method: str) -> None:
    small, large = (measure(subject(tiny(), batch_tokens=size), method=method).value for size in (1, 10_000))
    # 2e-5: one backward over other shapes; accuracies are counts and must be equal
    np.testing.assert_allclose(small, large, atol=0 if METHODS[method].signed else 2e-5)


@everywhere
def test_intervals_hold_their_values_and_narrow_with_examples(method: str) -> None:
    widths = {4: 0.0, 24: 0.0}
    # several models: between 4 and 24 sentences of one random model the widths are still ruled by its loudest sentence
    for seed in range(1, 4):
        for count in widths:
            scores = measure(subject(tiny(seed=seed), count=count), method=method)
            assert (scores.low <= scores.value).all()
            assert (scores.value <= scores.high).all()
            widths[count] += float((scores.high - scores.low).mean())
    assert widths[24] < 0.9 * widths[4]


@everywhere
def test_scores_survive_their_file(method: str, tmp_path: object) -> None:
    scores = measure(subject(tiny()), method=method)
    path = scores.save(f"{tmp_path}/scores.json")
    assert HeadScores.load(path) == scores


@everywhere
def test_the_signature_says_what_was_asked(method: str) -> None:
    signature = measure(subject(tiny()), method=method, seed=7).signature
    told = {name: signature[name] for name in ("method", "task", "language", "n", "model", "seed", "threads", "dtype")}
    assert told == {
        "method": method,
        "task": "pos",
        "language": "svona",
        "n": 24,
        "model": "tiny@test",
        "seed": 7,
        "threads": 1,
        "dtype": "float32",
    }


@everywhere
def test_a_cut_model_is_measured_under_its_old_names(method: str) -> None:
    whole = subject(tiny())
    from headcount.study.steps import cut

    smaller = cut(whole, HeadMask.closing(whole.layout, ["encoder.0.1", "encoder.2.0"]))
    scores = measure(smaller, method=method)
    assert "encoder.0.1" not in scores.layout.names
    assert len(scores.value) == 10
    assert scores.signature["model"] != measure(whole, method=method).signature["model"]
