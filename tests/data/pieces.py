"""A tokenizer of single characters, wrapped as the lab wraps its own (`lab/nursery`); nothing is trained."""

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CHARACTERS = "abcdeé-.क\u094dषשلله"


def make_tokenizer(*, start="[CLS]", end="[SEP]", unknown=True):
    """WordPiece over a few characters; controls and joiners leave nothing, as in multilingual BERT."""
    letters = sorted(set(CHARACTERS))
    names = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    inner = Tokenizer(models.WordPiece({name: number for number, name in enumerate(names)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.BertNormalizer(lowercase=False)])
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.add_special_tokens([AddedToken(name, special=True) for name in SPECIAL])
    ends = [(name, names.index(name)) for name in (start, end) if name]
    parts = [part for part in (start, "$A", end) if part]
    inner.post_processor = processors.TemplateProcessing(single=" ".join(parts), special_tokens=ends)
    named = {"unk_token": "[UNK]"} if unknown else {}
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="[PAD]", **named)
