"""A Qwen2 GGUF in PyTorch: its tokenizer, its dequantised frozen weights, LoRA adapters, and answers in batches.

All of it runs on a CPU or, where `device` says so, on a GPU."""

import math
from pathlib import Path

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from attention import Behind, LinearCrossEntropy
from gguf.quants import dequantize
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

MATRICES = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
# The split of Qwen2's tokenizer into words, from its `tokenizer.json`.
QWEN2_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Adapter:
    """LoRA matrices in float32, by layer and name: each product x @ w.T gains `scale` * x @ a.T @ b.T."""

    def __init__(self, scale: float):
        self.scale, self.parts = scale, {}

    @classmethod
    def new(cls, model: "Qwen2", rank: int, alpha: float, frozen: int, seed: int) -> "Adapter":
        """Returns an adapter that changes nothing yet, for the layers from `frozen` up."""
        # Random numbers of the CPU, so a seed means the same on each device.
        made, generator = cls(alpha / rank), torch.Generator().manual_seed(seed)
        for layer in range(frozen, model.layers):
            for name in MATRICES:
                rows, columns = model.weights[layer][name].shape
                a = torch.randn(rank, columns, generator=generator) / math.sqrt(columns)
                made.parts[layer, name] = (a, torch.zeros(rows, rank))
        return made.on(model.device).trainable()

    @classmethod
    def read(cls, path: str, strength: float = 1) -> "Adapter":
        """Reads an adapter from a GGUF."""
        reader = gguf.GGUFReader(path)
        sides = {t.name: torch.tensor(t.data.astype(np.float32)) for t in reader.tensors}
        rank = min(next(iter(sides.values())).shape)
        made = cls(reader.fields["adapter.lora.alpha"].contents() / rank * strength)
        for name, a in sides.items():
            if name.endswith(".lora_a"):
                _, layer, matrix, *_ = name.split(".")
                made.parts[int(layer), matrix] = (a, sides[name.removesuffix("a") + "b"])
        return made

    def on(self, device: torch.device) -> "Adapter":
        """Returns the adapter with its parts on a device."""
        self.parts = {key: tuple(part.to(device) for part in pair) for key, pair in self.parts.items()}
        return self

    def trainable(self) -> "Adapter":
        """Returns the adapter with gradients for all its parts."""
        for part in self.parameters():
            part.requires_grad_()
        return self

    def parameters(self) -> list[torch.Tensor]:
        return [part for pair in self.parts.values() for part in pair]

    def write(self, path: str, strength: float):
        """Writes a GGUF in float16 that makes `strength` of the change."""
        rank = next(iter(self.parts.values()))[0].shape[0]
        writer = gguf.GGUFWriter(path, "qwen2")
        writer.add_string("general.type", "adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", self.scale * rank * strength)
        for (layer, name), pair in self.parts.items():
            for side, part in zip("ab", pair):
                writer.add_tensor(f"blk.{layer}.{name}.weight.lora_{side}", part.detach().cpu().numpy().astype(np.float16))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


class Qwen2:
    """The frozen model. `begin` and `forward` are for training, `Drafter` for answers."""

    def __init__(self, path: str | Path, device: str = "cpu"):
        self.device = torch.device(device)
        # A CPU without instructions for bfloat16 is some twenty times slower with it than with float32.
        is_fast = self.device.type != "cpu" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
        self.kind = torch.bfloat16 if is_fast else torch.float32
        reader = gguf.GGUFReader(path)
        tensors = {tensor.name: tensor for tensor in reader.tensors}

        def metadata(key):
            return reader.fields[key].contents()

        def weight(name, kind=self.kind):
            tensor = tensors[name]
            return torch.tensor(dequantize(tensor.data, tensor.tensor_type), dtype=torch.float32).to(self.device, kind)

        self.layers, self.width = metadata("qwen2.block_count"), metadata("qwen2.embedding_length")
        self.heads, self.kv_heads = metadata("qwen2.attention.head_count"), metadata("qwen2.attention.head_count_kv")
        self.theta, self.epsilon = metadata("qwen2.rope.freq_base"), metadata("qwen2.attention.layer_norm_rms_epsilon")
        self.head_width = self.width // self.heads
        self.tokenizer = tokenizer(metadata("tokenizer.ggml.tokens"), metadata("tokenizer.ggml.merges"))
        self.weights = []
        for layer in range(self.layers):
            w = {name: weight(f"blk.{layer}.{name}.weight") for name in MATRICES}
            w |= {name: weight(f"blk.{layer}.{name}.weight", torch.float32) for name in ("attn_norm", "ffn_norm")}
            w |= {f"{name}_bias": weight(f"blk.{layer}.{name}.bias") for name in ("attn_q", "attn_k", "attn_v")}
            self.weights.append(w)
        self.embedding, self.last_norm = weight("token_embd.weight"), weight("output_norm.weight", torch.float32)
        self.output = weight("output.weight") if "output.weight" in tensors else self.embedding

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text).ids

    def norm(self, x, scale):
        x = x.float()
        return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * scale).to(self.kind)

    def linear(self, x, layer, name, adapter):
        w = self.weights[layer]
        y = F.linear(x, w[name], w.get(f"{name}_bias"))
        if adapter and (layer, name) in adapter.parts:
            a, b = adapter.parts[layer, name]
            y = y + F.linear(F.linear(x, a.to(self.kind)), (b * adapter.scale).to(self.kind))
        return y

    def rotation(self, places):
        """Returns cosine and sine for positions of any shape: (…, head width)."""
        frequencies = self.theta ** (-torch.arange(0, self.head_width, 2, device=self.device) / self.head_width)
        angles = places.float()[..., None] * frequencies
        angles = torch.cat([angles, angles], -1)
        return angles.cos(), angles.sin()

    def rotated(self, x, cosine, sine):
        half = self.head_width // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return (x.float() * cosine + turned.float() * sine).to(self.kind)

    def layer(self, x, number, adapter, attend, cosine, sine):
        """Runs one layer over (sequences, tokens, width); `attend` gets queries, keys and values with their heads."""
        n, tokens, _ = x.shape
        w, h = self.weights[number], self.norm(x, self.weights[number]["attn_norm"])
        q = self.linear(h, number, "attn_q", adapter).view(n, tokens, self.heads, self.head_width).transpose(1, 2)
        k = self.linear(h, number, "attn_k", adapter).view(n, tokens, self.kv_heads, self.head_width).transpose(1, 2)
        v = self.linear(h, number, "attn_v", adapter).view(n, tokens, self.kv_heads, self.head_width).transpose(1, 2)
        seen = attend(number, self.rotated(q, cosine, sine), self.rotated(k, cosine, sine), v)
        x = x + self.linear(seen.transpose(1, 2).reshape(n, tokens, self.width), number, "attn_output", adapter)
        h = self.norm(x, w["ffn_norm"])
        gate = F.silu(self.linear(h, number, "ffn_gate", adapter)) * self.linear(h, number, "ffn_up", adapter)
        return x + self.linear(gate, number, "ffn_down", adapter)

    def logits(self, x):
        return F.linear(self.norm(x, self.last_norm), self.output).float()

    def loss(self, x, targets) -> torch.Tensor:
        """Returns the mean negative log likelihood of the targets after states (rows, width)."""
        if self.device.type == "cpu":
            return LinearCrossEntropy.apply(self.norm(x, self.last_norm), self.output, targets)
        return F.cross_entropy(self.logits(x), targets)

    def begin(self, ids, adapter, frozen=0) -> list[tuple]:
        """Returns the keys and values of each layer for the token ids (tokens) that all sequences of a step begin with. The lower
        `frozen` layers keep no gradient."""
        kept = []

        def attend(_, q, k, v):
            kept.append((k, v))
            return F.scaled_dot_product_attention(q, self.for_each_head(k), self.for_each_head(v), is_causal=True)

        self.layers_of(ids[None], torch.arange(len(ids), device=self.device), attend, adapter, frozen)
        return kept

    def forward(self, ids, places, seen, begun, adapter, frozen=0):
        """Returns the states after the last layer for token ids (sequences, tokens) at their places, behind what `begin` returned.
        `seen` (sequences, tokens, tokens) says which of the ids each one sees; all see the beginning."""
        n, before = ids.shape[0], begun[0][0].shape[2]
        hidden = torch.zeros(n, 1, ids.shape[1], before + ids.shape[1], dtype=self.kind, device=self.device)
        hidden[..., before:].masked_fill_(~seen[:, None], -math.inf)

        is_fixed = self.device.type == "cpu" and not any(part.requires_grad for pair in begun for part in pair)
        if is_fixed:
            fixed = [tuple(map(self.for_each_head, pair)) for pair in begun]
            own = hidden[..., before:].contiguous()

        def attend(number, q, k, v):
            if is_fixed:
                return Behind.apply(q, self.for_each_head(k), self.for_each_head(v), *fixed[number], own)
            k, v = (torch.cat([first.expand(n, -1, -1, -1), own], 2) for first, own in zip(begun[number], (k, v)))
            return F.scaled_dot_product_attention(q, self.for_each_head(k), self.for_each_head(v), attn_mask=hidden)

        return self.layers_of(ids, places[:, None] + before, attend, adapter, frozen)

    def layers_of(self, ids, places, attend, adapter, frozen):
        cosine, sine = self.rotation(places)
        x = self.embedding[ids]
        for number in range(self.layers):
            with torch.set_grad_enabled(torch.is_grad_enabled() and frozen <= number):
                x = self.layer(x, number, adapter, attend, cosine, sine)
        return x

    def for_each_head(self, part):
        """Returns keys or values with one copy for each query head of their group."""
        return part.repeat_interleave(self.heads // self.kv_heads, 1)


def tokenizer(vocabulary: list[str], merges: list[str]) -> Tokenizer:
    made = Tokenizer(
        models.BPE(
            vocab={token: index for index, token in enumerate(vocabulary)},
            merges=[tuple(merge.split(" ")) for merge in merges],
        )
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(QWEN2_WORDS), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    made.decoder = decoders.ByteLevel()
    return made


class Drafter:
    """Writes greedy answers to many texts that begin with the same fixed part, a batch at a time."""

    def __init__(self, model: Qwen2, fixed: str, adapter: Adapter | None = None):
        self.model, self.adapter = model, adapter
        ids = torch.tensor(model.encode(fixed), device=model.device)
        self.fixed = len(ids)
        with torch.no_grad():
            begun = model.begin(ids, adapter)
        self.keys, self.values = ([pair[side][0] for pair in begun] for side in (0, 1))

    @torch.no_grad()
    def answers(self, texts: list[str], most: int) -> list[tuple[str, float]]:
        """Returns for each text the line that the model writes, and the mean probability of its tokens (with the newline)."""
        model, n = self.model, len(texts)
        encoded = [model.encode(text) for text in texts]
        lengths = torch.tensor([len(ids) for ids in encoded])
        longest = int(lengths.max())
        ids = torch.zeros(n, longest, dtype=torch.long)
        for row, own in enumerate(encoded):
            ids[row, : len(own)] = torch.tensor(own)
        ids, lengths, device = ids.to(model.device), lengths.to(model.device), model.device
        shape = (model.layers, n, model.kv_heads, longest + most, model.head_width)
        keys, values = (torch.zeros(shape, dtype=model.kind, device=device) for _ in range(2))
        states = self.run(ids, torch.arange(longest, device=device).expand(n, longest), keys, values)
        logits = model.logits(states[torch.arange(n, device=device), lengths - 1])
        written: list[list[int]] = [[] for _ in texts]
        surprise, open_rows = [0.0] * n, torch.arange(n, device=device)
        for step in range(most):
            likelihood, chosen = logits.log_softmax(-1).max(-1)
            goes_on = []
            for row, own, token in zip(open_rows.tolist(), likelihood.tolist(), chosen.tolist()):
                written[row].append(token)
                surprise[row] += own
                goes_on.append("\n" not in model.tokenizer.decode(written[row]))
            goes_on = torch.tensor(goes_on, device=device)
            if not goes_on.any() or step + 1 == most:
                break
            if not goes_on.all():
                open_rows, chosen, lengths = open_rows[goes_on], chosen[goes_on], lengths[goes_on]
                keys, values = keys[:, goes_on], values[:, goes_on]
            logits = model.logits(self.run(chosen[:, None], (lengths + step)[:, None], keys, values)[:, 0])
        lines = [model.tokenizer.decode(own).split("\n")[0] for own in written]
        return [(line, math.exp(own / len(ids))) for line, own, ids in zip(lines, surprise, written)]

    def run(self, ids, at, keys, values):
        """Runs tokens at places (n, tokens) behind the fixed part, whose keys and values it adds to (layers, n, heads, places,
        width); returns the states after the last layer."""
        model, (n, tokens), upto = self.model, ids.shape, int(at.max()) + 1
        group, width = model.heads // model.kv_heads, model.head_width
        cosine, sine = (part[:, None] for part in model.rotation(at + self.fixed))
        hidden = (torch.arange(upto, device=model.device) > at[:, :, None])[:, None, None]
        rows = torch.arange(n, device=model.device)[:, None]

        def attend(number, q, k, v):
            keys[number][rows, :, at], values[number][rows, :, at] = k.transpose(1, 2), v.transpose(1, 2)
            near_keys, near_values = (part[number][:, :, :upto].flatten(0, 1) for part in (keys, values))
            # Queries of one group share keys, and all sequences share the fixed part: one product for all of them.
            q = q.reshape(n, model.kv_heads, group * tokens, width) / math.sqrt(width)
            far = q.transpose(0, 1).reshape(model.kv_heads, -1, width) @ self.keys[number].transpose(1, 2)
            far = far.view(model.kv_heads, n, group, tokens, self.fixed).transpose(0, 1)
            near = (q.flatten(0, 1) @ near_keys.transpose(1, 2)).view(n, model.kv_heads, group, tokens, upto)
            share = torch.cat([far, near.masked_fill(hidden, -math.inf)], -1).softmax(-1)
            apart = share[..., : self.fixed].transpose(0, 1).reshape(model.kv_heads, -1, self.fixed)
            seen = (apart @ self.values[number]).view(model.kv_heads, n, -1, width).transpose(0, 1)
            beside = share[..., self.fixed :].reshape(n * model.kv_heads, -1, upto) @ near_values
            return (seen + beside.view(n, model.kv_heads, -1, width)).reshape(n, model.heads, tokens, width)

        x = model.embedding[ids]
        for number in range(model.layers):
            x = model.layer(x, number, self.adapter, attend, cosine, sine)
        return x
