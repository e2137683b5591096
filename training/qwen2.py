"""A Qwen2 GGUF in PyTorch: its tokenizer, its dequantised frozen weights in bfloat16, LoRA adapters, and answers in batches."""

import math
from pathlib import Path

import gguf
import numpy as np
import torch
import torch.nn.functional as F
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
        made, generator = cls(alpha / rank), torch.Generator().manual_seed(seed)
        for layer in range(frozen, model.layers):
            for name in MATRICES:
                rows, columns = model.weights[layer][name].shape
                a = torch.randn(rank, columns, generator=generator) / math.sqrt(columns)
                made.parts[layer, name] = (a.requires_grad_(), torch.zeros(rows, rank).requires_grad_())
        return made

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
                writer.add_tensor(f"blk.{layer}.{name}.weight.lora_{side}", part.detach().numpy().astype(np.float16))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


class Qwen2:
    """The frozen model. `forward` is for training, `Drafter` for answers."""

    def __init__(self, path: str | Path):
        reader = gguf.GGUFReader(path)
        tensors = {tensor.name: tensor for tensor in reader.tensors}

        def metadata(key):
            return reader.fields[key].contents()

        def weight(name, kind=torch.bfloat16):
            tensor = tensors[name]
            return torch.from_numpy(np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32)).to(kind)

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
        return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * scale).bfloat16()

    def linear(self, x, layer, name, adapter):
        w = self.weights[layer]
        y = F.linear(x, w[name], w.get(f"{name}_bias"))
        if adapter and (layer, name) in adapter.parts:
            a, b = adapter.parts[layer, name]
            y = y + F.linear(F.linear(x, a.bfloat16()), (b * adapter.scale).bfloat16())
        return y

    def rotation(self, places):
        """Returns cosine and sine for positions of any shape: (…, head width)."""
        frequencies = self.theta ** (-torch.arange(0, self.head_width, 2) / self.head_width)
        angles = places.float()[..., None] * frequencies
        angles = torch.cat([angles, angles], -1)
        return angles.cos(), angles.sin()

    def rotated(self, x, cosine, sine):
        half = self.head_width // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return (x.float() * cosine + turned.float() * sine).bfloat16()

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

    def forward(self, ids, adapter, frozen=0):
        """Returns the states after the last layer for token ids (sequences, tokens). The lower `frozen` layers keep no gradient."""
        cosine, sine = self.rotation(torch.arange(ids.shape[1]))
        group = self.heads // self.kv_heads

        def attend(_, q, k, v):
            k, v = (part.repeat_interleave(group, 1) for part in (k, v))
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

        x = self.embedding[ids]
        for number in range(self.layers):
            with torch.set_grad_enabled(torch.is_grad_enabled() and frozen <= number):
                x = self.layer(x, number, adapter, attend, cosine, sine)
        return x


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
        ids = torch.tensor([model.encode(fixed)])
        self.fixed = ids.shape[1]
        self.keys, self.values = [], []
        cosine, sine = model.rotation(torch.arange(self.fixed))
        group = model.heads // model.kv_heads

        def attend(_, q, k, v):
            self.keys.append(k[0])
            self.values.append(v[0])
            return F.scaled_dot_product_attention(
                q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1), is_causal=True
            )

        with torch.no_grad():
            x = model.embedding[ids]
            for number in range(model.layers):
                x = model.layer(x, number, adapter, attend, cosine, sine)

    @torch.no_grad()
    def answers(self, texts: list[str], most: int) -> list[tuple[str, float]]:
        """Returns for each text the line that the model writes, and the mean probability of its tokens (with the newline)."""
        model, n = self.model, len(texts)
        encoded = [model.encode(text) for text in texts]
        lengths = torch.tensor([len(ids) for ids in encoded])
        longest, room = int(lengths.max()), int(lengths.max()) + most
        ids = torch.zeros(n, longest, dtype=torch.long)
        for row, own in enumerate(encoded):
            ids[row, : len(own)] = torch.tensor(own)
        shape = (n, model.kv_heads, room, model.head_width)
        keys = [torch.zeros(shape, dtype=torch.bfloat16) for _ in range(model.layers)]
        values = [torch.zeros(shape, dtype=torch.bfloat16) for _ in range(model.layers)]
        group, rows = model.heads // model.kv_heads, torch.arange(n)

        def run(ids, at):
            """Runs tokens at places (n, tokens) behind the fixed part; returns the states."""
            tokens = ids.shape[1]
            cosine, sine = (part[:, None] for part in model.rotation(at + self.fixed))
            upto = int(at.max()) + 1
            hidden = torch.arange(upto)[None, None] > at[:, :, None]
            hidden = hidden[:, None].expand(n, model.kv_heads, tokens, upto)

            def attend(number, q, k, v):
                for part, kept in ((k, keys[number]), (v, values[number])):
                    kept[rows[:, None], :, at] = part.transpose(1, 2)
                # Queries of one group share keys, and all sequences share the fixed part: one product for all of them.
                q = q.reshape(n, model.kv_heads, group, tokens, model.head_width) / math.sqrt(model.head_width)
                together = q.permute(1, 0, 2, 3, 4).reshape(model.kv_heads, -1, model.head_width)
                far = (together @ self.keys[number].transpose(1, 2)).view(model.kv_heads, n, group, tokens, self.fixed)
                own = q @ keys[number][:, :, None, :upto].transpose(-1, -2)
                own = own.float().masked_fill(hidden[:, :, None], -math.inf)
                share = torch.cat([far.permute(1, 0, 2, 3, 4).float(), own], -1).softmax(-1).bfloat16()
                apart = share[..., : self.fixed].permute(1, 0, 2, 3, 4).reshape(model.kv_heads, -1, self.fixed)
                seen = (apart @ self.values[number]).view(model.kv_heads, n, group, tokens, model.head_width)
                seen = seen.permute(1, 0, 2, 3, 4) + share[..., self.fixed :] @ values[number][:, :, None, :upto]
                return seen.reshape(n, model.heads, tokens, model.head_width)

            x = model.embedding[ids]
            for number in range(model.layers):
                x = model.layer(x, number, self.adapter, attend, cosine, sine)
            return x

        x = run(ids, torch.arange(longest).expand(n, longest))
        logits = model.logits(x[rows, lengths - 1])
        written: list[list[int]] = [[] for _ in texts]
        surprise, counted, open_ones = torch.zeros(n), torch.zeros(n), torch.ones(n, dtype=torch.bool)
        for step in range(most):
            likelihood, chosen = logits.log_softmax(-1).max(-1)
            surprise += torch.where(open_ones, likelihood, 0.0)
            counted += open_ones.float()
            for row in open_ones.nonzero()[:, 0].tolist():
                written[row].append(int(chosen[row]))
                if "\n" in model.tokenizer.decode(written[row]):
                    open_ones[row] = False
            if not open_ones.any() or step + 1 == most:
                break
            logits = model.logits(run(chosen[:, None], (lengths + step)[:, None])[:, 0])
        lines = [model.tokenizer.decode(own).split("\n")[0] for own in written]
        return list(zip(lines, (surprise / counted).exp().tolist()))
