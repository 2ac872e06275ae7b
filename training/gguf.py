"""GGUF, version 3: writes a network as Q8_0 with its tokenizer, and reads it back. Layout: github.com/ggml-org/ggml, docs/gguf.md."""

import struct
from pathlib import Path

import numpy
import torch

from . import tokenizer as tokens_module
from .config import Shape
from .model import EPSILON, ROTARY_BASE, Llama

ALIGNMENT = 32
U32, F32_VALUE, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5
F32, Q8_0 = 0, 8
BLOCK = 32  # weights that share one scale in Q8_0
CONTROL, NORMAL = 3, 1
# The newline stands inside the expression: Jinja drops one at the end of a template.
CHAT_TEMPLATE = "{{ bos_token }}{{ messages[-1]['content'] + '\\n' }}"


def names(shape: Shape) -> dict[str, str]:
    """GGUF's name of each parameter of the network."""
    table = {'token_embd.weight': 'embedding.weight', 'output_norm.weight': 'norm.weight'}
    parts = {
        'attn_norm': 'attention_norm', 'attn_q': 'attention.q', 'attn_k': 'attention.k', 'attn_v': 'attention.v',
        'attn_output': 'attention.output', 'ffn_norm': 'feed_norm', 'ffn_gate': 'gate', 'ffn_up': 'up', 'ffn_down': 'down',
    }  # fmt: skip
    for layer in range(shape.layers):
        for there, here in parts.items():
            table[f'blk.{layer}.{there}.weight'] = f'blocks.{layer}.{here}.weight'
    return table


def quantize(weights: numpy.ndarray) -> bytes:
    """Q8_0: blocks of 32 weights as one half-precision scale and 32 signed bytes."""
    blocks = weights.astype(numpy.float32).reshape(-1, BLOCK)
    scale = (numpy.abs(blocks).max(axis=1) / 127).astype(numpy.float16)
    divisor = numpy.where(scale == 0, 1, scale).astype(numpy.float32)[:, None]
    packed = numpy.zeros(len(blocks), dtype=[('scale', '<f2'), ('bytes', 'i1', BLOCK)])
    packed['scale'] = scale
    packed['bytes'] = numpy.clip(numpy.rint(blocks / divisor), -127, 127)
    return packed.tobytes()


def dequantize(data: bytes) -> numpy.ndarray:
    packed = numpy.frombuffer(data, dtype=[('scale', '<f2'), ('bytes', 'i1', BLOCK)])
    return (packed['scale'].astype(numpy.float32)[:, None] * packed['bytes']).ravel()


def _string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack('<Q', len(raw)) + raw


def _value(value) -> bytes:
    if isinstance(value, bool):
        return struct.pack('<I?', BOOL, value)
    if isinstance(value, int):
        return struct.pack('<II', U32, value)
    if isinstance(value, float):
        return struct.pack('<If', F32_VALUE, value)
    if isinstance(value, str):
        return struct.pack('<I', STRING) + _string(value)
    if isinstance(value[0], str):
        return struct.pack('<IIQ', ARRAY, STRING, len(value)) + b''.join(map(_string, value))
    return struct.pack(f'<IIQ{len(value)}i', ARRAY, I32, len(value), *value)


def write(path: Path, model: Llama, encoder, name: str, extra: dict):
    """Writes the network; matrices as Q8_0, norms as float32. `extra` adds metadata of our own."""
    weights = {there: model.state_dict()[here].float().cpu().numpy() for there, here in names(model.shape).items()}
    infos, data = b'', b''
    for there, weight in weights.items():
        kind = Q8_0 if weight.ndim == 2 else F32
        infos += _string(there) + struct.pack('<I', weight.ndim)
        infos += b''.join(struct.pack('<Q', size) for size in reversed(weight.shape)) + struct.pack('<IQ', kind, len(data))
        data += quantize(weight) if kind == Q8_0 else weight.astype('<f4').tobytes()
        data += b'\0' * (-len(data) % ALIGNMENT)
    table = metadata(model, encoder, name) | extra
    head = b'GGUF' + struct.pack('<IQQ', 3, len(weights), len(table))
    head += b''.join(_string(key) + _value(value) for key, value in table.items()) + infos
    part = path.with_suffix('.part')
    part.write_bytes(head + b'\0' * (-len(head) % ALIGNMENT) + data)
    part.replace(path)


def metadata(model: Llama, encoder, name: str) -> dict:
    shape = model.shape
    tokens, merges = tokens_module.tables(encoder)
    return {
        'general.architecture': 'llama',
        'general.name': name,
        'general.license': 'apache-2.0',
        'general.file_type': 7,
        'general.quantization_version': 2,
        'general.alignment': ALIGNMENT,
        'llama.vocab_size': model.vocabulary,
        'llama.context_length': 512,
        'llama.embedding_length': shape.width,
        'llama.block_count': shape.layers,
        'llama.feed_forward_length': shape.feed_forward,
        'llama.attention.head_count': shape.heads,
        'llama.attention.head_count_kv': shape.heads,
        'llama.attention.layer_norm_rms_epsilon': EPSILON,
        'llama.rope.dimension_count': shape.width // shape.heads,
        'llama.rope.freq_base': ROTARY_BASE,
        'tokenizer.ggml.model': 'gpt2',
        'tokenizer.ggml.pre': 'smollm',
        'tokenizer.ggml.tokens': tokens,
        'tokenizer.ggml.token_type': [CONTROL if i in (tokens_module.BEGIN, tokens_module.END) else NORMAL for i in range(len(tokens))],
        'tokenizer.ggml.merges': merges,
        'tokenizer.ggml.bos_token_id': tokens_module.BEGIN,
        'tokenizer.ggml.eos_token_id': tokens_module.END,
        'tokenizer.ggml.add_bos_token': True,
        'tokenizer.ggml.add_eos_token': False,
        'tokenizer.chat_template': CHAT_TEMPLATE,
        'coppice.step.delimiter': '\n',
        'coppice.answer.prefix': 'Answer: ',
        'coppice.sampling.temperature': 1.0,
    }


class Reader:
    """Reads a file that `write` made."""

    def __init__(self, path: Path):
        self.data, self.at = path.read_bytes(), 4
        assert self.data[:4] == b'GGUF', f'{path} is not GGUF'
        _, tensors, keys = self._take('<IQQ')
        self.metadata = {self._string(): self._value() for _ in range(keys)}
        self.infos = {}
        for _ in range(tensors):
            name, (dimensions,) = self._string(), self._take('<I')
            sizes = self._take(f'<{dimensions}Q')
            self.infos[name] = (tuple(reversed(sizes)), *self._take('<IQ'))
        self.start = self.at + -self.at % ALIGNMENT

    def _take(self, form: str):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def _string(self) -> str:
        (size,) = self._take('<Q')
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def _value(self, kind: int | None = None):
        kind = self._take('<I')[0] if kind is None else kind
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            item, count = self._take('<IQ')
            return [self._value(item) for _ in range(count)]
        return self._take({U32: '<I', F32_VALUE: '<f', BOOL: '<?', I32: '<i'}[kind])[0]

    def tensor(self, name: str) -> numpy.ndarray:
        sizes, kind, offset = self.infos[name]
        count, start = int(numpy.prod(sizes)), self.start + offset
        if kind == F32:
            return numpy.frombuffer(self.data, '<f4', count, start).reshape(sizes).copy()
        return dequantize(self.data[start : start + count // BLOCK * (BLOCK + 2)]).reshape(sizes)


def read(path: Path) -> Llama:
    """The network as the engine will compute it: with the quantised weights."""
    reader = Reader(path)
    table = reader.metadata
    shape = Shape(
        width=table['llama.embedding_length'],
        layers=table['llama.block_count'],
        heads=table['llama.attention.head_count'],
        feed_forward=table['llama.feed_forward_length'],
    )
    model = Llama(shape, table['llama.vocab_size'])
    model.load_state_dict({here: torch.from_numpy(reader.tensor(there)) for there, here in names(shape).items()})
    return model
