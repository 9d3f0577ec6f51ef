"""Models and tokenizers from a folder or the hub, at a known revision; saved so that they load again exactly."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn
from transformers.utils import cached_file, logging

from headcount.core.errors import BadFile, BadInput, CannotWrite, NotSupported, pick
from headcount.core.files import whole_folder
from headcount.core.heads import Layout
from headcount.core.runtime import Runtime
from headcount.model import surgery
from headcount.model.anatomy import anatomy_of

HEADS = {"tag": "AutoModelForTokenClassification"}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
WEIGHTS = "model.safetensors"


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Loaded:
    """A model that is ready to run, with what must be known to find it again."""

    model: nn.Module
    tokenizer: Any
    name: str
    revision: str
    runtime: Runtime
    stored: torch.dtype = torch.float32  # the precision the checkpoint was saved in


def settle(runtime: Runtime) -> Runtime:
    """Turn `auto` into what this machine has, and set the threads; refuse what it has not."""
    device = runtime.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise BadInput(f"--device {device}: this machine has no CUDA device; use --device cpu.")
    try:
        kind = torch.device(device).type
    except RuntimeError as problem:
        raise BadInput(f"--device {device!r} is no device torch knows: try cpu, cuda or cuda:1.") from problem
    if kind not in ("cpu", "cuda", "mps") or (kind == "mps" and not torch.backends.mps.is_available()):
        raise BadInput(f"--device {device}: models cannot run there on this machine; use cpu, cuda or mps.")
    if kind == "cuda" and (torch.device(device).index or 0) >= torch.cuda.device_count():
        raise BadInput(f"--device {device}: this machine has {torch.cuda.device_count()} CUDA devices.")
    pick(DTYPES, runtime.dtype, kind="dtype")
    if runtime.threads is not None:
        torch.set_num_threads(runtime.threads)
    return replace(runtime, device=device, threads=torch.get_num_threads())


def load(name: str | Path, *, head: str | None, runtime: Runtime, revision: str | None = None) -> Loaded:
    """Load a checkpoint with the head its task needs; weights that are missing are an error, never made up.

    Without a `head` it is loaded as what its config says it is.
    """
    runtime = settle(runtime)
    with _quiet(), _own_chance():
        config = _config(name, revision)
        stored = getattr(config, "dtype", None)
        auto = _class_of(config) if head is None else getattr(transformers, pick(HEADS, head, kind="model head"))
        if getattr(config, "headcount_layout", None) is not None:
            model = _load_cut(name, auto, config, revision)
        else:
            model = _load_whole(name, auto, config, revision)
    model = model.to(device=runtime.device, dtype=DTYPES[runtime.dtype]).eval()
    return Loaded(
        model=model,
        tokenizer=load_tokenizer(name, revision) if head is not None else _any_tokenizer(name, revision),
        name=str(name),
        revision=getattr(config, "_commit_hash", None) or _fingerprint(model),
        runtime=runtime,
        stored=stored if isinstance(stored, torch.dtype) else torch.float32,
    )


def load_tokenizer(name: str | Path, revision: str | None = None) -> Any:
    """The tokenizer of a checkpoint; one that cannot align words and pieces is refused."""
    with _quiet():
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, revision=revision)
        except (OSError, ValueError) as problem:
            raise BadInput(f"{name} has no tokenizer that loads: {_first_line(problem)}") from problem
    if not tokenizer.is_fast:
        raise NotSupported(f"{name} has a slow tokenizer; a fast one is needed to align words and pieces.")
    return tokenizer


def _any_tokenizer(name: str | Path, revision: str | None) -> Any | None:
    """The tokenizer that goes with a model nobody asked a text of; models of images and sound have none."""
    with _quiet():
        try:
            return transformers.AutoTokenizer.from_pretrained(name, revision=revision)
        except (OSError, ValueError, KeyError):
            return None


def save(model: nn.Module, tokenizer: Any, folder: Path | str, *, replace: bool = False) -> Path:
    """Write model and tokenizer as one folder, whole or not at all; an older one only gives way if asked to."""
    try:
        with whole_folder(folder, replace=replace) as place, _quiet():
            model.save_pretrained(place)
            if tokenizer is not None:
                tokenizer.save_pretrained(place)
    except SafetensorError as problem:  # the disk's refusal, in the words of safetensors
        raise CannotWrite(f"Cannot write {folder}: {_first_line(problem)}. Nothing was left half-written.") from problem
    return Path(folder)


def _config(name: str | Path, revision: str | None) -> Any:
    if revision is not None and Path(name).is_dir():
        raise BadInput(f"{name} is a folder, which has no revisions; leave --revision out.")
    try:
        return transformers.AutoConfig.from_pretrained(name, revision=revision)
    except (OSError, ValueError) as problem:
        there = "the folder is there but holds no config that loads" if Path(name).is_dir() else "no such folder"
        raise BadInput(
            f"No model {str(name)!r}: {there}, and the hub did not give it either ({_first_line(problem)})."
        ) from problem


def _class_of(config: Any) -> Any:
    """The class a checkpoint was saved from; an encoder without a task where it does not say."""
    for name in getattr(config, "architectures", None) or ():
        if hasattr(transformers, name):
            return getattr(transformers, name)
    return transformers.AutoModel


def _load_whole(name: str | Path, auto: Any, config: Any, revision: str | None) -> nn.Module:
    try:
        model, report = auto.from_pretrained(
            name, config=config, revision=revision, use_safetensors=True, output_loading_info=True, dtype=torch.float32
        )
    except (OSError, ValueError, RuntimeError, SafetensorError) as problem:
        raise BadInput(f"{name} does not load as {auto.__name__}: {_first_line(problem)}") from problem
    # a bare encoder's pooler is never run by us: a checkpoint without one is whole all the same
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise BadInput(
            f"{name} has no trained weights for {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}: {auto.__name__} would make them up. "
            "Fine-tune the model for this task first."
        )
    return model


def _load_cut(name: str | Path, auto: Any, config: Any, revision: str | None) -> nn.Module:
    """Build the full shape, cut it by the plan in the config, then read the weights strictly."""
    plan, config.headcount_layout = Layout.from_json(config.headcount_layout), None
    build = getattr(auto, "from_config", auto)
    model = build(config)
    surgery.keep_heads(model, plan)
    path = cached_file(name, WEIGHTS, revision=revision, _raise_exceptions_for_missing_entries=False)
    if path is None:
        raise BadFile(f"the cut model lacks its weights ({WEIGHTS}).", path=name)
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as problem:
        raise BadFile(f"the weights are damaged: {_first_line(problem)}", path=path) from problem
    try:
        found = model.load_state_dict(weights, strict=False)
    except RuntimeError as problem:
        raise BadFile(f"weights and plan do not fit: {_first_line(problem)}", path=path) from problem
    tied = set(getattr(model, "all_tied_weights_keys", None) or ())
    missing = [key for key in found.missing_keys if key not in tied]
    if missing or found.unexpected_keys:
        raise BadFile(f"weights missing {missing[:3]} or unknown {found.unexpected_keys[:3]}.", path=path)
    model.tie_weights()
    anatomy_of(model)
    return model


def _fingerprint(model: nn.Module) -> str:
    """Content hash of the weights: the revision of a model that came from no hub."""
    digest = hashlib.sha256()
    for name, values in model.state_dict().items():
        digest.update(name.encode())
        digest.update(values.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()[:12]


def _first_line(problem: BaseException) -> str:
    return str(problem).strip().split("\n")[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Transformers' bars and load reports are silenced for one call; what matters in them is checked by us."""
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _own_chance() -> Iterator[None]:
    """Building a model draws random weights; the caller's generator must not feel it."""
    with torch.random.fork_rng(devices=[]):
        yield
