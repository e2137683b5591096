#!/usr/bin/env python3
"""Trains a LoRA adapter for a Qwen2 GGUF on a plain CPU, and writes it as a GGUF that llama.cpp loads. README.md tells how to use it.

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

import gguf
import jax
import jax.numpy as jnp
import numpy as np
import optax
from gguf.quants import dequantize
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

MATRICES = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
# The split of Qwen2's tokenizer into words, from its `tokenizer.json`.
QWEN2_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# The line at the start of a prompt (`fixed` in `crates/model/src/prompt.rs`), by the shell of the rows.
HEAD = "# One-line {} commands for Linux.\n\n"
LANGUAGES = {"bash": "bash", "fish": "fish", "nu": "Nushell"}
ROW_TOKENS_MAX = 200
SAVE_S = 600


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--watch", help="rows whose loss is logged at every save")
    parser.add_argument("--out", required=True)
    parser.add_argument("--state", required=True, type=Path)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--alpha", type=float, default=16)
    parser.add_argument("--length", type=int, default=512, help="tokens of a sequence")
    parser.add_argument("--scored", type=int, default=320, help="positions of a sequence that count at most")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--frozen", type=int, default=0, help="layers from the bottom without adapter and backward pass")
    parser.add_argument("--matrices", default=",".join(MATRICES), help="matrices that get an adapter")
    parser.add_argument("--head", action="store_true", help="begin each sequence with the line about its shell, as prompts do")
    parser.add_argument("--strength", type=float, default=1, help="share of the trained change that the written adapter makes")
    parser.add_argument("--minutes", type=float, default=math.inf, help="save and stop after this long")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


args = parsed()
adapted = args.matrices.split(",")


def log(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


# The model

reader = gguf.GGUFReader(args.model)
tensors = {tensor.name: tensor for tensor in reader.tensors}


def metadata(key):
    return reader.fields[key].contents()


layers, width = metadata("qwen2.block_count"), metadata("qwen2.embedding_length")
heads, kv_heads = metadata("qwen2.attention.head_count"), metadata("qwen2.attention.head_count_kv")
theta, epsilon = metadata("qwen2.rope.freq_base"), metadata("qwen2.attention.layer_norm_rms_epsilon")
head_width = width // heads

vocabulary = metadata("tokenizer.ggml.tokens")
tokenizer = Tokenizer(
    models.BPE(
        vocab={token: index for index, token in enumerate(vocabulary)},
        merges=[tuple(merge.split(" ")) for merge in metadata("tokenizer.ggml.merges")],
    )
)
tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
    [pre_tokenizers.Split(Regex(QWEN2_WORDS), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
)


def weight(name):
    tensor = tensors[name]
    return jnp.asarray(dequantize(tensor.data, tensor.tensor_type).astype(np.float32))


def of_all_layers(name):
    return jnp.stack([weight(f"blk.{layer}.{name}") for layer in range(layers)])


@jax.custom_vjp
def frozen_product(x, w):
    """Returns x @ w.T of a frozen matrix in bfloat16, summed in float32: twice as fast as float32 where the CPU has AVX512-BF16."""
    return product(x, w, 1)


def product(x, w, side):
    return jax.lax.dot_general(x.astype(jnp.bfloat16), w, (((1,), (side,)), ((), ())), preferred_element_type=jnp.float32)


def frozen_product_forward(x, w):
    return product(x, w, 1), w


def frozen_product_backward(w, gradient):
    return product(gradient, w, 0), jnp.zeros_like(w)


frozen_product.defvjp(frozen_product_forward, frozen_product_backward)


def new_adapter():
    key, made = jax.random.PRNGKey(args.seed), {}
    for name in adapted:
        key, part = jax.random.split(key)
        rows, columns = weights[name].shape[1:]
        made[name] = {
            "a": jax.random.normal(part, (layers - args.frozen, args.rank, columns)) / np.sqrt(columns),
            "b": jnp.zeros((layers - args.frozen, rows, args.rank)),
        }
    return made


weights = {name: of_all_layers(f"{name}.weight").astype(jnp.bfloat16) for name in MATRICES}
weights |= {name: of_all_layers(f"{name}.weight") for name in ["attn_norm", "ffn_norm"]}
weights |= {f"{name}_bias": of_all_layers(f"{name}.bias") for name in ["attn_q", "attn_k", "attn_v"]}
embedding, last_norm = weight("token_embd.weight").astype(jnp.bfloat16), weight("output_norm.weight")
output = weight("output.weight").astype(jnp.bfloat16) if "output.weight" in tensors else embedding

angles = np.outer(np.arange(args.length), 1 / theta ** (np.arange(0, head_width, 2) / head_width))
cosine, sine = (jnp.asarray(np.concatenate([f(angles)] * 2, -1), jnp.float32)[:, None] for f in (np.cos, np.sin))
causal = jnp.where(np.tril(np.ones((args.length, args.length))) > 0, 0, -1e9).astype(jnp.float32)


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x**2, -1, keepdims=True) + epsilon) * scale


def rotated(x):
    half = x.shape[-1] // 2
    return x * cosine + jnp.concatenate([-x[..., half:], x[..., :half]], -1) * sine


def layer(x, parts):
    """One transformer layer over one sequence: (tokens, width)."""
    w, lora = parts

    def linear(x, name):
        y = frozen_product(x, w[name])
        if name in lora:
            y += args.alpha / args.rank * ((x @ lora[name]["a"].T) @ lora[name]["b"].T)
        return y + w[f"{name}_bias"] if f"{name}_bias" in w else y

    h = norm(x, w["attn_norm"])
    q = rotated(linear(h, "attn_q").reshape(-1, heads, head_width))
    k = rotated(linear(h, "attn_k").reshape(-1, kv_heads, head_width))
    v = linear(h, "attn_v").reshape(-1, kv_heads, head_width)
    q = q.reshape(-1, kv_heads, heads // kv_heads, head_width)
    share = jax.nn.softmax(jnp.einsum("qghd,kgd->ghqk", q, k) / np.sqrt(head_width) + causal, -1)
    x = x + linear(jnp.einsum("ghqk,kgd->qghd", share, v).reshape(-1, width), "attn_output")
    h = norm(x, w["ffn_norm"])
    return x + linear(jax.nn.silu(linear(h, "ffn_gate")) * linear(h, "ffn_up"), "ffn_down"), None


def loss(adapter, weights, embedding, output, ids, places, wanted, counts):
    """Mean negative log likelihood of the tokens that count."""
    x = embedding[ids].astype(jnp.float32)
    if args.frozen:
        x = jax.lax.scan(layer, x, (jax.tree.map(lambda w: w[: args.frozen], weights), {}))[0]
        x = jax.lax.stop_gradient(x)
    keep = jax.checkpoint_policies.dots_with_no_batch_dims_saveable
    high = jax.tree.map(lambda w: w[args.frozen :], weights)
    x, _ = jax.lax.scan(jax.checkpoint(layer, policy=keep), x, (high, adapter))
    logits = frozen_product(norm(x[places], last_norm), output)
    surprise = jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, wanted[:, None], -1)[:, 0]
    return (surprise * counts).sum() / jnp.maximum(counts.sum(), 1)


# Rows


def read_rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def packed(rows):
    """Packs rows into sequences of (token ids, whether each counts); a sequence has rows of one shell, so its rows show the shell."""
    sequences, open_ones = [], {}

    def begun(shell):
        head = tokenizer.encode(HEAD.format(LANGUAGES[shell])).ids if args.head else []
        return list(head), [False] * len(head)

    for row in rows:
        request = tokenizer.encode("# " + row["request"].replace("\n", " ") + "\n").ids
        command = tokenizer.encode(row["command"] + "\n\n").ids
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


def arrays(sequence):
    """Returns a sequence as arrays of fixed shapes: ids, places that predict, the tokens wanted there, and which of them count."""
    tokens, counted = sequence
    ids = np.zeros(args.length, np.int32)
    ids[: min(len(tokens), args.length)] = tokens[: args.length]
    hits = [i for i in range(1, min(len(tokens), args.length + 1)) if counted[i]][: args.scored]
    places, wanted = np.zeros(args.scored, np.int32), np.zeros(args.scored, np.int32)
    places[: len(hits)], wanted[: len(hits)] = [i - 1 for i in hits], [tokens[i] for i in hits]
    return ids, places, wanted, np.float32(np.arange(args.scored) < len(hits))


def schedule_of(rows):
    """Returns the sequences of all epochs, each epoch in an order of its own."""
    shuffle, sequences = random.Random(args.seed), []
    for _ in range(args.epochs):
        shuffle.shuffle(rows)
        epoch = packed(rows)
        shuffle.shuffle(epoch)
        sequences += epoch
    return sequences


sequences = schedule_of(read_rows(args.rows))
watched = packed(read_rows(args.watch)) if args.watch else []
log(f"{len(sequences)} sequences, {sum(sum(c) for _, c in sequences)} tokens count; {len(watched)} sequences are watched")

rate = optax.warmup_cosine_decay_schedule(0, args.rate, max(1, len(sequences) // 20), len(sequences), args.rate / 10)
optimizer = optax.chain(optax.clip_by_global_norm(1), optax.adamw(rate, weight_decay=0))


@jax.jit
def step(adapter, state, weights, embedding, output, *arrays):
    value, gradient = jax.value_and_grad(loss)(adapter, weights, embedding, output, *arrays)
    update, state = optimizer.update(gradient, state, adapter)
    return optax.apply_updates(adapter, update), state, value


watch_loss = jax.jit(loss)

# Saved state

options = {key: str(value) for key, value in vars(args).items() if key not in ("out", "state", "minutes", "watch", "rows", "strength")}
options["rows"] = hashlib.sha256(Path(args.rows).read_bytes()).hexdigest()
state_file = args.state / (hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16] + ".npz")


def save(adapter, state, number):
    args.state.mkdir(parents=True, exist_ok=True)
    leaves = jax.tree.leaves((adapter, state))
    partial = state_file.with_suffix(".partial.npz")
    np.savez(partial, number=number, **{f"leaf{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)})
    os.replace(partial, state_file)


def restored(adapter, state):
    """Returns adapter, optimizer state and number of done steps; those of a saved run if there is one."""
    if not state_file.exists():
        return adapter, state, 0
    saved = np.load(state_file)
    shape = jax.tree.structure((adapter, state))
    adapter, state = jax.tree.unflatten(shape, [jnp.asarray(saved[f"leaf{i}"]) for i in range(shape.num_leaves)])
    return adapter, state, int(saved["number"])


def write(adapter):
    """Writes the adapter as a GGUF in float16."""
    writer = gguf.GGUFWriter(args.out, "qwen2")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", args.alpha * args.strength)
    for name in adapted:
        for index in range(layers - args.frozen):
            for side in "ab":
                part = np.asarray(adapter[name][side][index], np.float16)
                writer.add_tensor(f"blk.{args.frozen + index}.{name}.weight.lora_{side}", part)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def report(adapter, number):
    """Logs the loss of the watched rows."""
    values = [float(watch_loss(adapter, weights, embedding, output, *arrays(s))) for s in watched]
    if values:
        log(f"step {number} watched loss {np.mean(values):.4f}")


adapter = new_adapter()
adapter, state, first = restored(adapter, optimizer.init(adapter))
log(f"step {first} of {len(sequences)}")
report(adapter, first)
started = saved = time.time()
mean, tokens = None, 0
for number in range(first, len(sequences)):
    adapter, state, value = step(adapter, state, weights, embedding, output, *arrays(sequences[number]))
    mean = float(value) if mean is None else 0.95 * mean + 0.05 * float(value)
    tokens += len(sequences[number][0])
    now = time.time()
    if number % 20 == 0:
        log(f"step {number} loss {float(value):.3f} mean {mean:.3f} {tokens / (now - started):.0f} tokens/s")
    if now - saved > SAVE_S or number + 1 == len(sequences) or now - started > 60 * args.minutes:
        save(adapter, state, number + 1)
        write(adapter)
        report(adapter, number + 1)
        saved = time.time()
    if now - started > 60 * args.minutes:
        break
write(adapter)
log("wrote", args.out)
