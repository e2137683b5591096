#!/usr/bin/env python3
"""Trains a LoRA adapter for a Qwen2 GGUF, on a GPU or a plain CPU, and writes it as a GGUF that llama.cpp loads. README.md says how to use it.

    train.py --model MODEL.gguf --prompts prompts.jsonl --out adapter.gguf --state DIRECTORY [options]

The quantised weights are dequantised and frozen, so the adapter is trained against the weights that people run. Each prompt is
`{"before", "fresh", "command"}` (`prompts.py`): the model sees the fixed part of the product's prompt for `before`, then `fresh`, and is
trained on the tokens of the command. Prompts are packed into sequences; each sees only the fixed part and itself, at the places that
it has in the product. The state is saved in DIRECTORY every ten minutes and at the end; a run with the same options goes on from there.
"""

import argparse
import functools
import hashlib
import json
import math
import os
import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import torch
from fixed import fixed
from qwen2 import Adapter, Qwen2

PROMPT_TOKENS_MAX = 600
SAVE_S = 600
# Options that may differ when a run goes on.
FREE = ("out", "state", "minutes", "watch", "prompts", "strength", "device")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--prompts", required=True)
    parser.add_argument("--watch", help="prompts whose loss is logged at every save")
    parser.add_argument("--out", required=True)
    parser.add_argument("--state", required=True, type=Path)
    parser.add_argument("--start", help="adapter to go on from, in place of a new one")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--alpha", type=float, default=16)
    parser.add_argument("--length", type=int, default=2048, help="tokens of a sequence, besides the fixed part")
    parser.add_argument("--batch", type=int, default=2, help="sequences of a step")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--frozen", type=int, default=0, help="layers from the bottom without adapter and backward pass")
    parser.add_argument("--begin-every", type=int, default=0, metavar="STEPS", help="keep the fixed part for so many steps, without gradient; 0: never")
    parser.add_argument("--strength", type=float, default=1, help="share of the trained change that the written adapter makes")
    parser.add_argument("--minutes", type=float, default=math.inf, help="save and stop after this long")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def log(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


# Prompts


@dataclass
class Sequence:
    """Prompts with the same fixed part, one after another."""

    before: tuple[str, str]
    ids: list[int] = field(default_factory=list)
    # For each token: its place in its prompt, the number of the prompt, and whether the next token counts.
    places: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    counts: list[bool] = field(default_factory=list)

    def add(self, fresh: list[int], command: list[int]):
        owner = self.owners[-1] + 1 if self.owners else 0
        n = len(fresh) + len(command)
        self.ids += fresh + command
        self.places += range(n)
        self.owners += [owner] * n
        self.counts += [False] * (len(fresh) - 1) + [True] * len(command) + [False]


def read_prompts(path: str) -> list[dict]:
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def packed(prompts: list[dict], model: Qwen2, args) -> list[Sequence]:
    sequences, open_ones = [], {}
    for prompt in prompts:
        fresh, command = model.encode(prompt["fresh"]), model.encode(prompt["command"] + "\n\n")
        n = len(fresh) + len(command)
        if PROMPT_TOKENS_MAX < n:
            log(f"left out, {n} tokens: {prompt['command'][:60]}")
            continue
        before = tuple(prompt["before"])
        sequence = open_ones.setdefault(before, Sequence(before))
        if args.length < len(sequence.ids) + n:
            sequences.append(sequence)
            sequence = open_ones[before] = Sequence(before)
        sequence.add(fresh, command)
    return sequences + [sequence for sequence in open_ones.values() if sequence.ids]


def schedule_of(prompts: list[dict], model: Qwen2, args) -> list[list[Sequence]]:
    """Returns the steps of all epochs, each epoch in an order of its own; the sequences of a step have the same fixed part."""
    shuffle, steps = random.Random(args.seed), []
    for _ in range(args.epochs):
        shuffle.shuffle(prompts)
        epoch, by_before = [], defaultdict(list)
        for sequence in packed(prompts, model, args):
            by_before[sequence.before].append(sequence)
        for own in by_before.values():
            epoch += [own[first : first + args.batch] for first in range(0, len(own), args.batch)]
        shuffle.shuffle(epoch)
        steps += epoch
    return steps


class Beginnings:
    """Keys and values of the fixed parts. With `--begin-every` they are kept for some steps and have no gradient, which saves about a
    quarter of the time on a CPU: the adapter changes little in a few steps."""

    def __init__(self, model: Qwen2, adapter: Adapter, args):
        self.model, self.adapter, self.args, self.kept = model, adapter, args, {}

    def of(self, before: tuple[str, str], step: int) -> list[tuple]:
        every, ids = self.args.begin_every, begin_ids(self.model, before)
        if not every:
            return self.model.begin(ids, self.adapter, self.args.frozen)
        if before not in self.kept or self.kept[before][0] + every <= step:
            with torch.no_grad():
                self.kept[before] = step, self.model.begin(ids, self.adapter)
        return self.kept[before][1]


def loss(model: Qwen2, adapter: Adapter, sequences: list[Sequence], begun: list[tuple], frozen: int) -> torch.Tensor:
    """Returns the mean negative log likelihood of the tokens that count, behind what `Beginnings` returned."""
    longest = max(len(sequence.ids) for sequence in sequences)

    def table(name, filler):
        rows = [getattr(s, name) + [filler] * (longest - len(s.ids)) for s in sequences]
        return torch.tensor(rows, device=model.device)

    ids, places, owners, counts = table("ids", 0), table("places", 0), table("owners", -1), table("counts", False)
    earlier = torch.ones(longest, longest, dtype=torch.bool, device=model.device).tril()
    seen = (owners[:, :, None] == owners[:, None]) & earlier
    states = model.forward(ids, places, seen, begun, adapter, frozen)
    return model.loss(states[:, :-1][counts[:, :-1]], ids[:, 1:][counts[:, :-1]])


@functools.cache
def begin_ids(model: Qwen2, before: tuple[str, str]) -> torch.Tensor:
    return torch.tensor(model.encode(fixed(*before)), device=model.device)


# Saved state


def state_file(args) -> Path:
    options = {key: str(value) for key, value in vars(args).items() if key not in FREE}
    options["prompts"] = hashlib.sha256(Path(args.prompts).read_bytes()).hexdigest()
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
    saved = torch.load(path, map_location=next(iter(adapter.parts.values()))[0].device)
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
    model = Qwen2(args.model, args.device)
    schedule = schedule_of(read_prompts(args.prompts), model, args)
    watched = packed(read_prompts(args.watch), model, args) if args.watch else []
    steps = len(schedule)
    n_tokens = sum(len(sequence.ids) for step in schedule for sequence in step)
    n_count = sum(sum(sequence.counts) for step in schedule for sequence in step)
    log(f"{steps} steps, {n_tokens} tokens, {n_count} of them count; {len(watched)} sequences are watched")
    if args.start:
        adapter = Adapter.read(args.start).on(model.device).trainable()
    else:
        adapter = Adapter.new(model, args.rank, args.alpha, args.frozen, args.seed)
    optimizer = torch.optim.AdamW(adapter.parameters(), lr=args.rate, weight_decay=0)
    beginnings = Beginnings(model, adapter, args)
    path = state_file(args)
    first = restored(path, adapter, optimizer)

    def report(step):
        with torch.no_grad():
            values = [float(loss(model, adapter, [s], beginnings.of(s.before, step), args.frozen)) for s in watched]
        if values:
            log(f"step {step} of {steps}, watched loss {sum(values) / len(values):.4f}")

    report(first)
    started = saved = time.time()
    mean, tokens = None, 0
    for step in range(first, steps):
        batch = schedule[step]
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, args.rate)
        value = loss(model, adapter, batch, beginnings.of(batch[0].before, step), args.frozen)
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(adapter.parameters(), 1)
        optimizer.step()
        value = float(value.detach())
        mean = value if mean is None else 0.95 * mean + 0.05 * value
        tokens += sum(len(sequence.ids) for sequence in batch)
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
