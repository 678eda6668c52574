"""Report of a quantized UNet: bits, bytes and backends by layer group, counted from its tensors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import nn

from .backends import registry
from .bops import Macs
from .families import GROUPS, KV_GROUP
from .spec import Precision, Preset, as_preset
from .stored_parameters import FLOAT_BITS, GroupTotal, StoredParameter, stored_parameters

MIB = 2**20


@dataclass(frozen=True)
class Report:
    """The parameters of one quantized module on one device, and their totals."""

    preset: Preset
    device: str
    precision: Precision
    parameters: tuple[StoredParameter, ...]
    seconds: float | None = None
    """How long quantizing or loading took, the first time."""
    bytes_bypass: int = 0
    """Bytes of the bypass branches of quantized layers: LoRAs, or a low-rank residual."""

    @classmethod
    def of(
        cls,
        module: nn.Module,
        preset: str | Preset,
        device: torch.device | str | None = None,
        *,
        kv_offloaded: bool = False,
        seconds: float | None = None,
    ) -> Report:
        """Count the parameters of `module`, which was quantized with `preset`.

        `device` is where it will compute; None = where it is now. `kv_offloaded`: the projections
        of text to keys and values are offloaded while sampling. `seconds`: how long quantizing or
        loading took. Raises ValueError for an unknown preset, and with `kv_offloaded` for a module
        without text cross-attention.
        """
        preset = as_preset(preset)
        device = torch.device(device) if device else next(module.parameters()).device
        stored = stored_parameters(module, preset, device, kv_offloaded)
        return cls(preset, str(device), preset.precision(device), stored, seconds)

    @property
    def bytes_before(self) -> int:
        """Bytes of the unquantized module in half precision."""
        return sum(parameter.bytes_before for parameter in self.parameters)

    @property
    def bytes_after(self) -> int:
        """Bytes of the quantized module while it samples.

        They include scales, floating-point parts at two bytes for each value, and bypass branches.
        For offloaded projections of text, the keys and values that they computed are counted.
        """
        return sum(parameter.bytes_after for parameter in self.parameters) + self.bytes_bypass

    @property
    def bytes_offloaded(self) -> int:
        """Bytes of the parameters that are not needed while sampling."""
        return sum(parameter.bytes_offloaded for parameter in self.parameters)

    @property
    def bytes_in_memory(self) -> int:
        """Bytes of all parameters as they are in memory now, including offloaded ones."""
        return sum(parameter.bytes_in_memory for parameter in self.parameters)

    @property
    def ratio(self) -> float:
        """`bytes_after` / `bytes_before`."""
        return self.bytes_after / self.bytes_before

    def groups(self) -> list[GroupTotal]:
        """The total of each layer group that has parameters."""
        totals = ((group, [p for p in self.parameters if p.group == group]) for group in GROUPS)
        return [GroupTotal.of(group, parameters) for group, parameters in totals if parameters]

    def bops(self, macs: Macs, protected: int = 0) -> int:
        """Bit operations of one call: MACs x weight bits x activation bits.

        Parts in floating point count 16 x 16: layers in full precision, self-attention, and the
        `protected` tokens of the text in cross-attention. Offloaded projections do not run. Raises
        ValueError for a layer that is not in this report.
        """
        bits = {
            parameter.name.removesuffix(".weight"): self._product_bits(parameter)
            for parameter in self.parameters
        }
        unknown = sorted(set(macs.layers) - set(bits))
        if unknown:
            raise ValueError(f"layers not in this report: {', '.join(unknown[:3])}")
        layers = sum(count * bits[name] for name, count in macs.layers.items())
        # Half of cross-attention is Q K^T, which counts query bits x key bits; the other half is
        # A V, which counts attention bits x value bits.
        spec, full = self.preset.attention, FLOAT_BITS
        token = macs.cross_attention // macs.text_tokens
        quantized = (
            token * (spec.kv_bits or full) * ((spec.q_bits or full) + (spec.a_bits or full)) // 2
        )
        exact = token * full * ((spec.q_bits or full) + full) // 2
        cross = quantized * (macs.text_tokens - protected) + exact * protected
        return layers + macs.self_attention * full**2 + cross

    def bops_text(self, macs: Macs, about: str) -> str:
        """A sentence about the bit operations; `about` says what they are for."""
        before = (
            sum(macs.layers.values()) + macs.self_attention + macs.cross_attention
        ) * FLOAT_BITS**2
        after, token = self.bops(macs), self.bops(macs, 1) - self.bops(macs)
        counted = f"bit operations {about}: {after / 1e12:.2f} T, {after / before:.3f} of fp16"
        if not self.preset.attention.quantizes:
            return counted
        return f"{counted}; each row of text that is kept exact adds {token / 1e9:.2f} G"

    def text(self) -> str:
        """A table of the groups and totals, with the precision of the products and the notes."""
        table = [("layers", "n", "bits", "computed", "backend", "fp16 MiB", "MiB")]
        for total in self.groups():
            bits, computed = "/".join(map(str, total.bits)), "/".join(total.computed)
            sizes = _mib(total.bytes_before), _mib(total.bytes_after)
            table.append(
                (total.group, str(total.layers), bits, computed, ", ".join(total.backends), *sizes)
            )
        sizes = _mib(self.bytes_before), _mib(self.bytes_after)
        table.append(("total", str(len(self.parameters)), "", "", "", *sizes))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
        kind, why = self.precision
        return "\n".join(
            [
                f"{self.preset.name} on {self.device}: {self.ratio:.3f} of fp16; {kind}: {why}",
                *lines,
                *self.notes(),
            ]
        )

    def notes(self) -> list[str]:
        """Sentences that explain the numbers."""
        spec = self.preset.attention
        bits = {"q": spec.q_bits, "k/v": spec.kv_bits, "weights": spec.a_bits}
        shown = ", ".join(f"{part} {count}" for part, count in bits.items() if count)
        notes = []
        if shown:
            runs_on, why = self._attention_backend
            notes.append(f"cross-attention bits ({shown}): simulated by {runs_on} ({why})")
        wider = sum(
            self.preset.weight_bits < parameter.bits < FLOAT_BITS for parameter in self.parameters
        )
        if wider:
            notes.append(
                f"{wider} weights are stored in 8 bits: chosen so, or of a width that no 4-bit "
                "kernel takes everywhere"
            )
        if self.bytes_offloaded:
            offloaded = _mib(self.bytes_offloaded)
            notes.append(
                f"{KV_GROUP}: counted are the rows of two prompts, as if all were exact; what "
                f"makes them, once per prompt, waits in main memory ({offloaded} MiB)"
            )
        if self.bytes_in_memory != self._bytes_in_halves:
            loaded = _mib(self.bytes_in_memory)
            notes.append(
                "floating-point parts are counted at 2 bytes a value; as loaded now, all takes "
                f"{loaded} MiB"
            )
        if self.bytes_bypass:
            notes.append(
                f"beside the quantized layers, in full precision: {_mib(self.bytes_bypass)} MiB"
            )
        if self.seconds is not None:
            notes.append(
                f"quantized, or loaded as it was kept, in {self.seconds:.1f} s; then pooled"
            )
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Everything that `text` shows, for JSON."""
        runs_on, why = self._attention_backend
        return {
            "preset": self.preset.name,
            "device": self.device,
            "precision": self.precision._asdict(),
            "attention": (
                asdict(self.preset.attention)
                | {
                    "precision": "simulated" if self.preset.attention.quantizes else "float",
                    "backend": runs_on,
                    "why": why,
                }
            ),
            "groups": [asdict(total) for total in self.groups()],
            "bytes_before": self.bytes_before,
            "bytes_after": self.bytes_after,
            "bytes_waiting": self.bytes_offloaded,
            "bytes_beside": self.bytes_bypass,
            "bytes_in_memory": self.bytes_in_memory,
            "seconds": self.seconds,
            "ratio": self.ratio,
            "notes": self.notes(),
        }

    @property
    def _attention_backend(self) -> registry.Backend:
        spec = self.preset.attention
        if not spec.quantizes:
            return registry.Backend("the host's attention", "nothing in it is quantized")
        at = registry.machine(self.device)
        return registry.attention(at, spec.kv_bits, spec.per_tensor, spec.quantizer)

    @property
    def _bytes_in_halves(self) -> int:
        return sum(
            parameter.bytes_offloaded or parameter.bytes_after for parameter in self.parameters
        )

    def _product_bits(self, parameter: StoredParameter) -> int:
        """Weight bits x activation bits of a layer; 0 if it does not run while sampling."""
        if parameter.bytes_offloaded:
            return 0
        quantized = parameter.computed in ("native", "simulated")
        return parameter.bits * (
            self.preset.act_bits if quantized and self.preset.act_bits else FLOAT_BITS
        )


def _mib(size: int) -> str:
    return f"{size / MIB:.1f}"
