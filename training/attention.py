"""Attention and loss for training on a CPU, where PyTorch's own ones take most of the time."""

import torch

# Queries whose scores are computed at a time in the backward pass, so that they stay in the cache.
CHUNK = 512
# States whose logits are computed at a time.
ROWS = 256
attention = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
attention_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


class Behind(torch.autograd.Function):
    """Attention of sequences to a fixed part that all share, and to what each one's mask shows of itself.

    Queries, keys and values are (sequences, heads, tokens, width), those of the fixed part (1, heads, tokens, width); `hidden` is what
    is added to the scores of a sequence's own tokens (0 or -inf). The fixed part gets no gradient, which PyTorch's own backward pass would
    compute, and stands only once in the memory."""

    @staticmethod
    def forward(ctx, q, k, v, far_k, far_v, hidden):
        n, heads, tokens, width = q.shape
        as_one = q.transpose(0, 1).reshape(1, heads, n * tokens, width)
        far, far_sum = attention(as_one, far_k, far_v)
        far = far.view(heads, n, tokens, width).transpose(0, 1)
        far_sum = far_sum.view(heads, n, tokens).transpose(0, 1)
        near, near_sum = attention(q, k, v, attn_mask=hidden)
        total = torch.logaddexp(far_sum, near_sum)
        out = far * (far_sum - total).exp()[..., None] + near * (near_sum - total).exp()[..., None]
        out = out.to(q.dtype)
        ctx.save_for_backward(q, k, v, far_k, far_v, hidden, total, out)
        return out

    @staticmethod
    def backward(ctx, slope):
        q, k, v, far_k, far_v, hidden, total, out = ctx.saved_tensors
        n, heads, tokens, width = q.shape
        scale = width**-0.5
        slope = slope.contiguous()
        mean = (slope.float() * out.float()).sum(-1)
        # With the sum over all tokens, this gives the part of a sequence's own.
        dq, dk, dv = attention_backward(slope, q, k, v, out, total, 0.0, False, attn_mask=hidden)
        # The fixed part.
        rows = n * tokens

        def flat(part):
            return part.transpose(0, 1).reshape(heads, rows, *part.shape[3:])

        qs, slopes = flat(q) * scale, flat(slope)
        totals, means = flat(total).to(q.dtype)[..., None], flat(mean).to(q.dtype)[..., None]
        far = torch.empty_like(qs)
        for head in range(heads):
            keys, values = far_k[0, head], far_v[0, head]
            keys_t, values_t = keys.T, values.T
            for first in range(0, rows, CHUNK):
                own = slice(first, first + CHUNK)
                share = (qs[head, own] @ keys_t).sub_(totals[head, own]).exp_()
                ds = (slopes[head, own] @ values_t).sub_(means[head, own]).mul_(share)
                torch.mm(ds, keys, out=far[head, own])
        dq = dq + far.view(heads, n, tokens, width).transpose(0, 1) * scale
        return dq, dk, dv, None, None, None


class LinearCrossEntropy(torch.autograd.Function):
    """Mean negative log likelihood of the targets (rows) after a frozen output matrix `w`, for states `x` (rows, width); keeps no logits."""

    @staticmethod
    def forward(ctx, x, w, targets):
        loss, slope = 0.0, torch.empty_like(x)
        for first in range(0, len(x), ROWS):
            own = slice(first, first + ROWS)
            share = torch.softmax(x[own] @ w.T, -1, dtype=torch.float32)
            right = share.gather(1, targets[own, None])
            loss = loss - right.clamp_min(1e-30).log().sum()
            share.scatter_add_(1, targets[own, None], torch.full_like(right, -1))
            slope[own] = share.to(x.dtype) @ w
        ctx.save_for_backward(slope / len(x))
        return loss / len(x)

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0] * grad, None, None
