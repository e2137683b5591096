#!/usr/bin/env python3
"""Asks a model for the lines of many requests at once: greedy answers after the solved requests of the product, nothing checked or repaired.

    draft.py --model MODEL.gguf [--adapter ADAPTER.gguf [--strength S]] --requests REQUESTS.jsonl --out ANSWERS.jsonl [--shell bash]

A request is {"id", "request"}, an answer {"id", "command", "certainty"}. Answers that the file already has are not asked for again.
"""

import argparse
import json
import sys
import time
import tomllib
from pathlib import Path

from qwen2 import Adapter, Drafter, Qwen2

PROMPT = Path(__file__).resolve().parent.parent / "crates/model/src/prompt"
LANGUAGES = {"bash": "bash", "fish": "fish", "nu": "Nushell"}
TOKENS_MAX = 96


def fixed(shell: str) -> str:
    """Returns the fixed part of the prompt, as `fixed` in `crates/model/src/prompt.rs`."""
    own = tomllib.loads((PROMPT / f"solved-{shell}.toml").read_text())
    rows = own["solved"]
    if shell == "fish":
        instead = {row["request"]: row["command"] for row in own.get("instead", [])}
        base = tomllib.loads((PROMPT / "solved-bash.toml").read_text())["solved"]
        rows = [row | {"command": instead.get(row["request"], row["command"])} for row in base] + rows
    head = f"# One-line {LANGUAGES[shell]} commands for Linux.\n\n"
    return head + "".join(f"# {row['request']}\n{row['command']}\n\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--adapter")
    parser.add_argument("--strength", type=float, default=1)
    parser.add_argument("--requests", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--shell", default="bash", choices=LANGUAGES)
    parser.add_argument("--batch", type=int, default=48)
    args = parser.parse_args()
    known = {json.loads(line)["id"] for line in args.out.read_text().splitlines()} if args.out.exists() else set()
    rows = [row for row in map(json.loads, args.requests.read_text().splitlines()) if row["id"] not in known]
    # Requests of one length need no padding.
    rows.sort(key=lambda row: len(row["request"]))
    model = Qwen2(args.model)
    drafter = Drafter(model, fixed(args.shell), Adapter.read(args.adapter, args.strength) if args.adapter else None)
    begun = time.time()
    with args.out.open("a") as out:
        for first in range(0, len(rows), args.batch):
            batch = rows[first : first + args.batch]
            texts = [f"# {row['request']}\n" for row in batch]
            for row, (command, certainty) in zip(batch, drafter.answers(texts, TOKENS_MAX)):
                out.write(json.dumps({"id": row["id"], "command": command, "certainty": round(certainty, 4)}, ensure_ascii=False) + "\n")
            out.flush()
            print(f"{first + len(batch)} of {len(rows)}, {time.time() - begun:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
