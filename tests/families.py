"""A tiny random model of every family that the seam is tested on: two layers of four heads of size 6."""

from typing import Any

import torch
import transformers

_ENCODER = {
    "vocab_size": 60,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_GROUPED = {**_ENCODER, "num_key_value_heads": 2, "head_dim": 6}
_BOTH = {
    "vocab_size": 60,
    "d_model": 24,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 64,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
_T5 = {"vocab_size": 60, "d_model": 24, "d_kv": 6, "d_ff": 32, "num_layers": 2, "num_heads": 4}
_XLM = {"vocab_size": 60, "emb_dim": 24, "n_layers": 2, "n_heads": 4, "max_position_embeddings": 64}
_GPT2 = {"vocab_size": 60, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 64, "bos_token_id": 1}
_DISTIL = {"vocab_size": 60, "dim": 24, "n_layers": 2, "n_heads": 4, "hidden_dim": 32, "max_position_embeddings": 64}
_DEBERTA = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8}
_WHISPER = {"num_mel_bins": 8, "max_source_positions": 10, "max_target_positions": 20}
_VIT = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}

# name → class stem, config, stacks, whether this version can cut it
FAMILIES: dict[str, tuple[str, dict[str, Any], str, bool]] = {
    "bert": ("Bert", _ENCODER, "encoder", True),
    "roberta": ("Roberta", _ENCODER, "encoder", True),
    "xlm-roberta": ("XLMRoberta", _ENCODER, "encoder", True),
    "camembert": ("Camembert", _ENCODER, "encoder", True),
    "electra": ("Electra", {**_ENCODER, "embedding_size": 24}, "encoder", True),
    "albert": ("Albert", {**_ENCODER, "embedding_size": 16}, "encoder", True),
    "distilbert": ("DistilBert", _DISTIL, "encoder", True),
    "modernbert": ("ModernBert", {**_ENCODER, "cls_token_id": 1, "sep_token_id": 2}, "encoder", True),
    "deberta-v2": ("DebertaV2", {**_ENCODER, **_DEBERTA}, "encoder", False),
    "xlm": ("XLM", _XLM, "encoder", True),
    "vit": ("ViT", {**_VIT, "image_size": 8, "patch_size": 4}, "encoder", True),
    "t5": ("T5", _T5, "encoder decoder cross", False),
    "mt5": ("MT5", _T5, "encoder decoder cross", False),
    "umt5": ("UMT5", _T5, "encoder decoder cross", False),
    "marian": ("Marian", _BOTH, "encoder decoder cross", True),
    "bart": ("Bart", _BOTH, "encoder decoder cross", True),
    "mbart": ("MBart", _BOTH, "encoder decoder cross", True),
    "m2m_100": ("M2M100", _BOTH, "encoder decoder cross", True),
    "pegasus": ("Pegasus", _BOTH, "encoder decoder cross", True),
    "whisper": ("Whisper", {**_BOTH, **_WHISPER}, "encoder decoder cross", True),
    "gpt2": ("GPT2", {**_GPT2, "eos_token_id": 2}, "decoder", True),
    "opt": ("OPT", {**_ENCODER, "ffn_dim": 32, "word_embed_proj_dim": 24}, "decoder", True),
    "gpt_neox": ("GPTNeoX", _ENCODER, "decoder", True),
    "llama": ("Llama", _GROUPED, "decoder", True),
    "mistral": ("Mistral", _GROUPED, "decoder", True),
    "qwen2": ("Qwen2", _GROUPED, "decoder", True),
    "qwen3": ("Qwen3", _GROUPED, "decoder", True),
    "gemma2": ("Gemma2", _GROUPED, "decoder", True),
    "gemma3_text": ("Gemma3Text", _GROUPED, "decoder", True),
    "phi3": ("Phi3", _GROUPED, "decoder", False),
}
GROUPED = tuple(name for name, (_, config, _, _) in FAMILIES.items() if config is _GROUPED)


def family_model(name: str, *, seed: int = 0) -> Any:
    """A random model, weights large enough for every head to matter."""
    stem, config, _, _ = FAMILIES[name]
    made = getattr(transformers, f"{stem}Config")(**{**config, "initializer_range": 0.3, "init_std": 0.3})
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return getattr(transformers, f"{stem}Model")(made).eval()
