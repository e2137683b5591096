#!/usr/bin/env python3
"""Turns the cookbook, files of pairs and the requests that no command does into training rows.

    rows.py --out rows.jsonl [--pairs FILE.txt …] [--faults FILE] [--watch-out watch.jsonl] [--dev FILE]

A row is one wording of a request and the line of one shell:

    {"shell", "system", "request", "command", "recipe", "facts": [TEXT, …], "wrong": [[LINE, FAULT], …]}

`facts` are the lines that the product shows about a table or JSON file that the request names, or of what an investigation saw (then
`seen` is true), `wrong` are lines with the fault that the product finds in them (`--faults` has both, as `rows --show` of `crates/intent/examples` prints them). Every 32nd recipe,
chosen by a hash of its group and first request, goes to the watched rows, which are never trained on; both members of a pair go the
same way; of pairs, one run of twelve blocks in 32. A watched request is never trained on, its line may be. Rows near a task of a bench are left out by the rule of `cookbook/check`.

The cookbook's README describes the files of pairs.
"""

import argparse
import hashlib
import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COOKBOOK = ROOT / "cookbook"
sys.path.insert(0, str(COOKBOOK))
sys.dont_write_bytecode = True
from machines import PAIRS  # noqa: E402

WATCHED = 32
# Shells of the rows: key of a recipe, name of the shell's language, name of the system.
READERS = {
    "bash": ("bash", "Linux"),
    "fish": ("fish", "Linux"),
    "nu": ("Nushell", "Linux"),
    "macos": ("zsh", "macOS"),
    "busybox": ("bash", "Linux with BusyBox"),
}
# Directories of pairs whose names are not part of the recipes' names.
OLDER = {"pairs", "blind", "people"}
# As in `src/looks/named.rs` and `crates/model/src/prompt/prompt_context.rs`.
STEM_CHARS_MIN, FILES_MAX, DEPTH_MAX, KEYS_MAX, TEXT_CHARS_MAX, CONTENT_CHARS_MAX = 4, 2, 4, 8, 20, 160
TABLES, JSON, JSON_LINES = {"csv", "tsv"}, {"json"}, {"jsonl", "ndjson"}


def is_watched(name: str) -> bool:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % WATCHED == 0


# Facts about files


def shape(value, depth: int = 0) -> str:
    """Returns a JSON value as the product shows it, with the first element of each list."""
    if isinstance(value, list):
        if not value:
            return "[]"
        return "[…]" if depth == DEPTH_MAX else f"[{shape(value[0], depth + 1)}{', …' if len(value) > 1 else ''}]"
    if isinstance(value, dict):
        if depth == DEPTH_MAX:
            return "{…}"
        parts = [f"{key}: {shape(value[key], depth + 1)}" for key in sorted(value)[:KEYS_MAX]]
        return "{" + ", ".join(parts + ["…"] * (KEYS_MAX < len(value))) + "}"
    if isinstance(value, str):
        return "'…'" if TEXT_CHARS_MAX < len(value) else "'" + re.sub("[\n']", " ", value) + "'"
    return json.dumps(value)


def quoted(value: str) -> str:
    value = value.rstrip()
    short = value if len(value) <= CONTENT_CHARS_MAX else value[:CONTENT_CHARS_MAX] + "…"
    return json.dumps(short, ensure_ascii=False)


def fact(name: str, text: str) -> str | None:
    """Returns the line about a file; `None` if its text is not what its name says."""
    ending = name.rpartition(".")[2].lower()
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        if ending in TABLES and lines:
            values = lines[:2]
        elif ending in JSON:
            values = [shape(json.loads(text))]
        elif ending in JSON_LINES and lines:
            values = ["each line " + shape(json.loads(lines[0]))]
        else:
            return None
    except ValueError:
        return None
    return f"{name}: " + ", ".join(map(quoted, values))


class Place:
    """The tables and JSON files of a place of the cookbook, by name."""

    def __init__(self, script: str):
        self.facts: dict[str, str] = {}
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run(["bash", "-c", script], cwd=scratch, capture_output=True, timeout=60)
            for path in sorted(Path(scratch).iterdir()):
                ending = path.suffix[1:].lower()
                if path.is_file() and not path.name.startswith(".") and ending in TABLES | JSON | JSON_LINES:
                    if line := fact(path.name, path.read_text(errors="replace")):
                        self.facts[path.name] = line

    def about(self, request: str) -> list[str]:
        """Returns the lines about the files that a request names, with their endings or, if no file is named so, without."""
        words = request.replace("'", " ").replace('"', " ").split()
        names = [word.strip("`,;:!?()").rstrip(".") for word in words]
        if any(re.search(r"\.[A-Za-z]\w{0,5}$", name) for name in names):
            return [self.facts[name] for name in dict.fromkeys(names) if name in self.facts][:FILES_MAX]
        said = {singular(word) for word in re.split(r"\W+", request.lower())}
        if said & {"file", "folder", "directory", "dir", "log", "process", "photo", "image"}:
            return []
        found = []
        for name, line in self.facts.items():
            stem = name.rpartition(".")[0]
            if STEM_CHARS_MIN <= len(stem) and all(singular(part) in said for part in re.split(r"[\W_]+", stem) if part):
                found.append(line)
        return found[:FILES_MAX]


def singular(word: str) -> str:
    word = word.lower()
    return word[:-1] if word.endswith("s") and 3 < len(word) else word


# Rows


def read_faults(path: Path | None) -> dict[tuple[str, str], list]:
    """Returns the wrong lines and their faults by request and right line."""
    faults, key = defaultdict(list), None
    for line in path.read_text().split("\n") if path else []:
        if line.startswith("NOTICED\t"):
            _, request, wrong, right = line.split("\t", 3)
            key = (request, right.strip()), wrong
        elif line.startswith("\t") and key:
            faults[key[0]].append([key[1], re.sub(r" \[.*?\]$", "", line.strip().split(" ", 1)[1])])
            key = None
        else:
            key = None
    return faults


def of_cookbook(faults):
    """Yields (whether the recipe is watched, row)."""
    for path in sorted(COOKBOOK.glob("*.toml")):
        book = tomllib.loads(path.read_text())
        places = {name: Place(script) for name, script in book.get("places", {}).items()}
        for group, recipes in book["recipes"].items():
            for recipe in recipes:
                name = f"{path.stem}/{group}/{recipe.get('pair') or recipe['requests'][0]}"
                own = f"{path.stem}/{group}/{recipe['requests'][0]}"
                place = places.get(recipe.get("at"))
                for key, (shell, system) in READERS.items():
                    for request in recipe["requests"] if recipe.get(key) else []:
                        command = recipe[key].strip()
                        row = {"shell": shell, "system": system, "request": request, "command": command, "recipe": own}
                        if shell != "Nushell":
                            row["facts"] = place.about(request) if place else []
                            row["wrong"] = faults.get((request, command), [])
                        yield is_watched(name), row


def of_pairs(path: Path):
    """Yields (whether the block is watched, row). Twelve blocks in a row, about three families, are watched or not as one."""
    folder = path.parent.name
    (shell, system), part = READERS[PAIRS.get(folder, "bash")], path.stem if folder in OLDER else f"{folder}/{path.stem}"
    for number, block in enumerate(re.split(r"\n\s*\n", path.read_text())):
        lines = [line for line in block.split("\n") if line[:2] in ("? ", "$ ", "@ ", "% ")]
        commands = [line[2:].strip() for line in lines if line[0] == "$"]
        if len(commands) != 1:
            continue
        facts = []
        for line in lines:
            name, _, text = line[2:].partition(": ")
            if line[0] == "@":
                ending = name.rpartition(".")[2].lower()
                facts.append(fact(name.strip(), text.replace(" | ", "\n") if ending in TABLES else text))
            elif line[0] == "%":
                # As `seen` in `src/investigate.rs` and the prompt's facts write it.
                facts.append(f"{name}: " + ", ".join(json.dumps(item, ensure_ascii=False) for item in text.split(" | ")))
        for line in lines:
            if line[0] == "?":
                row = {"shell": shell, "system": system, "request": line[2:].strip(), "command": commands[0]}
                row["recipe"] = f"pairs/{part}/{number}"
                if shell != "Nushell":
                    row |= {"facts": [f for f in facts if f], "wrong": [], "seen": any(line[0] == "%" for line in lines)}
                yield is_watched(f"{part}/{number // 12}"), row


def tasks_of_benches(dev: Path | None):
    """Returns a function that reports whether a row is near a task of a bench, by the rule of `cookbook/check`."""
    loader = importlib.machinery.SourceFileLoader("check", str(COOKBOOK / "check"))
    check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
    sys.modules["check"] = check
    loader.exec_module(check)
    requests, lines = check.bench_tasks(dev)
    having = defaultdict(list)
    for index, task in enumerate(requests):
        for word in task:
            having[word].append(index)

    def is_near(row: dict) -> bool:
        own, common = set(check.words(row["request"])), defaultdict(int)
        for word in own:
            for index in having[word]:
                common[index] += 1
        near = any(n >= check.NEAR * len(own | requests[index]) for index, n in common.items())
        return near or check.same_form(row["command"]) in lines

    return is_near


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--watch-out", type=Path)
    parser.add_argument("--pairs", nargs="*", type=Path, default=[])
    parser.add_argument("--faults", type=Path)
    parser.add_argument("--dev", type=Path, help="tasks of the accuracy bench, for `cookbook/check`'s rule")
    args = parser.parse_args()
    is_near = tasks_of_benches(args.dev)
    found = list(of_cookbook(read_faults(args.faults)))
    for path in args.pairs:
        found += of_pairs(path)
    kept, seen = [], set()
    for watched, row in found:
        key = row["shell"], row["system"], row["request"].lower(), row["command"]
        # Bash lines of the cookbook are no nearer than `check` allows, but pairs and other shells may be.
        if key not in seen and not is_near(row):
            seen.add(key)
            kept.append((watched, row))
    print(f"{len(found)} rows, {len(kept)} kept")
    for path, wanted in ((args.out, False), (args.watch_out, True)):
        if path:
            rows = [row for watched, row in kept if watched == wanted]
            path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
            facts, faults = (sum(bool(row.get(key)) for row in rows) for key in ("facts", "wrong"))
            print(f"{path}: {len(rows)} rows, {facts} with facts, {faults} with faults of wrong lines")


if __name__ == "__main__":
    main()
