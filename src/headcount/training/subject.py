"""Subject: a model at a task on a text, ready to be asked. How the answers become scores is `importance`."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from headcount.core.heads import Layout
from headcount.core.signature import Setting, stable_key
from headcount.data.batches import IGNORED, Batch, Window, batches, encode, longest_window
from headcount.data.metrics import COLUMNS, METRICS
from headcount.data.tasks import Example, Task, label_numbers
from headcount.model.anatomy import Anatomy, anatomy_of
from headcount.model.gates import check_seam, gated
from headcount.model.loading import Loaded, save

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """A loaded model with its task, language and encoded examples; plays games and gives gate gradients."""

    loaded: Loaded
    task: Task
    language: str
    examples: tuple[Example, ...]
    windows: tuple[Window, ...]
    anatomy: Anatomy
    silent_sites: tuple[str, ...] = ()

    @property
    def model(self) -> nn.Module:
        """The model itself."""
        return self.loaded.model

    @property
    def layout(self) -> Layout:
        """The heads of the model."""
        return self.anatomy.layout

    def save(self, folder: Path | str) -> Path:
        """Write model and tokenizer as a folder that `load` reads back exactly."""
        return save(self.model, self.loaded.tokenizer, folder)

    def with_model(self, model: nn.Module, *, change: str) -> "Subject":
        """The same question asked of a changed model; `change` goes into its revision."""
        loaded = replace(self.loaded, model=model, revision=f"{self.loaded.revision}+{change}")
        return replace(self, loaded=loaded, anatomy=anatomy_of(model))

    def settings(self) -> dict[str, Setting]:
        """Model, text and runtime, for signatures."""
        return {
            "task": self.task.name,
            "language": self.language,
            "metric": self.task.metric,
            "n": len(self.examples),
            "data": self.data_key,
            "model": f"{Path(self.loaded.name).name}@{self.loaded.revision}",
            **self.loaded.runtime.settings(),
        }

    @cached_property
    def data_key(self) -> str:
        """Content hash of the examples."""
        return stable_key([[list(example.words), list(example.labels)] for example in self.examples])[:12]

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """All examples on the model's device, in tiles of similar length."""
        runtime = self.loaded.runtime
        padding = self.loaded.tokenizer.pad_token_id or 0
        tiles = batches(self.windows, padding=padding, batch_tokens=runtime.batch_tokens)
        return tuple(tile.to(runtime.device) for tile in tiles)

    def figure(self, sums: Floats) -> Floats:
        """The task's metric."""
        return METRICS[self.task.metric].figure(sums)

    @torch.no_grad()
    def worth(self, gates: Tensor) -> Floats:
        """Tallies [games, examples, columns] of gates [games, players]; several games share a pass where they fit."""
        games = gates.shape[0]
        gates = gates.to(self.loaded.runtime.device)
        sums = torch.zeros(games, len(self.examples), len(COLUMNS), dtype=torch.float64, device=gates.device)
        for batch in self.batches:
            # every pass of one tile has the same shape, so that equal gates give equal bits wherever they stand
            size = min(games, max(1, self.loaded.runtime.batch_tokens // batch.input_ids.numel()))
            for start in range(0, games, size):
                part = gates[start : start + size]
                filled = torch.cat([part, part.new_ones(size - len(part), part.shape[1])])
                tallies = self._tallies(batch, filled)[: len(part)]
                sums[start : start + size].index_add_(1, batch.examples, tallies)
        return sums.cpu().numpy()

    def _tallies(self, batch: Batch, gates: Tensor) -> Tensor:
        """Tallies [games, rows, columns] of one tile under several gates at once."""
        games, rows = len(gates), len(batch.input_ids)
        inputs = {name: values.repeat(games, 1) for name, values in batch.inputs.items()}
        with gated(self.model, gates.repeat_interleave(rows, dim=0), anatomy=self.anatomy):
            logits = self.model(**inputs).logits
        labels = batch.labels.repeat(games, 1)
        scored = labels != IGNORED
        chosen = logits.float().log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
        columns = (scored & (logits.argmax(-1) == labels), scored, torch.where(scored, chosen, 0.0))
        return torch.stack([part.double().sum(-1) for part in columns], dim=-1).view(games, rows, -1)

    def gate_gradients(self) -> Floats:
        """d loss / d gate at open gates [examples, players]; loss: mean over an example's labels of −log p."""
        runtime = self.loaded.runtime
        shape = (len(self.examples), len(self.layout))
        gradients = torch.zeros(shape, dtype=torch.float64, device=runtime.device)
        counts = self._label_counts()
        for batch in self.batches:
            gates = torch.ones(len(batch.input_ids), len(self.layout), device=runtime.device, requires_grad=True)
            with torch.enable_grad(), gated(self.model, gates, anatomy=self.anatomy):
                logits = self.model(**batch.inputs).logits.float()
                loss = nn.functional.cross_entropy(
                    logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED, reduction="none"
                ).view(batch.labels.shape)
                # per example before the mean: each row's loss touches its own gates alone, so one backward serves all
                total = (loss.sum(-1) / counts[batch.examples]).sum()
            (found,) = torch.autograd.grad(total, gates)
            gradients.index_add_(0, batch.examples, found.double())
        return gradients.cpu().numpy()

    def _label_counts(self) -> Tensor:
        counts = Counter[int]()
        for window in self.windows:
            counts[window.example] += sum(label != IGNORED for label in window.labels)
        known = [max(1, counts[place]) for place in range(len(self.examples))]
        return torch.tensor(known, dtype=torch.float32, device=self.loaded.runtime.device)


def subject_of(loaded: Loaded, *, task: Task, language: str, examples: list[Example], where: str) -> Subject:
    """Match labels by name, encode the words, find the heads and prove that their gates work."""
    anatomy = anatomy_of(loaded.model)
    labels = label_numbers(examples, loaded.model.config.id2label, where=where)
    longest = longest_window(loaded.tokenizer, loaded.model.config)
    windows = encode(examples, labels, tokenizer=loaded.tokenizer, longest=longest)
    subject = Subject(
        loaded=loaded,
        task=task,
        language=language,
        examples=tuple(examples),
        windows=tuple(windows),
        anatomy=anatomy,
    )
    batch = subject.batches[0]
    small = {name: values[:2] for name, values in batch.inputs.items()}
    silent = check_seam(loaded.model, lambda: loaded.model(**small), anatomy=anatomy)
    return replace(subject, silent_sites=silent)
