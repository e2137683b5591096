#!/usr/bin/env python3
"""Fits the classifier of requests that no single command does (`crates/intent/src/scope.rs`) and writes its weights.

    scope.py [--out FILE]

The requests of `cookbook/declined.txt` are fitted against those that a command does: all other files of the cookbook. One request in
twelve is kept apart and counted, and so are the blind requests of `crates/intent/tests/data`, of which none is fitted.
"""

import argparse
import math
import re
import tomllib
import zlib
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

ROOT = Path(__file__).resolve().parent.parent
COOKBOOK = ROOT / "cookbook"
WEIGHTS = ROOT / "crates/intent/src/scope.tsv"
BLIND = [ROOT / "crates/intent/tests/data" / name for name in ("scope_beyond.txt", "scope_possible.txt")]
# Requests of which one in this many is kept apart.
APART = 12
# Weight of a request that was written for this classifier, against one of a recipe. It and the next two were chosen on the requests kept apart.
OWN = 2
# Inverse strength of the regularisation.
INVERSE_STRENGTH = 20
# Features in the file; those with the smallest weights are left out.
FEATURES = 12000
# One request in this many is an example in the tests of `scope.rs`.
EXAMPLES = 400
# Bounds that are counted.
BOUNDS = (0.5, 0.6, 0.7, 0.8)
# Bounds of `scope.rs`.
WORDS_MIN, WORDS_MAX, KNOWN_MIN, EXTENSION_MAX = 2, 60, 0.6, 6
AROUND = ".,;:!?\"'()`[]{}“”‘’"
QUOTED = re.compile(r"""(^|\s)(?:"[^"]+"|'[^']+')""")
TEXT = "<text>"
CODE = set("*$=@|<>&%^+#_{}()")


def classes(word):
    """Returns what counts of a word, as `classes` in `scope.rs`."""
    if word == TEXT:
        return [TEXT]
    word = word.strip(AROUND).replace("'", "").replace("’", "")
    if not word:
        return []
    if word.startswith("~") or "/" in word or "\\" in word:
        return ["<path>"]
    if CODE & set(word):
        return ["<code>"]
    if "." in word:
        extension = word.rpartition(".")[2]
        if re.fullmatch(rf"[a-z]{{1,{EXTENSION_MAX}}}", extension):
            return ["<file>"]
        return ["<number>" if re.fullmatch(r"[.0-9]+", word) else "<code>"]
    return ["<number>"] if re.fullmatch(r"[0-9]+", word) else [re.sub(r"[0-9]+", "0", word)]


def words_of(request):
    """Returns what counts of the words of a request, as `words` in `scope.rs`."""
    text = QUOTED.sub(rf"\1{TEXT} ", request.lower())
    return [found for word in text.split() for found in classes(word)][:WORDS_MAX]


def features(request):
    """Returns the words of a request and its pairs of neighbours, as `features` in `scope.rs`."""
    words = words_of(request)
    return {*words, *(" ".join(pair) for pair in zip(["^", *words], words))}


def rows(file):
    """Returns the rows of a file of requests."""
    return [row.strip() for row in file.read_text().splitlines() if row.strip() and not row.startswith("#")]


def of_pairs(file):
    """Returns the requests of a file of pairs."""
    return [row[2:].strip() for row in file.read_text().splitlines() if row.startswith("? ")]


def of_recipes(file):
    """Returns the requests of a file of recipes."""
    groups = tomllib.loads(file.read_text()).get("recipes", {}).values()
    return [request for group in groups for recipe in group for request in recipe["requests"]]


def once(requests):
    """Returns requests without those that stand there twice."""
    return list(dict.fromkeys(requests))


def is_apart(request):
    """Reports whether a request is kept apart."""
    return zlib.crc32(request.encode()) % APART == 0


class Scope:
    """The classifier."""

    def __init__(self, beyond, possible, ordinary):
        counter = CountVectorizer(analyzer=features, binary=True)
        counts = normalize(counter.fit_transform([*beyond, *possible, *ordinary]).astype(float))
        targets = np.repeat([1, 0], [len(beyond), len(possible) + len(ordinary)])
        weights = np.repeat([OWN, 1.0], [len(beyond) + len(possible), len(ordinary)])
        fitted = LogisticRegression(C=INVERSE_STRENGTH, max_iter=1000).fit(counts, targets, sample_weight=weights)
        found = fitted.coef_[0]
        kept = np.argsort(-np.abs(found), kind="stable")[:FEATURES]
        names = counter.get_feature_names_out()
        self.bias = round(float(fitted.intercept_[0]), 3)
        self.weights = {names[at]: round(float(found[at]), 2) for at in sorted(kept, key=lambda at: names[at])}

    def probability(self, request):
        """Returns the probability that no command does what is asked, as `probability` in `scope.rs`."""
        found = features(request)
        score = sum(self.weights.get(name, 0.0) for name in found) / math.sqrt(max(len(found), 1)) + self.bias
        return 1 / (1 + math.exp(-score))

    def is_known(self, request):
        """Reports whether enough of the words are known, as `is_known` in `scope.rs`."""
        words = set(words_of(request))
        return WORDS_MIN <= len(words) and KNOWN_MIN * len(words) <= sum(word in self.weights for word in words)

    def text(self):
        """Returns the file of weights."""
        return "".join(f"{name}\t{weight:g}\n" for name, weight in [("", self.bias), *self.weights.items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    beyond = once(rows(COOKBOOK / "declined.txt"))
    possible = once([*rows(COOKBOOK / "possible.txt"), *of_pairs(COOKBOOK / "pairs/lookalike.txt")])
    pairs = [file for file in sorted(COOKBOOK.glob("pairs/**/*.txt")) if file.name != "lookalike.txt"]
    recipes = [request for file in sorted(COOKBOOK.glob("*.toml")) for request in of_recipes(file)]
    ordinary = once([*(request for file in pairs for request in of_pairs(file)), *recipes])
    blind = {file.name: rows(file) for file in BLIND}
    unfitted = {request.lower() for group in blind.values() for request in group}
    groups = {"no command does": beyond, "like those, but a command does": possible, "all others": ordinary}
    groups = {name: [request for request in group if request.lower() not in unfitted] for name, group in groups.items()}
    scope = Scope(*([request for request in group if not is_apart(request)] for group in groups.values()))
    tested = {name: [request for request in group if is_apart(request)] for name, group in groups.items()}
    tested |= blind
    print(f"{len(beyond)} requests that no command does, {len(possible)} like them, {len(ordinary)} others")
    print("counted as beyond a command, by bound; of the first three groups only what was kept apart:")
    for name, group in tested.items():
        found = np.array([scope.probability(request) if scope.is_known(request) else 0.0 for request in group])
        print(f"{name}: {len(group)}", *(f"{bound}: {(bound <= found).sum()}" for bound in BOUNDS), sep=", ")
    args.out.write_text(scope.text())
    some = [request for group in groups.values() for request in group if zlib.crc32(request.encode()) % EXAMPLES == 0]
    examples = "".join(f"{scope.probability(request):.4f}\t{request}\n" for request in some)
    args.out.with_name(f"{args.out.stem}_tests.tsv").write_text(examples)


if __name__ == "__main__":
    main()
