#!/usr/bin/env python3
"""Turns the cookbook into training rows.

    rows.py --out rows.jsonl [--shells bash,fish,nu] [--per-recipe N] [--per-file N] [--seed N] [--watch-out watch.jsonl]

A row is one wording of a request and the line of one shell: {"shell", "request", "command", "recipe"}. Every 32nd recipe, chosen by a
hash of its group and first request, goes to the watched rows, which are never trained on; both members of a pair go the same way.
"""

import argparse
import hashlib
import json
import random
import tomllib
from collections import Counter
from pathlib import Path

COOKBOOK = Path(__file__).resolve().parent.parent / "cookbook"
WATCHED = 32


def watched(name: str) -> bool:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % WATCHED == 0


def rows(shells: list[str], most: int, seed: int):
    """Yields (whether the recipe is watched, row), with at most so many wordings of a recipe, chosen at random."""
    choice = random.Random(seed)
    for path in sorted(COOKBOOK.glob("*.toml")):
        for group, recipes in tomllib.loads(path.read_text())["recipes"].items():
            for recipe in recipes:
                name = f"{path.stem}/{group}/{recipe.get('pair') or recipe['requests'][0]}"
                for shell in shells:
                    command, requests = recipe.get(shell), recipe["requests"]
                    for request in choice.sample(requests, min(most, len(requests))) if command else []:
                        yield watched(name), {"shell": shell, "request": request, "command": command.strip(), "recipe": name}


def thinned(found: list, most: int, seed: int) -> list:
    """Keeps about `most` rows of each file, chosen at random."""
    counts, choice = Counter(row["recipe"].split("/")[0] for _, row in found), random.Random(seed)
    names = sorted({row["recipe"] for _, row in found})
    kept = {name for name in names if choice.random() * counts[name.split("/")[0]] < most}
    return [(is_watched, row) for is_watched, row in found if row["recipe"] in kept]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--watch-out", type=Path)
    parser.add_argument("--shells", default="bash,fish,nu")
    parser.add_argument("--per-recipe", type=int, default=99, help="most wordings of a recipe")
    parser.add_argument("--per-file", type=int, default=99_999, help="about so many rows of a file; both recipes of a pair stay or go")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found = list(rows(args.shells.split(","), args.per_recipe, args.seed))
    found = thinned(found, args.per_file, args.seed)
    for path, wanted in ((args.out, False), (args.watch_out, True)):
        if path:
            kept = [row for is_watched, row in found if is_watched == wanted]
            path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept))
            print(f"{path}: {len(kept)} rows, {sum(len(r['command']) for r in kept)} characters of commands")


if __name__ == "__main__":
    main()
