"""Writes a sapling in Hugging Face format (config, tokenizer, safetensors), so that vLLM, SGLang or transformers can serve it."""

import json
import struct
from pathlib import Path

import numpy

from . import gguf, tokenizer
from .model import EPSILON, ROTARY_BASE, Llama


def export(model_file: Path, tokenizer_file: Path, out: Path):
    model = gguf.read(model_file)
    out.mkdir(parents=True, exist_ok=True)
    write_safetensors(out / 'model.safetensors', weights_of(model))
    (out / 'config.json').write_text(json.dumps(config_of(model), indent=2) + '\n')
    (out / 'generation_config.json').write_text(json.dumps({'do_sample': True, 'temperature': 1.0, **special_ids()}, indent=2) + '\n')
    (out / 'tokenizer_config.json').write_text(json.dumps(tokenizer_config(), indent=2) + '\n')
    write_tokenizer(tokenizer_file, out / 'tokenizer.json')


def weights_of(model: Llama) -> dict[str, numpy.ndarray]:
    table = {'model.embed_tokens.weight': 'embedding.weight', 'model.norm.weight': 'norm.weight'}
    parts = {
        'input_layernorm': 'attention_norm', 'self_attn.q_proj': 'attention.q', 'self_attn.k_proj': 'attention.k',
        'self_attn.v_proj': 'attention.v', 'self_attn.o_proj': 'attention.output', 'post_attention_layernorm': 'feed_norm',
        'mlp.gate_proj': 'gate', 'mlp.up_proj': 'up', 'mlp.down_proj': 'down',
    }  # fmt: skip
    for layer in range(model.shape.layers):
        for there, here in parts.items():
            table[f'model.layers.{layer}.{there}.weight'] = f'blocks.{layer}.{here}.weight'
    state = {name: weight.numpy() for name, weight in model.state_dict().items()}
    return {there: _halves(state[here], model.shape.heads) if _rotated(there) else state[here] for there, here in table.items()}


def _rotated(name: str) -> bool:
    return name.endswith(('q_proj.weight', 'k_proj.weight'))


def _halves(weight: numpy.ndarray, heads: int) -> numpy.ndarray:
    """Rows from interleaved rotary pairs (ours and GGUF's) to the two halves that transformers rotates."""
    return numpy.ascontiguousarray(weight.reshape(heads, -1, 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape))


def write_safetensors(path: Path, weights: dict[str, numpy.ndarray]):
    """The safetensors format: the length of a JSON header, the header, the data."""
    header, offset = {'__metadata__': {'format': 'pt'}}, 0
    for name, weight in weights.items():
        header[name] = {'dtype': 'F32', 'shape': list(weight.shape), 'data_offsets': [offset, offset + weight.nbytes]}
        offset += weight.nbytes
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + b''.join(weight.tobytes() for weight in weights.values()))


def special_ids() -> dict:
    return {'bos_token_id': tokenizer.BEGIN, 'eos_token_id': tokenizer.END}


def config_of(model: Llama) -> dict:
    shape = model.shape
    return {
        'architectures': ['LlamaForCausalLM'],
        'model_type': 'llama',
        'vocab_size': model.vocabulary,
        'hidden_size': shape.width,
        'intermediate_size': shape.feed_forward,
        'num_hidden_layers': shape.layers,
        'num_attention_heads': shape.heads,
        'num_key_value_heads': shape.heads,
        'head_dim': shape.width // shape.heads,
        'hidden_act': 'silu',
        'max_position_embeddings': 512,
        'rms_norm_eps': EPSILON,
        'rope_theta': ROTARY_BASE,
        'rope_parameters': {'rope_type': 'default', 'rope_theta': ROTARY_BASE},
        'attention_bias': False,
        'mlp_bias': False,
        'tie_word_embeddings': True,
        'torch_dtype': 'float32',
        **special_ids(),
    }


def tokenizer_config() -> dict:
    begin, end = tokenizer.SPECIAL
    return {
        'tokenizer_class': 'PreTrainedTokenizerFast',
        'bos_token': begin,
        'eos_token': end,
        'model_max_length': 512,
        'clean_up_tokenization_spaces': False,
        'chat_template': gguf.CHAT_TEMPLATE,
    }


def write_tokenizer(source: Path, path: Path):
    """Our tokenizer with the begin token put in front, as the GGUF's metadata asks of llama.cpp."""
    begin = tokenizer.SPECIAL[0]
    table = json.loads(source.read_text())
    first = {'SpecialToken': {'id': begin, 'type_id': 0}}
    table['post_processor'] = {
        'type': 'TemplateProcessing',
        'single': [first, {'Sequence': {'id': 'A', 'type_id': 0}}],
        'pair': [first, {'Sequence': {'id': 'A', 'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 1}}],
        'special_tokens': {begin: {'id': begin, 'ids': [tokenizer.BEGIN], 'tokens': [begin]}},
    }
    path.write_text(json.dumps(table, ensure_ascii=False, indent=1) + '\n')
