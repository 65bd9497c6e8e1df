from unprior.selection import Choice, Composition
from unprior.selection._choice import Trial, rank_compromises, rank_removals

FIRST, SECOND = Composition("aligned", 1.0), Composition(strength=0.5)
TRIALS = (Trial(FIRST, (0.01,), 0.8, 0.3), Trial(SECOND, (0.1, -0.2), float("nan"), 0.6))


def test_in_a_notebook_it_is_a_sentence_and_a_table_of_what_was_tried():
    html = Choice(FIRST, TRIALS, 700, "It keeps <most> & more.")._repr_html_()
    assert html.startswith(f"<p><b>{FIRST}.</b> It keeps &lt;most&gt; &amp; more.</p><table>")
    assert "tried on 700 samples, the best first" in html
    assert html.index(str(FIRST)) < html.index(str(SECOND))
    for cell in ("0.010", "0.800", "0.300", "-0.200", "–", "0.600"):
        assert f">{cell}</td>" in html


def test_what_was_not_chosen_among_others_is_a_sentence():
    html = Choice(SECOND, (), 0, "It was asked for.")._repr_html_()
    assert html == f"<p><b>{SECOND}.</b> It was asked for.</p>"


def test_removals_go_by_the_prior_left_then_by_the_rest():
    clean = Trial(FIRST, (0.0,), 0.7, 0.2)
    fuller = Trial(SECOND, (-0.02,), 0.9, 0.5)
    plain = Trial(Composition(), (0.9,), 0.9, 0.9)
    assert rank_removals([plain, clean, fuller]) == [fuller, clean, plain]


def test_compromises_go_by_the_data_above_all():
    clean = Trial(FIRST, (0.0,), 0.4, 0.1)
    gentle = Trial(SECOND, (0.2,), 0.4, 0.4)
    assert rank_compromises([clean, gentle]) == [gentle, clean]
    less = Trial(SECOND, (0.2,), 0.4, 0.2)
    assert rank_compromises([less, clean]) == [clean, less]


def test_of_several_priors_that_counts_of_which_most_is_left():
    assert Trial(FIRST, (0.1, -0.3, 0.2), 0.5, 0.5).left == -0.3
