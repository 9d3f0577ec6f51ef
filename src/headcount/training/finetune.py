"""Fine-tuning by transformers.Trainer on our windows. What is trained and why is the caller's business."""

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import nn

from headcount.core.errors import MissingExtra
from headcount.core.progress import Progress, silent
from headcount.core.runtime import Runtime
from headcount.core.signature import Setting
from headcount.data.batches import Window, collate


@final
@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a model is trained; AdamW with linear decay after the warm-up."""

    epochs: float
    learning_rate: float
    batch_size: int
    warmup_steps: int = 0
    weight_decay: float = 0.0

    def settings(self) -> dict[str, Setting]:
        """For signatures and keys."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def fine_tune(
    model: nn.Module,
    windows: Sequence[Window],
    *,
    plan: Plan,
    padding: int,
    runtime: Runtime,
    progress: Progress = silent,
) -> nn.Module:
    """Train `model` itself on rows in shuffled order; it comes back in eval mode. The caller's chance is untouched."""
    try:
        import accelerate  # noqa: F401 the Trainer asks for it late and less plainly
    except ModuleNotFoundError as problem:
        raise MissingExtra("Training", package="accelerate", extra="train") from problem
    from transformers import Trainer, TrainerCallback, TrainingArguments
    from transformers.trainer_callback import PrinterCallback

    class Tell(TrainerCallback):
        """Pass the Trainer's steps on to our progress."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_rest: Any) -> None:
            progress("training", 0, state.max_steps)

        def on_step_end(self, args: Any, state: Any, control: Any, **_rest: Any) -> None:
            progress("training", state.global_step, state.max_steps)

    def rows(items: list[Window]) -> dict[str, torch.Tensor]:
        batch = collate(items, padding=padding)
        return {**batch.inputs, "labels": batch.labels}

    with tempfile.TemporaryDirectory() as folder, _chance_restored():
        arguments = TrainingArguments(output_dir=folder, **_arguments(plan, runtime))
        trainer = Trainer(
            model=model, args=arguments, train_dataset=list(windows), data_collator=rows, callbacks=[Tell()]
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return model.eval()


def _arguments(plan: Plan, runtime: Runtime) -> dict[str, Any]:
    """Our plan in the Trainer's words; nothing is logged, saved or drawn by it."""
    return {
        "num_train_epochs": plan.epochs,
        "learning_rate": plan.learning_rate,
        "per_device_train_batch_size": plan.batch_size,
        "warmup_steps": plan.warmup_steps,
        "weight_decay": plan.weight_decay,
        "lr_scheduler_type": "linear",
        "seed": runtime.seed,
        "use_cpu": runtime.device == "cpu",
        "disable_tqdm": True,
        "report_to": "none",
        "logging_strategy": "no",
        "save_strategy": "no",
        "remove_unused_columns": False,
        "dataloader_pin_memory": runtime.device != "cpu",
    }


@contextmanager
def _chance_restored() -> Iterator[None]:
    """The Trainer seeds every global generator; they get their states back."""
    states = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng():
            yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
