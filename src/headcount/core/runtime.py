"""Runtime: where and how a model runs, as asked for and as it came out. Only words and numbers; torch is elsewhere."""

from dataclasses import dataclass
from typing import final

from headcount.core.errors import BadInput
from headcount.core.signature import Setting

# Far past any use; a number beyond it is a slip, and can end the process.
_MOST_THREADS = 1024


@final
@dataclass(frozen=True, kw_only=True)
class Runtime:
    """The options that every command that runs a model has; `auto` and None are settled when the model is loaded."""

    device: str = "auto"
    dtype: str = "float32"
    threads: int | None = None
    batch_tokens: int = 8_192
    seed: int = 0

    def __post_init__(self) -> None:
        if self.batch_tokens < 1:
            raise BadInput(f"--batch-tokens must be at least 1, not {self.batch_tokens}.")
        if self.threads is not None and self.threads < 1:
            raise BadInput(f"--threads must be at least 1, not {self.threads}.")
        if self.threads is not None and self.threads > _MOST_THREADS:
            raise BadInput(f"--threads must be at most {_MOST_THREADS}, not {self.threads}.")
        if not 0 <= self.seed < 2**32:
            raise BadInput(f"--seed must lie between 0 and {2**32 - 1}, not {self.seed}.")

    def settings(self) -> dict[str, Setting]:
        """For signatures; the device by kind, because bits are promised per kind."""
        return {
            "device": self.device.partition(":")[0],
            "dtype": self.dtype,
            "threads": self.threads,
            "batch_tokens": self.batch_tokens,
            "seed": self.seed,
        }
