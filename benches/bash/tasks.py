"""The tasks as data. README.md explains the keys."""

import hashlib
import tomllib
from pathlib import Path

import fixture
from judge import RULES

FOLDER = Path(__file__).resolve().parent / "tasks"
CHECKS = ("output", "files", "both")
KEYS = {"id", "at", "request", "reference", "accept", "wrong", "rules", "check", "modes", "times"}
# The file of the requests that turn on one condition; each of its tasks needs a wrong answer.
CONDITIONS = "conditions"


def read_tasks() -> list[dict]:
    tasks = []
    for path in sorted(FOLDER.glob("*.toml")):
        for name, some in tomllib.loads(path.read_text()).items():
            for task in some:
                tasks.append(with_defaults(task, name, path.stem == CONDITIONS))
    for task in tasks:
        faults = fault(task)
        assert not faults, f"{task['id']}: {faults}"
    for key in ("id", "request"):
        assert len({t[key] for t in tasks}) == len(tasks), f"two tasks have the same {key}"
    return tasks


def with_defaults(task: dict, name: str, condition: bool) -> dict:
    empty = {"accept": [], "wrong": [], "rules": [], "check": "output", "modes": False, "times": False}
    return empty | task | {"class": name, "condition": condition, "split": split_of(task["request"])}


def fault(task: dict) -> str:
    """Returns what is wrong with a task; an empty text if nothing is."""
    unknown = task.keys() - KEYS - {"class", "condition", "split"}
    if unknown or not {"id", "at", "request", "reference"} <= task.keys():
        return f"keys {sorted(unknown)}"
    if task["at"] not in fixture.PLACES or task["check"] not in CHECKS or not set(task["rules"]) <= set(RULES):
        return "an unknown place, check or rule"
    return "a condition without a wrong answer" if task["condition"] and not task["wrong"] else ""


def split_of(request: str) -> str:
    """Returns the split of a task by a hash of its request: it is not a choice, and new tasks move no old one."""
    return "held" if hashlib.sha256(request.encode()).digest()[0] % 2 else "dev"
