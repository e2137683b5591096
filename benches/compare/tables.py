"""Prints the results of `run` as Markdown tables."""

import math
from collections.abc import Callable

NAMES = {
    "askline": "askline",
    "server": "llama.cpp's server, bare prompt",
    "aichat": "aichat, same server",
}
# Names of the parts of an answer, and how to find them in it.
STAGES: dict[str, dict[str, Callable[[dict], float]]] = {
    "askline": {
        "starting and ending": lambda one: one["wall"] - one["stages"]["total"],
        "looking at the machine": lambda one: one["stages"]["context"] + one["stages"]["retrieve"],
        "the model": lambda one: one["stages"]["model"],
        "checks": lambda one: one["stages"]["check"],
    },
    "server": {
        "the prompt": lambda one: one["stages"]["prompt"],
        "writing": lambda one: one["stages"]["write"],
        "the rest": lambda one: one["wall"] - one["stages"]["prompt"] - one["stages"]["write"],
    },
    "aichat": {},
}


def markdown(result: dict) -> str:
    parts = [heading(result), requests(result)]
    if result["cold"]:
        parts.append(cold(result["cold"]))
    if result["presses"]:
        parts.append(presses(result["presses"]))
    if result["memory"]:
        parts.append(memory(result["memory"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def heading(result: dict) -> str:
    machine = result["machine"]
    state = "one core busy with something else" if result["busy"] else f"load before it {machine['load_before']:.1f}"
    done = len(result["rounds"])
    of = "" if done == result["requests"] else f" of {result['requests']}"
    end = "" if result["complete"] else "; it did not come to its end"
    others = ", ".join(result[name] for name in ("server", "aichat") if name in result)
    return (
        f"### {result['model']['file']}, {state}\n\n"
        f"{done}{of} requests on {machine['cores']} cores ({machine['processor']}), {result['threads']} threads of the "
        f"model; {result['askline']}; {others}; {result['when']}{end}"
    )


def requests(result: dict) -> str:
    rounds = result["rounds"]
    if not rounds:
        return ""
    rows = []
    names = [name for name in NAMES if name in rounds[0]]
    for name in names:
        answers = [one[name] for one in rounds]
        good = [one for one in answers if one["error"] is None]
        first = sum(fastest(one, names) == name for one in rounds)
        share = f"{first / len(rounds):.0%}"
        rows.append([NAMES[name], *spread([one["wall"] for one in good]), share, f"{len(good)}/{len(answers)}"])
        for stage, part in STAGES[name].items():
            values = [part(one) for one in good if one.get("stages")]
            rows.append([f"&nbsp;&nbsp;{stage}", *spread(values), "", ""])
    return table(["milliseconds", "p50", "p95", "first in", "answered"], rows)


def fastest(one: dict, names: list[str]) -> str | None:
    """Returns the first program to answer a request; None if all failed."""
    answered = [name for name in names if one[name]["error"] is None]
    return min(answered, key=lambda name: one[name]["wall"], default=None)


def cold(trials: list[dict]) -> str:
    good = [one for one in trials if one["first"]["error"] is None and one["warm"]["error"] is None]
    first = [one["first"]["wall"] for one in good]
    above = [one["first"]["wall"] - one["warm"]["wall"] for one in good]
    rows = [
        ["first press of a new resident process, its file in memory", *spread(first), str(len(good))],
        ["above the same press warm", *spread(above), str(len(good))],
    ]
    return table(["milliseconds", "p50", "p95", "presses"], rows)


def presses(found: list[dict]) -> str:
    kinds = [
        ("a slip put right, no model asked", lambda one: one["kind"] == "repair" and not one["first"]),
        ("the same, program looked up for the first time", lambda one: one["kind"] == "repair" and one["first"]),
        ("the key again: the next suggestion", lambda one: one["kind"] == "cycle"),
        ("Esc until the process has ended", lambda one: one.get("key") == "Esc"),
        ("Ctrl-C until the process has ended", lambda one: one.get("key") == "Ctrl-C"),
    ]
    rows = []
    for text, is_it in kinds:
        values = [one["ms"] for one in found if is_it(one)]
        most = f"{max(values):.1f}" if values else "–"
        rows.append([text, *spread(values), most, str(len(values))])
    notes = [f"* {one['text']}" for one in found if one["kind"] == "note"]
    return "\n\n".join([table(["milliseconds", "p50", "p95", "most", "presses"], rows), "\n".join(notes)]).strip()


def memory(measured: dict) -> str:
    rows = [[name, f"{one['mapped'] / 1e6:.0f}", f"{one['own'] / 1e6:.0f}"] for name, one in measured.items()]
    return table(["memory, MB", "mapped files", "its own"], rows)


def spread(values: list[float]) -> list[str]:
    return [figure(percentile(values, share)) for share in (0.5, 0.95)]


def percentile(values: list[float], share: float) -> float | None:
    """Returns a quantile: the smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if 100 <= abs(value) else f"{value:.1f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
