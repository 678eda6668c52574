"""Measure which tokens of the text matter.

Only one token's K and V are quantized, in all cross-attention layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from ...taq_kernels.quantizers.uniform import uniform_quantize_dequantize
from ..baselines.method import Call, guided
from .psnr import squared_error
from .resumable_run import Measurement, ResumableRun
from .sampler import FullPrecision, latents
from .subject import AddedConditions, Encoded
from .trial import Source, Trial

BITS = (8, 4, 2)
PADDING_ROWS = 3
"""Number of tokens after the end token that are tried one at a time."""


@dataclass(frozen=True)
class Rows:
    """Tokens that are quantized together, mostly a single one."""

    group: str
    chosen: tuple[int, ...]


@dataclass(frozen=True)
class RowQuantized(FullPrecision):
    """A UNet in which K and V of chosen tokens are quantized in cross-attention.

    Each token's keys, and its values, have their own scale.
    """

    rows: Tensor
    """bool [n, T] for the conditional entries, which come first; all others stay exact."""
    bits: int

    def eps(
        self,
        latents: Tensor,
        timestep: Tensor,
        text: Tensor,
        added: AddedConditions,
        step: int,
        protected: Tensor,
    ) -> Tensor:
        """As `Denoiser.eps`."""
        rows = torch.zeros(text.shape[:2], dtype=torch.bool, device=text.device)
        rows[: len(self.rows)] = self.rows
        hooks = [
            layer.register_forward_hook(partial(_quantize, rows[..., None], self.bits))
            for name, layer in self.unet.named_modules()
            if name.endswith((".attn2.to_k", ".attn2.to_v"))
        ]
        try:
            return super().eps(latents, timestep, text, added, step, protected)
        finally:
            for hook in hooks:
                hook.remove()


def _quantize(rows: Tensor, bits: int, _: nn.Module, __: Any, output: Tensor) -> Tensor:
    return torch.where(rows, uniform_quantize_dequantize(output, bits), output)


def row_choices(marks: Tensor) -> list[Rows]:
    """Return the choices of tokens for a prompt with `marks` [T] (`subject.Encoded`).

    They are every token up to the end token by itself, some of the padding, and together all tokens
    of the trigger, all of the padding, and all tokens.
    """
    end = int((marks < 0).nonzero()[0])
    trigger = [row for row in range(1, end) if marks[row] > 0]
    padding = list(range(end + 1, len(marks)))
    single = [Rows("BOS", (0,))]
    single += [
        Rows("trigger" if marks[row] > 0 else "other words", (row,)) for row in range(1, end)
    ]
    single += [Rows("end token", (end,))]
    single += [
        Rows("padding", (row,))
        for row in padding[:: max(1, len(padding) // PADDING_ROWS)][:PADDING_ROWS]
    ]
    sets = [("whole trigger", trigger), ("all padding", padding), ("all rows", range(len(marks)))]
    return single + [Rows(group, tuple(rows)) for group, rows in sets if rows]


def measure(
    run: ResumableRun, sources: Iterable[Source], prompts: int, bits: Sequence[int] = BITS
) -> None:
    """Add to `run` the deltas of all choices of tokens.

    They are measured for each source, each of its first `prompts` cases and each of `bits`.
    """
    for source in sources:
        wanted = {measurement_key(source.name, n, b): (n, b) for n in range(prompts) for b in bits}
        missing = run.missing(list(wanted))
        if not missing:
            continue
        trial = source.load()
        exact: dict[int, _Exact] = {}
        for name in missing:
            number, bit = wanted[name]
            if number not in exact:
                exact = {number: _Exact(trial, number)}
            run.measurement(name, partial(exact[number].deltas, bit))


def measurement_key(source: str, prompt: int, bits: int) -> str:
    """Return the name of a measurement in its run."""
    return f"{source} | prompt {prompt} | {bits} bits"


class _Exact:
    """A prompt with its picture and calls in full precision."""

    def __init__(self, trial: Trial, number: int) -> None:
        subject, case = trial.subject, trial.cases[number]
        self._subject, self._judge, self._case = subject, trial.judge, case
        self._prompt, self._empty = subject.encode([case.prompt]), subject.encode([""])
        self._noise = subject.noise([case]).to(subject.device)
        calls: list[Call] = []
        self._picture = self._drawn(
            FullPrecision(subject.unet), self._prompt, self._noise, calls.append
        )
        self._judged = trial.judge.metrics(self._picture, self._picture, [case])
        self._calls = [calls[step] for step in sorted({0, subject.steps // 2, subject.steps - 1})]

    def _drawn(self, model: Any, prompts: Encoded, noise: Tensor, watch: Any = None) -> Tensor:
        with torch.no_grad():
            found = latents(self._subject, model, prompts, self._empty, noise, watch)
            return self._subject.decode(found).clamp(0, 1).cpu()

    def deltas(self, bits: int) -> Measurement:
        """Return the mean squared errors of picture and guided eps for every choice of tokens.

        The error of eps is averaged over three steps. "drops" is how much less each of the judge's
        metrics is than in full precision.
        """
        choices = row_choices(self._prompt.marks[0])
        found = []
        for start in range(0, len(choices), self._subject.batch):
            part = choices[start : start + self._subject.batch]
            found += [
                {
                    "group": choice.group,
                    "rows": list(choice.chosen),
                    "picture": picture,
                    "eps": eps,
                    "drops": drops,
                }
                for choice, picture, eps, drops in zip(part, *self._part(part, bits), strict=True)
            ]
        return {"rows": found, "trigger rows": int((self._prompt.marks > 0).sum())}

    def _part(
        self, choices: Sequence[Rows], bits: int
    ) -> tuple[list[float], list[float], list[dict[str, float]]]:
        count = len(choices)
        rows = torch.zeros(
            count, self._prompt.marks.shape[1], dtype=torch.bool, device=self._noise.device
        )
        for entry, choice in enumerate(choices):
            rows[entry, list(choice.chosen)] = True
        model = RowQuantized(self._subject.unet, rows, bits)
        pictures = self._drawn(
            model, self._prompt.repeated(count), self._noise.expand(count, -1, -1, -1)
        )
        errors = [self._eps_error(model, call, count) for call in self._calls]
        whole = squared_error(pictures, self._picture.expand_as(pictures))
        seen = self._judge.metrics(
            pictures, self._picture.expand_as(pictures), [self._case] * count
        )
        drops = [
            {label: self._judged[label][0] - values[n] for label, values in seen.items()}
            for n in range(count)
        ]
        return whole.tolist(), torch.stack(errors).mean(0).tolist(), drops

    @torch.no_grad()
    def _eps_error(self, model: RowQuantized, call: Call, count: int) -> Tensor:
        """Return [count]: squared error of the guided eps at the latents of full precision."""
        branches = len(call.latents)
        latents, text, marks = (
            x.repeat_interleave(count, 0) for x in (call.latents, call.text, call.protected)
        )
        added = call.added and {
            name: value.repeat_interleave(count, 0) for name, value in call.added.items()
        }
        eps = model.eps(latents, call.timestep, text, added, call.step, marks)
        conditional = torch.arange(branches * count, device=eps.device) < count
        exact = guided(call.eps, call.conditional, self._subject.guidance)
        used = guided(eps, conditional, self._subject.guidance)
        return squared_error(used, exact.expand_as(used)).cpu()
