#!/usr/bin/env python3
"""Trains a LoRA adapter for a Qwen2 GGUF on a plain CPU, and writes it as a GGUF that llama.cpp loads. README.md says how to use it.

    train.py --model MODEL.gguf --rows rows.jsonl --out adapter.gguf --state DIRECTORY [options]

The quantised weights are dequantised and frozen, so the adapter is trained against the weights that people run. Rows of one shell are
packed one after another, `# request\\ncommand\\n\\n`, as solved requests are in the prompt; only the tokens of commands count, and only
their positions go through the output matrix. The state is saved in DIRECTORY every ten minutes and at the end; a run with the same
options goes on from there.
"""

import argparse
import hashlib
import json
import math
import os
import random
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from qwen2 import Adapter, Qwen2

# The line at the start of a prompt (`fixed` in `crates/model/src/prompt.rs`), by the shell of the rows.
HEAD = "# One-line {} commands for Linux.\n\n"
LANGUAGES = {"bash": "bash", "fish": "fish", "nu": "Nushell"}
ROW_TOKENS_MAX = 200
SAVE_S = 600
# Options that may differ when a run goes on.
FREE = ("out", "state", "minutes", "watch", "rows", "strength")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--watch", help="rows whose loss is logged at every save")
    parser.add_argument("--out", required=True)
    parser.add_argument("--state", required=True, type=Path)
    parser.add_argument("--start", help="adapter to go on from, in place of a new one")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--alpha", type=float, default=16)
    parser.add_argument("--length", type=int, default=512, help="tokens of a sequence")
    parser.add_argument("--batch", type=int, default=2, help="sequences of a step")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--frozen", type=int, default=0, help="layers from the bottom without adapter and backward pass")
    parser.add_argument("--near", type=float, default=0, help="weight of the divergence from the model without adapter")
    parser.add_argument("--head", action="store_true", help="begin each sequence with the line about its shell, as prompts do")
    parser.add_argument("--strength", type=float, default=1, help="share of the trained change that the written adapter makes")
    parser.add_argument("--minutes", type=float, default=math.inf, help="save and stop after this long")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def log(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


# Rows


def read_rows(path: str) -> list[dict]:
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def packed(rows: list[dict], model: Qwen2, args) -> list[tuple[list[int], list[bool]]]:
    """Packs rows into sequences of (token ids, whether each counts); a sequence has rows of one shell, so its rows show the shell."""
    sequences, open_ones = [], {}

    def begun(shell):
        head = model.encode(HEAD.format(LANGUAGES[shell])) if args.head else []
        return list(head), [False] * len(head)

    for row in rows:
        request = model.encode("# " + row["request"].replace("\n", " ") + "\n")
        command = model.encode(row["command"] + "\n\n")
        if len(request) + len(command) > ROW_TOKENS_MAX:
            continue
        shell = row.get("shell", "bash")
        ids, counted = open_ones.setdefault(shell, begun(shell))
        if len(ids) + len(request) + len(command) > args.length + 1:
            sequences.append((ids, counted))
            ids, counted = open_ones[shell] = begun(shell)
        ids += request + command
        counted += [False] * len(request) + [True] * len(command)
    return sequences + [s for s in open_ones.values() if any(s[1])]


def schedule_of(rows: list[dict], model: Qwen2, args) -> list:
    """Returns the sequences of all epochs, each epoch in an order of its own."""
    shuffle, sequences = random.Random(args.seed), []
    for _ in range(args.epochs):
        shuffle.shuffle(rows)
        epoch = packed(rows, model, args)
        shuffle.shuffle(epoch)
        sequences += epoch
    return sequences


def loss(model: Qwen2, adapter: Adapter, sequences: list, args) -> torch.Tensor:
    """Returns the mean negative log likelihood of the tokens that count, and `near` times the divergence from the frozen model."""
    longest = max(len(ids) for ids, _ in sequences)
    ids, counts = torch.zeros(len(sequences), longest, dtype=torch.long), torch.zeros(len(sequences), longest, dtype=torch.bool)
    for row, (own, counted) in enumerate(sequences):
        ids[row, : len(own)], counts[row, : len(own)] = torch.tensor(own), torch.tensor(counted)
    places, wanted = counts[:, 1:], ids[:, 1:][counts[:, 1:]]
    logits = model.logits(model.forward(ids[:, :-1], adapter, args.frozen)[places])
    value = F.cross_entropy(logits, wanted)
    if args.near and torch.is_grad_enabled():
        with torch.no_grad():
            before = model.logits(model.forward(ids[:, :-1], None)[places]).log_softmax(-1)
        value = value + args.near * F.kl_div(logits.log_softmax(-1), before, log_target=True, reduction="batchmean")
    return value


# Saved state


def state_file(args) -> Path:
    options = {key: str(value) for key, value in vars(args).items() if key not in FREE}
    options["rows"] = hashlib.sha256(Path(args.rows).read_bytes()).hexdigest()
    return args.state / (hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16] + ".pt")


def save(path: Path, adapter: Adapter, optimizer, step: int):
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    torch.save({"step": step, "parts": adapter.parts, "optimizer": optimizer.state_dict()}, partial)
    os.replace(partial, path)


def restored(path: Path, adapter: Adapter, optimizer) -> int:
    """Takes over a saved run if there is one; returns the number of done steps."""
    if not path.exists():
        return 0
    saved = torch.load(path)
    with torch.no_grad():
        for key, pair in saved["parts"].items():
            for own, part in zip(adapter.parts[key], pair):
                own.copy_(part)
    optimizer.load_state_dict(saved["optimizer"])
    return saved["step"]


def rate_at(step: int, steps: int, rate: float) -> float:
    """Returns the learning rate of a step: a short warm-up, then a cosine to a tenth."""
    warm = max(1, steps // 20)
    if step < warm:
        return rate * (step + 1) / warm
    return rate * (0.1 + 0.9 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm))) / 2)


def main():
    args = parsed()
    torch.manual_seed(args.seed)
    model = Qwen2(args.model)
    sequences = schedule_of(read_rows(args.rows), model, args)
    watched = packed(read_rows(args.watch), model, args) if args.watch else []
    steps = math.ceil(len(sequences) / args.batch)
    log(f"{len(sequences)} sequences, {sum(sum(c) for _, c in sequences)} tokens count; {len(watched)} sequences are watched")
    if args.start:
        adapter = Adapter.read(args.start).trainable()
    else:
        adapter = Adapter.new(model, args.rank, args.alpha, args.frozen, args.seed)
    optimizer = torch.optim.AdamW(adapter.parameters(), lr=args.rate, weight_decay=0)
    path = state_file(args)
    first = restored(path, adapter, optimizer)

    def report(step):
        with torch.no_grad():
            values = [float(loss(model, adapter, [sequence], args)) for sequence in watched]
        if values:
            log(f"step {step} of {steps}, watched loss {sum(values) / len(values):.4f}")

    report(first)
    started = saved = time.time()
    mean, tokens = None, 0
    for step in range(first, steps):
        batch = sequences[step * args.batch : (step + 1) * args.batch]
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, args.rate)
        value = loss(model, adapter, batch, args)
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(adapter.parameters(), 1)
        optimizer.step()
        value = float(value.detach())
        mean = value if mean is None else 0.95 * mean + 0.05 * value
        tokens += sum(len(ids) for ids, _ in batch)
        now = time.time()
        if step % 10 == 0:
            log(f"step {step} of {steps}, loss {value:.3f} mean {mean:.3f} {tokens / (now - started):.0f} tokens/s")
        if now - saved > SAVE_S or step + 1 == steps or now - started > 60 * args.minutes:
            save(path, adapter, optimizer, step + 1)
            adapter.write(args.out, args.strength)
            report(step + 1)
            saved = time.time()
        if now - started > 60 * args.minutes:
            break
    adapter.write(args.out, args.strength)
    log("wrote", args.out)


if __name__ == "__main__":
    main()
