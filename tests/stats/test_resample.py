"""Laws of the counting room. Simulations are seeded; each tolerance says how wide chance alone would be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.core.errors import BadInput
from headcount.stats import resample
from headcount.stats.resample import bootstrap, paired_bootstrap, resampled, simultaneous_gains
from stats.simulated import TALLIES, accuracy, mean, rng, tagged


def slow_draws(tallies, metric, *, seed, draws):
    """The same draws one by one, in plain loops: every example counts as often as it was drawn."""
    chance = rng(seed)
    figures, examples, columns = tallies.shape
    table = []
    for _ in range(draws):
        weights = chance.multinomial(examples, [1 / examples] * examples)
        line = []
        for figure in range(figures):
            sums = np.zeros(columns)
            for example in range(examples):
                for _ in range(weights[example]):
                    sums += tallies[figure, example]
            line.append(float(metric(sums)))
        table.append(line)
    return np.array(table)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 4))
def test_draws_equal_a_slow_twin(seed, examples, figures):
    tallies = np.stack([tagged(seed + part, examples) for part in range(figures)])
    fast = resampled(tallies, accuracy, rng=rng(seed), draws=30)
    assert np.allclose(fast, slow_draws(tallies, accuracy, seed=seed, draws=30), rtol=1e-12)


def test_the_paired_bootstrap_equals_a_slow_twin():
    before, after = tagged(1, 12), tagged(2, 12)
    found = paired_bootstrap(before, after, accuracy, rng=rng(5), confidence=0.9)
    draws = slow_draws(np.stack([before, after]), accuracy, seed=5, draws=resample.PAIRED_DRAWS)
    gains = np.sort(draws[:, 1] - draws[:, 0])
    # linear interpolation between order statistics (Hyndman and Fan 1996, type 7)
    places = [0.05 * (len(gains) - 1), 0.95 * (len(gains) - 1)]
    low, high = (np.interp(place, np.arange(len(gains)), gains) for place in places)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.before == before[:, 0].sum() / before[:, 1].sum()
    assert found.after == after[:, 0].sum() / after[:, 1].sum()
    assert found.gain == found.after - found.before
    tail = min((gains <= 0).sum(), (gains >= 0).sum())
    assert found.p == pytest.approx(min(1, 2 * (tail + 1) / (len(gains) + 1)))
    assert (found.examples, found.draws, found.confidence) == (12, 10_000, 0.9)


def test_a_figure_is_a_ratio_of_sums_and_not_a_mean_of_ratios():
    tallies = np.array([[1.0, 1], [1, 9], [0, 5]])
    assert bootstrap(tallies, accuracy, rng=rng(0)).value == pytest.approx(2 / 15)
    assert simultaneous_gains(tallies, tallies[None] * [0, 1], accuracy, rng=rng(0)).value == pytest.approx([2 / 15])


def test_the_interval_is_that_of_scipy():
    scipy = pytest.importorskip("scipy.stats", reason="the oracle is scipy's bootstrap: pip install scipy")
    tallies = tagged(3, 80)
    found = bootstrap(tallies, accuracy, rng=rng(0))

    def figure(right, total, axis):
        return right.sum(axis) / total.sum(axis)

    oracle = scipy.bootstrap(
        tuple(tallies.T), figure, paired=True, n_resamples=20_000, method="percentile", rng=rng(1)
    ).confidence_interval
    # an end of 2,000 draws has an error of about 0.06 standard errors of the figure (density at the 2.5 % quantile)
    width = (oracle.high - oracle.low) / 3.92
    assert found.low == pytest.approx(oracle.low, abs=0.25 * width)
    assert found.high == pytest.approx(oracle.high, abs=0.25 * width)


def test_intervals_cover_the_truth_as_often_as_they_say():
    chance = rng(11)
    runs, inside = 400, {0.8: 0, 0.95: 0}
    for run in range(runs):
        tallies = np.stack([chance.normal(0.3, 1, 60), np.ones(60)], axis=1)
        for confidence in inside:
            found = bootstrap(tallies, mean, rng=rng(run), confidence=confidence)
            inside[confidence] += found.low <= 0.3 <= found.high
    for confidence, count in inside.items():
        # 400 runs: a standard error of 0.011 (95 %) and 0.02 (80 %); 60 examples cost the percentile interval 0.01
        assert count / runs == pytest.approx(confidence, abs=0.045)


def test_a_sure_interval_is_wider():
    widths = []
    for confidence in (0.5, 0.8, 0.95, 0.99):
        found = bootstrap(tagged(4, 50), accuracy, rng=rng(0), confidence=confidence)
        assert found.low < found.value < found.high
        widths.append(found.high - found.low)
    assert widths == sorted(set(widths))


def test_p_is_uniform_where_nothing_changed():
    chance = rng(12)
    found = []
    for run in range(500):
        before, after = np.ones((2, 50, 2))
        before[:, 0], after[:, 0] = chance.normal(0, 1, (2, 50)) + chance.normal(0, 1, 50)
        found.append(paired_bootstrap(before, after, mean, rng=rng(run)).p)
    # three standard errors of 500 runs, and what the bootstrap of 50 examples adds (4,000 runs: 0.053, 0.107, 0.515)
    for level, tolerance in [(0.05, 0.034), (0.1, 0.048), (0.5, 0.083)]:
        assert np.mean(np.array(found) <= level) == pytest.approx(level, abs=tolerance)


def test_a_clear_gain_has_the_smallest_p_and_the_right_sign():
    before, after = tagged(5, 60), tagged(5, 60)
    after[:, 0] = after[:, 1]
    found = paired_bootstrap(before, after, accuracy, rng=rng(0))
    back = paired_bootstrap(after, before, accuracy, rng=rng(0))
    assert 0 < found.low <= found.gain <= found.high
    assert found.p == pytest.approx(2 / 10_001)  # never 0
    assert (back.gain, back.p) == (-found.gain, found.p)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low))


def test_no_change_is_no_finding():
    tallies = tagged(6, 40)
    found = paired_bootstrap(tallies, tallies.copy(), accuracy, rng=rng(0))
    assert (found.gain, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_ties_count_against_a_finding():
    before = np.array([[0.0, 1]] + [[1.0, 1]] * 9)
    after = np.ones((10, 2))  # one example of ten got better: a draw misses it with chance 0.9 ** 10 = 0.35
    found = paired_bootstrap(before, after, mean, rng=rng(0))
    assert found.low == 0
    assert found.p == pytest.approx(2 * 0.3487, abs=0.07)  # 2,000 draws: a standard error of 0.02


@pytest.mark.parametrize("examples", [5, 37, 100, 1000])
@pytest.mark.parametrize("figures", [1, 2, 7, 24, 145])
def test_what_equals_the_base_gains_exactly_nothing(examples, figures):
    """Matrix products round equal columns unequally, by their place; a dead head must still score 0 and be idle."""
    base = rng(examples).gamma(2, 3, (examples, 3))
    others = np.repeat(base[None], figures, axis=0)
    live = np.arange(figures) % 3 == 1
    others[live] -= rng(1).gamma(2, 0.1, (live.sum(), examples, 3))
    found = simultaneous_gains(base, others, lambda sums: sums[..., 2] / sums[..., 1], rng=rng(0))
    for part in (found.value, found.low, found.high, found.error):
        assert (part[~live] == 0).all()
    assert (found.error[live] > 0).all()
    for columns in (1, 3, 6):
        same = rng(examples).gamma(2, 3, (examples, columns))
        pair = paired_bootstrap(same, same.copy(), lambda sums: np.log(sums[..., 0]), rng=rng(0))
        assert (pair.gain, pair.low, pair.high, pair.p) == (0, 0, 0, 1)


def test_equal_tallies_have_equal_draws_however_a_machine_rounds():
    def rounding(sums):
        """A metric that is off by another hair at every place, as matrix products are on some machines."""
        return sums[..., 0] * (1 + 1e-13 * np.arange(sums.shape[-2]))

    tallies = np.stack([tagged(1, 20), tagged(2, 20), tagged(1, 20)])
    draws = resampled(tallies, rounding, rng=rng(0), draws=50)
    assert np.array_equal(draws[:, 0], draws[:, 2])
    assert not np.allclose(draws[:, 0], draws[:, 1])


def test_a_figure_that_never_moves_has_no_error_and_widens_nothing():
    base = np.stack([rng(0).normal(5, 2, 300), np.ones(300)], axis=1)
    moving = np.stack([base - np.stack([rng(1 + k).normal(0, 0.5, 300), np.zeros(300)], 1) for k in range(2)])
    shifted = base[None] - np.array([0.1, 0])
    alone = simultaneous_gains(base, moving, mean, rng=rng(9))
    beside = simultaneous_gains(base, np.concatenate([shifted, moving]), mean, rng=rng(9))
    assert beside.value[0] == pytest.approx(0.1, abs=1e-9)
    assert beside.error[0] == 0
    assert beside.low[0] == beside.high[0] == beside.value[0]
    assert beside.low[1:] == pytest.approx(alone.low, abs=1e-9)
    assert beside.high[1:] == pytest.approx(alone.high, abs=1e-9)


@pytest.mark.parametrize("shared", [0.0, 2.0])
def test_simultaneous_intervals_hold_for_all_together(shared):
    """Family-wise coverage with independent and with correlated figures (all share the base: never independent)."""
    chance = rng(13)
    runs, heads, truth, whole = 250, 12, np.linspace(-0.5, 0.5, 12), 0
    for run in range(runs):
        base, others = np.ones((80, 2)), np.ones((heads, 80, 2))
        base[:, 0] = chance.normal(0, 0.5, 80)
        noise = chance.normal(0, 1, (heads, 80)) + shared * chance.normal(0, 1, 80)
        others[:, :, 0] = base[:, 0] - truth[:, None] - noise
        found = simultaneous_gains(base, others, mean, rng=rng(run))
        whole += ((found.low <= truth) & (truth <= found.high)).all()
    # standard error 0.014; at 80 examples the bootstrap error is 0.6 % too small: about 0.01 of coverage
    assert whole / runs >= 0.95 - 0.045
    assert whole / runs < 1


def test_together_is_wider_than_alone_and_cheaper_than_bonferroni():
    base = np.stack([rng(0).normal(0, 1, 200), np.ones(200)], axis=1)
    noise = rng(1).normal(0, 0.2, (20, 200)) + rng(2).normal(0, 1, 200)
    others = np.stack([base - np.stack([line, np.zeros(200)], axis=1) for line in noise])
    together = simultaneous_gains(base, others, mean, rng=rng(3))
    quantile = (together.high - together.value)[0] / together.error[0]
    assert 1.96 < quantile < 2.9  # normal quantiles: 1.96 for one figure, 3.02 for twenty by Bonferroni
    alone = simultaneous_gains(base, others[:1], mean, rng=rng(3))
    assert (alone.high - alone.value)[0] / alone.error[0] == pytest.approx(1.96, abs=0.15)
    assert together.low + together.high == pytest.approx(2 * together.value)
    assert together.value == pytest.approx(noise.mean(axis=1))
    assert together.error == pytest.approx(noise.std(axis=1, ddof=1) / np.sqrt(200), rel=0.1)


def test_nobody_to_compare_with_gives_nothing():
    found = simultaneous_gains(tagged(1, 5), np.zeros((0, 5, 2)), accuracy, rng=rng(0))
    assert found.value.shape == found.low.shape == found.high.shape == found.error.shape == (0,)


@pytest.mark.parametrize("block", [1, 70, 1000, 10**9])
def test_memory_blocks_do_not_change_the_draws(monkeypatch, block):
    tallies = np.stack([tagged(7, 30), tagged(8, 30)])
    whole = resampled(tallies, accuracy, rng=rng(0), draws=200)
    monkeypatch.setattr(resample, "_BLOCK", block)
    assert np.array_equal(resampled(tallies, accuracy, rng=rng(0), draws=200), whole)
    assert whole.shape == (200, 2)


def test_chance_is_what_is_passed_in():
    np.random.seed(3)
    before = np.random.get_state()[1].copy()
    tallies, chance = tagged(9, 20), rng(4)
    first = paired_bootstrap(tallies, tagged(10, 20), accuracy, rng=chance)
    again = paired_bootstrap(tallies, tagged(10, 20), accuracy, rng=chance)
    assert first == paired_bootstrap(tallies, tagged(10, 20), accuracy, rng=rng(4))
    assert first != again
    assert np.array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize("examples", [0, 1])
def test_one_example_has_no_interval(examples):
    few = np.ones((examples, 2))
    for ask in (
        lambda: bootstrap(few, mean, rng=rng(0)),
        lambda: paired_bootstrap(few, few, mean, rng=rng(0)),
        lambda: simultaneous_gains(few, few[None], mean, rng=rng(0)),
    ):
        with pytest.raises(BadInput, match=f"needs at least 2 of them; got {examples}"):
            ask()


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, float("nan")])
def test_a_confidence_lies_between_0_and_1(confidence):
    for ask in (
        lambda: bootstrap(TALLIES, mean, rng=rng(0), confidence=confidence),
        lambda: paired_bootstrap(TALLIES, TALLIES, mean, rng=rng(0), confidence=confidence),
        lambda: simultaneous_gains(TALLIES, TALLIES[None], mean, rng=rng(0), confidence=confidence),
    ):
        with pytest.raises(BadInput, match="confidence lies between 0 and 1"):
            ask()


def test_tallies_of_other_examples_are_refused():
    with pytest.raises(BadInput, match=r"must have one shape, not \(3, 2\) and \(4, 2\)"):
        paired_bootstrap(TALLIES, np.ones((4, 2)), mean, rng=rng(0))
    with pytest.raises(BadInput, match=r"must have one shape, not \(3, 2\) and \(4, 2\)"):
        simultaneous_gains(TALLIES, np.ones((5, 4, 2)), mean, rng=rng(0))


def test_examples_with_nothing_to_score_are_told():
    sparse = np.array([[1.0, 1], [0, 0], [0, 0]])
    for ask in (
        lambda: bootstrap(sparse, accuracy, rng=rng(0)),
        lambda: paired_bootstrap(sparse, sparse, accuracy, rng=rng(0)),
        lambda: simultaneous_gains(sparse, sparse[None], accuracy, rng=rng(0)),
    ):
        with pytest.raises(BadInput, match="hold nothing to score: give more examples"):
            ask()
