"""A Qwen2 GGUF as a Hugging Face folder in bf16, for vLLM and for the network of qwen.py. Needs the packages gguf, tokenizers, torch and safetensors."""

import json
from pathlib import Path

import numpy

from .spread import spread

PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"  # llama.cpp's pre-tokenizer `qwen2`
)
CONTROL, OWN = 3, 4
ROWS = 8192
PARTS = {
    'attn_q': 'self_attn.q_proj', 'attn_k': 'self_attn.k_proj', 'attn_v': 'self_attn.v_proj', 'attn_output': 'self_attn.o_proj',
    'ffn_gate': 'mlp.gate_proj', 'ffn_up': 'mlp.up_proj', 'ffn_down': 'mlp.down_proj',
    'attn_norm': 'input_layernorm', 'ffn_norm': 'post_attention_layernorm',
}  # fmt: skip
WHOLE = {'token_embd.weight': 'model.embed_tokens.weight', 'output_norm.weight': 'model.norm.weight', 'output.weight': 'lm_head.weight'}


def export(model: Path, out: Path, only: str | None = None, processes: int = 1):
    from gguf import GGUFReader

    out.mkdir(parents=True, exist_ok=True)
    reader = GGUFReader(model)
    if only != 'weights':
        write_tokenizer(reader, out)
        (out / 'config.json').write_text(json.dumps(config_of(reader), indent=2) + '\n')
        (out / 'generation_config.json').write_text(json.dumps({'bos_token_id': 151643, 'eos_token_id': [151645, 151643], 'pad_token_id': 151643}) + '\n')
    if only != 'tokenizer':
        write_weights(reader, out / 'model.safetensors', processes)


def config_of(reader) -> dict:
    number = lambda key: int(reader.fields[f'qwen2.{key}'].contents())
    return {
        'architectures': ['Qwen2ForCausalLM'],
        'model_type': 'qwen2',
        'hidden_size': number('embedding_length'),
        'num_hidden_layers': number('block_count'),
        'num_attention_heads': number('attention.head_count'),
        'num_key_value_heads': number('attention.head_count_kv'),
        'intermediate_size': number('feed_forward_length'),
        'vocab_size': len(reader.fields['tokenizer.ggml.tokens'].contents()),
        'max_position_embeddings': 32768,
        'rms_norm_eps': 1e-6,
        'rope_theta': 1e6,
        'hidden_act': 'silu',
        'tie_word_embeddings': all(tensor.name != 'output.weight' for tensor in reader.tensors),
        'torch_dtype': 'bfloat16',
        'use_sliding_window': False,
        'bos_token_id': 151643,
        'eos_token_id': 151645,
    }


def write_tokenizer(reader, out: Path):
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    tokens, merges, kinds = (reader.fields[f'tokenizer.ggml.{key}'].contents() for key in ('tokens', 'merges', 'token_type'))
    encoder = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, [tuple(merge.split(' ')) for merge in merges]))
    encoder.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(PIECES), 'isolated')
    encoder.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    encoder.decoder = decoders.ByteLevel()
    encoder.add_special_tokens([AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, kinds) if kind == CONTROL])
    encoder.add_tokens([AddedToken(t, special=False, normalized=False) for t, kind in zip(tokens, kinds) if kind == OWN])
    encoder.save(str(out / 'tokenizer.json'))
    template = reader.fields['tokenizer.chat_template'].contents()
    named = {'eos_token': '<|im_end|>', 'pad_token': '<|endoftext|>', 'bos_token': None, 'unk_token': None}
    flags = {'tokenizer_class': 'PreTrainedTokenizerFast', 'model_max_length': 32768, 'clean_up_tokenization_spaces': False, 'add_bos_token': False}
    (out / 'tokenizer_config.json').write_text(json.dumps({**flags, **named, 'chat_template': template}))


def write_weights(reader, path: Path, processes: int):
    """bf16 under Hugging Face's names. Large tensors are cut into rows, so that all processes have work."""
    import torch
    from gguf import dequantize
    from safetensors.torch import save_file

    parts = [(tensor, start) for tensor in reader.tensors for start in range(0, len(tensor.data), ROWS)]
    made = spread(lambda part: rounded(dequantize(part[0].data[part[1] : part[1] + ROWS], part[0].tensor_type)), parts, processes)
    rows = {}
    for (tensor, _), piece in zip(parts, made):
        rows.setdefault(tensor.name, []).append(piece)
    weights = {}
    for name, pieces in rows.items():
        there = WHOLE.get(name)
        if there is None:
            _, layer, part, kind = name.split('.')
            there = f'model.layers.{layer}.{PARTS[part]}.{kind}'
        weights[there] = torch.from_numpy(numpy.concatenate(pieces)).view(torch.bfloat16)
    part = path.with_suffix('.part')
    save_file(weights, str(part), metadata={'format': 'pt'})
    part.replace(path)


def rounded(values: numpy.ndarray) -> numpy.ndarray:
    """float32 to the bits of bf16, to the nearest, ties to even. Weights are finite."""
    bits = numpy.ascontiguousarray(values, dtype='<f4').view('<u4')
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype('<i2')
