from unprior.selection import Choice, Composition
from unprior.selection._choice import Trial

FIRST, SECOND = Composition("aligned", 1.0), Composition(strength=0.5)
TRIALS = (Trial(FIRST, 0.01, 0.8, 0.3), Trial(SECOND, 0.2, float("nan"), 0.6))


def test_in_a_notebook_it_is_a_sentence_and_a_table_of_what_was_tried():
    html = Choice(FIRST, TRIALS, 700, "It keeps <most> & more.")._repr_html_()
    assert html.startswith(f"<p><b>{FIRST}.</b> It keeps &lt;most&gt; &amp; more.</p><table>")
    assert "tried on 700 samples, the best first" in html
    assert html.index(str(FIRST)) < html.index(str(SECOND))
    for cell in ("0.010", "0.800", "0.300", "0.200", "–", "0.600"):
        assert f">{cell}</td>" in html


def test_what_was_not_chosen_among_others_is_a_sentence():
    html = Choice(SECOND, (), 0, "It was asked for.")._repr_html_()
    assert html == f"<p><b>{SECOND}.</b> It was asked for.</p>"
