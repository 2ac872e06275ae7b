"""Reads and writes LoRA adapters: as PEFT writes them (what vLLM and transformers load) and as GGUF (what llama.cpp loads)."""

import hashlib
import json
import struct
from datetime import date
from pathlib import Path

from ..gguf import ALIGNMENT, _string, _value
from .base import PARTS
from .forms import BAD, GOOD, MARKER
from .qwen import FOLDER, Qwen

F16 = 1
# How coppice's embedded engine is to read it.
READING = {'format': 1, 'good': GOOD, 'bad': BAD, 'marker': MARKER, 'aggregation': 'last'}


def save(model: Qwen, out: Path, name: str):
    import torch
    from safetensors.torch import save_file

    out.mkdir(parents=True, exist_ok=True)
    weights = {}
    for half, table in (('lora_A', model.down), ('lora_B', model.up)):
        for key, weight in table.items():
            layer, target = key.split('-')
            place = f'base_model.model.model.layers.{layer}.{FOLDER[target]}.{target}.{half}.weight'
            weights[place] = weight.detach().to('cpu', torch.bfloat16).contiguous()
    save_file(weights, str(out / 'adapter_model.safetensors'), metadata={'format': 'pt'})
    (out / 'adapter_config.json').write_text(json.dumps(config_of(model, name), indent=2) + '\n')
    sign(out)


def sign(out: Path):
    """What coppice reads beside the weights: how they speak, and their sum."""
    write_reading(out, READING)
    digest = hashlib.sha256((out / 'adapter_model.safetensors').read_bytes()).hexdigest()
    (out / 'SHA256SUMS').write_text(f'{digest}  adapter_model.safetensors\n')


def write_reading(out: Path, reading: dict):
    (out / 'reward-model.json').write_text(json.dumps(reading, ensure_ascii=False, indent=2) + '\n', encoding='utf-8')


def note_measured(folder: Path, figures: dict, today: date):
    """Says beside the weights what they were measured on: sets of test questions, and the AUC within a question after the last step."""
    reading = json.loads((folder / 'reward-model.json').read_text(encoding='utf-8'))
    sets = [
        {'name': name, 'questions': part['choosing']['questions'], 'auc': round(part['telling']['last']['pairs within questions'], 3)}
        for name, part in figures.items()
        if name != 'about'
    ]
    write_reading(folder, {**reading, 'measured': {'date': today.isoformat(), 'steps': 'blank lines', 'sets': sets}})


def config_of(model: Qwen, name: str) -> dict:
    return {
        'peft_type': 'LORA',
        'task_type': 'CAUSAL_LM',
        'base_model_name_or_path': name,
        'r': model.rank,
        'lora_alpha': model.alpha,
        'lora_dropout': 0.0,
        'bias': 'none',
        'fan_in_fan_out': False,
        'inference_mode': True,
        'target_modules': list(model.targets),
        'use_dora': False,
        'use_rslora': False,
    }


def load(folder: Path) -> tuple[dict, dict]:
    """The configuration and the weights, by the names in the file, as float32."""
    from safetensors.torch import load_file

    config = json.loads((folder / 'adapter_config.json').read_text())
    return config, {name: weight.float() for name, weight in load_file(str(folder / 'adapter_model.safetensors')).items()}


def shrink(folder: Path, rank: int, out: Path):
    """The nearest adapter of a lower rank, module by module, by singular values; the strength alpha / rank stays as it was."""
    import torch
    from safetensors.torch import save_file

    config, weights = load(folder)
    halves = {name.rsplit('.lora_A', 1)[0] for name in weights if '.lora_A.' in name}
    smaller, left, whole = {}, 0.0, 0.0
    for module in sorted(halves):
        down, up = weights[f'{module}.lora_A.weight'], weights[f'{module}.lora_B.weight']
        q_up, r_up = torch.linalg.qr(up)
        q_down, r_down = torch.linalg.qr(down.T)
        u, sizes, v = torch.linalg.svd(r_up @ r_down.T)
        root = sizes[:rank].sqrt()
        smaller[f'{module}.lora_B.weight'] = (q_up @ u[:, :rank] * root).to(torch.bfloat16).contiguous()
        smaller[f'{module}.lora_A.weight'] = (root[:, None] * (v[:rank] @ q_down.T)).to(torch.bfloat16).contiguous()
        left, whole = left + float((sizes[rank:] ** 2).sum()), whole + float((sizes**2).sum())
    out.mkdir(parents=True, exist_ok=True)
    save_file(smaller, str(out / 'adapter_model.safetensors'), metadata={'format': 'pt'})
    about = {**config, 'r': rank, 'lora_alpha': config['lora_alpha'] * rank / config['r']}
    (out / 'adapter_config.json').write_text(json.dumps(about, indent=2) + '\n')
    sign(out)
    print(f'rank {config["r"]} to {rank}: {left / whole:.4f} of the squared weights left out')


def merge(base: Path, folder: Path, out: Path):
    """The base with the adapter added to its weights: a reward model for servers that take no adapters, or that are slower with one."""
    import shutil

    from safetensors.torch import load_file, save_file

    config, weights = load(folder)
    strength = config['lora_alpha'] / config['r']
    merged = load_file(str(base / 'model.safetensors'))
    for name, down in weights.items():
        if '.lora_A.' not in name:
            continue
        place = name.removeprefix('base_model.model.').replace('.lora_A.weight', '.weight')
        change = strength * weights[name.replace('.lora_A.', '.lora_B.')] @ down
        merged[place] = (merged[place].float() + change).to(merged[place].dtype).contiguous()
    out.mkdir(parents=True, exist_ok=True)
    for file in base.glob('*.json'):
        shutil.copy(file, out / file.name)
    save_file(merged, str(out / 'model.safetensors'), metadata={'format': 'pt'})


def fill(model: Qwen, folder: Path):
    """Puts the adapter of a folder into a network that was made with its rank, alpha and targets."""
    import torch

    _, weights = load(folder)
    with torch.no_grad():
        for name, weight in weights.items():
            *_, layer, _, target, half, _ = name.split('.')
            (model.down if half == 'lora_A' else model.up)[f'{layer}-{target}'].copy_(weight)


def open_model(base: Path, folder: Path | None, device='cpu', dtype=None, network=Qwen) -> Qwen:
    """The base with an adapter, or bare."""
    import torch

    dtype = dtype or torch.bfloat16
    if folder is None:
        return Qwen(base, device, dtype)
    config = json.loads((folder / 'adapter_config.json').read_text())
    model = network(base, device, dtype, config['r'], config['lora_alpha'], config['target_modules'])
    fill(model, folder)
    return model


def write_gguf(folder: Path, out: Path, name: str):
    """The same adapter for llama.cpp (`--lora FILE`), in half precision."""
    config, weights = load(folder)
    there = {target: part for part, target in ((part, place.split('.')[-1]) for part, place in PARTS.items())}
    table = {
        'general.type': 'adapter',
        'general.architecture': 'qwen2',
        'general.name': name,
        'general.license': 'apache-2.0',
        'general.alignment': ALIGNMENT,
        'general.file_type': F16,
        'adapter.type': 'lora',
        'adapter.lora.alpha': float(config['lora_alpha']),
    }
    infos, data = b'', b''
    for name_here, weight in weights.items():
        *_, layer, _, target, half, _ = name_here.split('.')
        values = weight.numpy().astype('<f2')
        infos += _string(f'blk.{layer}.{there[target]}.weight.{half.lower()}') + struct.pack('<I', values.ndim)
        infos += b''.join(struct.pack('<Q', size) for size in reversed(values.shape)) + struct.pack('<IQ', F16, len(data))
        data += values.tobytes()
        data += b'\0' * (-len(data) % ALIGNMENT)
    head = b'GGUF' + struct.pack('<IQQ', 3, len(weights), len(table))
    head += b''.join(_string(key) + _value(value) for key, value in table.items()) + infos
    part = out.with_suffix('.part')
    part.write_bytes(head + b'\0' * (-len(head) % ALIGNMENT) + data)
    part.replace(out)
