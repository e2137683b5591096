#!/usr/bin/env python3
"""Turns training rows into the prompts of the product, each with the line that should follow.

    prompts.py --rows rows.jsonl --out prompts.jsonl [--passes N] [--seed N]

A prompt is {"before", "fresh", "command"}: `before` names the fixed part by shell and system, `fresh` is the text after it, as
`PromptSource::fresh` in `crates/model/src/prompt.rs` writes it. The first pass has each request alone, with the facts about a file
that it names. Later passes have some of the rows, some as lines for zsh and fish, some after similar solved requests of the cookbook, as
`src/refine/similar.rs` finds them (never of the same recipe), and some after a wrong answer and its fault. In Nushell nearly all
requests have similar ones, as in the product; these prompts are six times as long, so no pass has all rows.
"""

import argparse
import functools
import json
import math
import random
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import snowballstemmer

# BM25, as in `src/cookbook.rs`.
REPEATED, LENGTH, SIMILAR, SIMILAR_IN_NUSHELL = 1.2, 0.75, 3, 4
# Shares of the prompts of later passes; of facts and in Nushell of all.
WITH_FACTS, WITH_SIMILAR, WITH_FAULT, FOR_ZSH, FOR_FISH = 0.9, 0.1, 0.5, 0.15, 0.15
WITH_SIMILAR_IN_NUSHELL = 0.9
# Share of the rows in a later pass, and of Nushell's in each.
AGAIN, IN_NUSHELL = 0.6, 0.5
# What bash reads in another way than fish, beside what fish refuses.
NOT_IN_FISH = re.compile(
    r"""\$\(\(|\[\[ |[<>]\(|!\(|\|&|\\\\|\\'|\$(RANDOM|HOSTNAME|UID|OLDPWD|SECONDS|BASH)"""
    r"""|\b(unset|declare|local|shopt|trap|let|history|set|alias|read|wait|mapfile|fc|source|ulimit)\b"""
)


class Index:
    """The requests of the cookbook in one shell, found by their words."""

    def __init__(self, rows: list[dict]):
        self.rows, self.stem = rows, snowballstemmer.stemmer("english").stemWord
        self.words = [self.terms(row["request"]) for row in rows]
        self.having = defaultdict(list)
        for index, words in enumerate(self.words):
            for word, count in Counter(words).items():
                self.having[word].append((index, count))
        self.mean = sum(map(len, self.words)) / max(1, len(rows))

    def terms(self, text: str) -> list[str]:
        return [self.stem(word) for word in re.split(r"[\W_]+", text.lower()) if word]

    def similar(self, row: dict, most: int) -> list[dict]:
        scores = defaultdict(float)
        for word in self.terms(row["request"]):
            having = self.having.get(word, ())
            weight = math.log1p((len(self.rows) - len(having) + 0.5) / (len(having) + 0.5))
            for index, count in having:
                long = 1 - LENGTH + LENGTH * len(self.words[index]) / self.mean
                scores[index] += weight * count * (REPEATED + 1) / (count + REPEATED * long)
        found = []
        for index, _ in sorted(scores.items(), key=lambda item: -item[1])[:64]:
            other = self.rows[index]
            is_new = all(other["command"] != known["command"] for known in found)
            if is_new and other["recipe"] not in (row["recipe"], *(known["recipe"] for known in found)):
                found.append(other)
            if len(found) == most:
                break
        return found


@functools.cache
def is_fish(line: str) -> bool:
    """Reports whether a line of bash does the same in fish, which must be installed."""
    if NOT_IN_FISH.search(line):
        return False
    done = subprocess.run(["fish", "--no-config", "--no-execute"], input=line, text=True, capture_output=True)
    return done.returncode == 0 and not done.stderr


def one_line(request: str) -> str:
    return " ".join(request.split()).lstrip("# ")


def prompt(row: dict, facts: list[str], similar: list[dict], fault: list[str] | None) -> dict:
    text = f"# {one_line(row['request'])}\n"
    for other in similar:
        text = f"# {one_line(other['request'])}\n{other['command']}\n\n{text}"
    if fault:
        text += f"{fault[0]}\n# wrong: {one_line(fault[1])}. The same, corrected:\n"
    fresh = "".join(f"# {fact}\n" for fact in facts) + text
    return {"before": [row["shell"], row["system"]], "fresh": fresh, "command": row["command"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    choice = random.Random(args.seed)
    rows = [json.loads(line) for line in args.rows.read_text().splitlines()]
    by_shell = defaultdict(list)
    for row in rows:
        # Of the files of pairs the product's index has Nushell's.
        if row["shell"] == "Nushell" or not row["recipe"].startswith("pairs/"):
            by_shell[row["shell"], row["system"]].append(row)
    indexes = defaultdict(lambda: Index([]), {key: Index(own) for key, own in by_shell.items()})
    made = Counter()
    with args.out.open("w") as out:
        for number in range(args.passes):
            for row in rows:
                is_nushell = row["shell"] == "Nushell"
                if (is_nushell or number) and (IN_NUSHELL if is_nushell else AGAIN) <= choice.random():
                    continue
                facts = row.get("facts") or []
                facts = facts if row.get("seen") or choice.random() < WITH_FACTS else []
                similar, fault = [], None
                index = indexes[row["shell"], row["system"]]
                if is_nushell:
                    if choice.random() < WITH_SIMILAR_IN_NUSHELL:
                        similar = index.similar(row, SIMILAR_IN_NUSHELL)
                elif number:
                    if row.get("wrong") and choice.random() < WITH_FAULT:
                        fault = choice.choice(row["wrong"])
                    elif choice.random() < WITH_SIMILAR:
                        similar = index.similar(row, SIMILAR)
                made["facts"] += bool(facts)
                made["similar"] += bool(similar)
                made["fault"] += bool(fault)
                made["all"] += 1
                made_prompt = prompt(row, facts, similar, fault)
                if number and row["shell"] == "bash" and row["system"] == "Linux":
                    share = choice.random()
                    if share < FOR_ZSH:
                        made_prompt["before"][0] = "zsh"
                    elif share < FOR_ZSH + FOR_FISH and is_fish(row["command"]):
                        made_prompt["before"][0] = "fish"
                out.write(json.dumps(made_prompt, ensure_ascii=False) + "\n")
    print(dict(made))


if __name__ == "__main__":
    main()
