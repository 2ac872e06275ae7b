"""How sure the generator was of each token of recorded solutions, by DeepConf (arXiv 2508.15260): minus the mean log probability of the 20 likeliest candidates,
read by feeding the solutions back (teacher forcing) at temperature 1. A solution is tokenised from its text, which now and then differs from what was drawn; `about`
counts those whose length differs. Written per file of solutions, for the lab (`votes`): see `write`."""

import gzip
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F

from . import forms
from .qwen import Qwen
from .rollouts import STOPS
from .score import by_length
from .spread import spread

CANDIDATES = 20
ROWS = {'cuda': 4096, 'cpu': 256}  # tokens whose logits are held at a time: 0.9 MB each
BLOCK = 128
SCALE = 100  # confidences are kept in hundredths


@dataclass(frozen=True)
class Reading:
    """A solution as it is fed back: `document.at` are the places whose next tokens were drawn, `steps` how many of these each step has."""

    document: forms.Document
    steps: list[int]


def reading_of(record: dict, question: str, encoder) -> Reading:
    prompt = encoder.encode(forms.chat(record['system'], question), add_special_tokens=False).ids
    encoding = encoder.encode(record['text'], add_special_tokens=False)
    drawn = encoding.ids + (STOPS[:1] if record['end'] == 'stop' or not encoding.ids else [])
    ids = [*prompt, *drawn[:-1]]
    return Reading(forms.Document(ids, list(range(len(prompt) - 1, len(ids)))), step_tokens(record['text'], encoding.offsets, len(drawn)))


def step_tokens(text: str, offsets: list[tuple[int, int]], drawn: int) -> list[int]:
    """A step ends with the token that completes a blank line, as a server's stop at one ends it; empty steps are part of the one before."""
    ends, at = [], text.find(forms.DELIMITER)
    while at >= 0:
        ends.append(at + len(forms.DELIMITER))
        at = text.find(forms.DELIMITER, ends[-1])
    counts, before, token, begun = [], 0, 0, 0
    for end in ends:
        while token < len(offsets) and offsets[token][1] < end:
            token += 1
        place = min(token + 1, len(offsets))
        if text[begun:end].strip() and text[end:].strip() and place > before:
            counts.append(place - before)
            before = place
        begun = end
    return [*counts, drawn - before]


def likeliest(logits: torch.Tensor) -> torch.Tensor:
    """The highest values of each row. The 20 highest lie in the 20 blocks with the highest maxima, which are found in one pass over the vocabulary."""
    if logits.shape[1] % BLOCK or logits.shape[1] < BLOCK * CANDIDATES:
        return logits.topk(min(CANDIDATES, logits.shape[1])).values
    blocks = logits.view(logits.shape[0], -1, BLOCK)
    best = blocks.amax(-1).topk(CANDIDATES).indices
    few = blocks.gather(1, best[:, :, None].expand(-1, -1, BLOCK))
    return few.flatten(1).topk(CANDIDATES).values


@torch.inference_mode()
def confidences(model: Qwen, documents: list[forms.Document]) -> list[numpy.ndarray]:
    ids, rows, at = model.pack(documents)
    hidden, parts = model(ids, rows).index_select(0, at), []
    for piece in hidden.split(ROWS[str(model.device)]):
        # The logits in the model's own precision, the softmax over them in float32: as vLLM does it.
        logits = F.linear(piece, model.base['lm_head.weight'])
        total = logits[:, :1].float() - F.log_softmax(logits, -1, dtype=torch.float32)[:, :1]
        parts.append((total - likeliest(logits).float()).mean(-1))
    told = torch.cat(parts).cpu().numpy()
    return numpy.split(told, numpy.cumsum([len(each.at) for each in documents])[:-1])


def read(model: Qwen, readings: list[Reading]) -> list[numpy.ndarray]:
    documents, found = [each.document for each in readings], [None] * len(readings)
    for batch in by_length(documents):
        for at, values in zip(batch, confidences(model, [documents[at] for at in batch])):
            found[at] = values
    return found


def write(records: list[dict], readings: list[Reading], found: list[numpy.ndarray], out: Path):
    """Gzipped: a line of JSON that names the solutions and the tokens of their steps, then all confidences in hundredths, their low bytes before their high ones."""
    head = {'scale': SCALE, 'solutions': [[each['set'], each['index'], each['sample'], reading.steps] for each, reading in zip(records, readings)]}
    values = numpy.concatenate([numpy.clip(numpy.rint(each * SCALE), 0, 65535).astype('<u2') for each in found])
    part = out.with_suffix('.part')
    with gzip.open(part, 'wb', compresslevel=6) as file:
        file.write(json.dumps(head, separators=(',', ':')).encode() + b'\n')
        file.write((values & 255).astype('u1').tobytes() + (values >> 8).astype('u1').tobytes())
    part.replace(out)


def run(model_of, encoder, questions: dict, files: list[tuple[Path, list[dict]]], out: Path, processes: int) -> dict:
    """Documents are made in forked processes before `model_of` first touches the GPU."""
    out.mkdir(parents=True, exist_ok=True)
    make = lambda each: reading_of(each, questions[each['set']][each['index']]['question'], encoder)
    made = [(file, records, spread(make, records, processes)) for file, records in files]
    model, began, about = model_of(), time.time(), {'solutions': 0, 'tokens': 0, 'read tokens': 0, 'of other length': 0, 'mean': 0.0}
    for file, records, readings in made:
        found = read(model, readings)
        write(records, readings, found, out / f'{file.stem.replace("solutions", "confidences")}.gz')
        about['solutions'] += len(records)
        about['tokens'] += sum(map(len, found))
        about['read tokens'] += sum(len(each.document.ids) for each in readings)
        about['of other length'] += sum(len(values) != each['tokens'] for each, values in zip(records, found))
        about['mean'] += sum(float(each.sum()) for each in found)
        print(f'{file.name}: {time.time() - began:.0f} s, {about["tokens"]} tokens', flush=True)
    return {**about, 'mean': round(about['mean'] / max(1, about['tokens']), 3), 'seconds': round(time.time() - began, 1)}
