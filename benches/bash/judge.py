"""Compares what an answer did with what the reference did, under the rules that its task names. README.md lists the rules."""

import json
import re
from itertools import zip_longest
from pathlib import PurePosixPath

from sandbox import HOME, Result

RULES = ("exact", "any-order", "files", "names", "number", "fields", "any-fields", "words", "quotes", "round", "json", "gaps", "no-case")
COLOUR = re.compile("\x1b\\[[0-9;]*[mK]")
SEPARATORS = re.compile(r"[\s,;:|=]+")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
# Lines of `ls` and `du` that name no file below the directory: the sum of the blocks, the directory itself and the one above.
NO_FILE = re.compile(r"|\.|\.\.|total \S+|d[rwxstST+.-]{9,} .* \.\.?|[\d.,]+[KMGT]? \.")


def right(task: dict, before: Result, wanted: Result, done: Result) -> tuple[bool, str]:
    """Returns true if the answer did the same as the reference; otherwise false and why."""
    if done.late:
        return False, "ran too long"
    if task["check"] in ("output", "both"):
        names = known_names(task["at"], before, done)
        if not same_output(task, names, wanted.stdout, done.stdout):
            return False, f"printed {done.stdout[:300]!r} {done.stderr[:200]!r}"
    expected, got = (changes(task, before.tree, r.tree) for r in (wanted, done))
    if expected != got:
        return False, f"changed {str(difference(expected, got))[:400]} {done.stderr[:200]!r}"
    if wanted.repository != done.repository:
        return False, "left the repository in another state"
    return True, ""


# Trees


def changes(task: dict, before: dict, after: dict) -> dict:
    """Returns the changes of the tree; None for a path that is gone."""
    found = {path: None for path in before if path not in after}
    for path, entry in after.items():
        if path not in before:
            found[path] = entry if task["modes"] else {k: v for k, v in entry.items() if k != "mode"}
        elif any(entry.get(key) != before[path].get(key) for key in ("kind", "content")):
            found[path] = entry if task["modes"] else {k: v for k, v in entry.items() if k != "mode"}
        elif entry["kind"] != "link" and entry["mode"] != before[path]["mode"]:
            found[path] = {"mode": entry["mode"]}
        elif task["times"] and entry.get("time") == "now":
            found[path] = {"time": "now"}
        elif task["times"] and entry.get("time") != before[path].get("time") and "time" in before[path]:
            found[path] = {"time": entry["time"]}
    return found


def difference(expected: dict, got: dict) -> dict:
    paths = sorted(expected.keys() | got.keys())
    return {p: (expected.get(p, "as before"), got.get(p, "as before")) for p in paths if expected.get(p, 0) != got.get(p, 0)}


# Output


def same_output(task: dict, names: set[str], wanted: str, got: str) -> bool:
    rules = task["rules"]
    if "exact" in rules:
        return wanted.rstrip("\n") == got.rstrip("\n")
    if "json" in rules:
        return same_json(values(wanted), values(got), "any-order" in rules)
    one, other = (reading(rules, names, task["at"], text) for text in (wanted, got))
    if None in (one, other):
        return False
    if "round" in rules:
        return len(one) == len(other) and all(same_numbers(a, b) for a, b in zip(one, other))
    return one == other


def reading(rules: list[str], names: set[str], place: str, text: str) -> list[str] | None:
    """Returns the lines of an output that count, in their plain form; None if the output has no such form."""
    lines = [plain(line, place) for line in COLOUR.sub("", text).splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    if "gaps" in rules:
        lines = [line for line in lines if line]
    if "quotes" in rules:
        lines = [line.replace('"', "").replace("'", "") for line in lines]
    if "no-case" in rules:
        lines = [line.lower() for line in lines]
    if "files" in rules or "names" in rules:
        lines = [named_file(line, names) for line in lines if not NO_FILE.fullmatch(line)]
    if "names" in rules:
        lines = [PurePosixPath(line).name for line in lines]
    if "fields" in rules or "any-fields" in rules:
        lines = [SEPARATORS.sub(" ", line).strip() for line in lines]
    if "any-fields" in rules:
        lines = [" ".join(sorted(line.split())) for line in lines]
    if "words" in rules:
        lines = SEPARATORS.sub(" ", " ".join(lines)).split()
    if "number" in rules:
        lines = only_number(lines)
    return sorted(lines) if lines and "any-order" in rules else lines


def plain(line: str, place: str) -> str:
    """Returns a line without needless blanks, with paths relative to the directory of the task."""
    words = [plain_path(word, place) for word in line.split()]
    return " ".join(words)


def plain_path(word: str, place: str) -> str:
    start = re.match("^[\"'(]*", word)[0]
    rest = word[len(start) :]
    for prefix in (f"{HOME}/{place}/", f"~/{place}/", "./"):
        if rest.startswith(prefix) and len(rest) > len(prefix):
            rest = rest[len(prefix) :]
    if rest in (f"{HOME}/{place}", f"{HOME}/{place}/", "./"):
        rest = "."
    return start + (rest.rstrip("/") if len(rest) > 1 else rest)


def named_file(line: str, names: set[str]) -> str:
    """Returns the known path that a line is about: the longest that is the whole line, its beginning or its end."""
    line = line.replace("'", "").replace('"', "")
    line = re.sub(" -> .*$", "", line)
    found = [n for n in names if line == n or line.endswith((" " + n, "\t" + n)) or line.startswith((n + " ", n + ":"))]
    return max(found, key=len, default=line)


def known_names(place: str, *results: Result) -> set[str]:
    """Returns all paths of the trees relative to the directory, and their last parts."""
    paths = {path.removeprefix(f"{place}/") for result in results for path in result.tree}
    return paths | {PurePosixPath(path).name for path in paths}


def only_number(lines: list[str]) -> list[str] | None:
    """Returns the single number of a single line: `7`, `7 notes.txt`, `total: 7`, `7%`."""
    words = [word.rstrip("%") for line in lines for word in SEPARATORS.split(line)]
    numbers = [word for word in words if NUMBER.fullmatch(word)]
    return numbers if len(lines) == 1 and len(numbers) == 1 else None


def same_numbers(one: str, other: str) -> bool:
    """Compares lines word by word; fractions may be rounded, but to one digit at least."""
    return all(a == b or rounded(a, b) for a, b in zip_longest(one.split(), other.split(), fillvalue=""))


def rounded(one: str, other: str) -> bool:
    if not NUMBER.fullmatch(one) or not NUMBER.fullmatch(other):
        return False
    digits = [len(n.partition(".")[2]) for n in (one, other)]
    if min(digits) == 0:
        return float(one) == float(other)
    # One unit of the last digit, because some programs cut instead of rounding.
    return abs(float(one) - float(other)) < 1.01 * 10 ** -min(digits)


def values(text: str) -> list:
    """Parses an output as JSON values; a line that is none counts as a string."""
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except ValueError:
        pass
    decoder, found, rest = json.JSONDecoder(), [], text.strip()
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
            if rest[end:] and rest[end] not in " \n\t":
                raise ValueError("a word that begins like a value")
        except ValueError:
            line = rest.splitlines()[0]
            value, end = line.strip(), len(line)
        found.append(value)
        rest = rest[end:].strip()
    return found


def same_json(one: list, other: list, any_order: bool) -> bool:
    forms = ([json.dumps(v, sort_keys=True) for v in some] for some in (one, other))
    first, second = (sorted(f) if any_order else f for f in forms)
    return first == second
