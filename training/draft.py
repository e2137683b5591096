#!/usr/bin/env python3
"""Asks a model for the lines of many requests at once: greedy answers after the solved requests of the product, nothing checked or repaired.

    draft.py --model MODEL.gguf [--adapter ADAPTER.gguf [--strength S]] --requests REQUESTS.jsonl --out ANSWERS.jsonl [--shell bash]

A request is {"id", "request"}, or {"id", "fresh"} with the whole text behind the fixed part; an answer {"id", "command", "certainty"}. Answers that the file already has are not asked for again.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import torch
from fixed import fixed
from qwen2 import Adapter, Drafter, Qwen2

LANGUAGES = {"bash": "bash", "zsh": "zsh", "fish": "fish", "nu": "Nushell"}
TOKENS_MAX = 96


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--adapter")
    parser.add_argument("--strength", type=float, default=1)
    parser.add_argument("--requests", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--shell", default="bash", choices=LANGUAGES)
    parser.add_argument("--system", default="Linux")
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    known = {json.loads(line)["id"] for line in args.out.read_text().splitlines()} if args.out.exists() else set()
    rows = [row for row in map(json.loads, args.requests.read_text().splitlines()) if row["id"] not in known]
    # Requests of one length need no padding.
    texts = {row["id"]: row.get("fresh") or f"# {row['request']}\n" for row in rows}
    rows.sort(key=lambda row: len(texts[row["id"]]))
    model = Qwen2(args.model, args.device)
    adapter = Adapter.read(args.adapter, args.strength).on(model.device) if args.adapter else None
    drafter = Drafter(model, fixed(LANGUAGES[args.shell], args.system), adapter)
    begun = time.time()
    with args.out.open("a") as out:
        for first in range(0, len(rows), args.batch):
            batch = rows[first : first + args.batch]
            answers = drafter.answers([texts[row["id"]] for row in batch], TOKENS_MAX)
            for row, (command, certainty) in zip(batch, answers):
                out.write(json.dumps({"id": row["id"], "command": command, "certainty": round(certainty, 4)}, ensure_ascii=False) + "\n")
            out.flush()
            print(f"{first + len(batch)} of {len(rows)}, {time.time() - begun:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
