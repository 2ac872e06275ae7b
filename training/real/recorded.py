"""Sampled and scored solutions as recorded trees, for the simulator to draw from again (lab: `sim --trees`, `fit`, `calibrate --trees`). Texts stay behind: a step
is named by the start of its hash, since all that a replay needs is whether two steps are one. Solutions that begin with the same steps share them."""

import hashlib
import json
import math
from collections import defaultdict
from pathlib import Path

from . import forms

DIGITS = 8
STEP_TOKENS = 256  # of a step at most, as coppice has it


def trees(records: list[dict], scores: dict[tuple, list[float]], questions: list[dict], encoder, out: Path, name: str, model_hash: str, seed: int):
    by_question = defaultdict(list)
    for each in sorted(records, key=lambda each: (each['index'], each['sample'])):
        by_question[each['index']].append(each)
    most = max(map(len, by_question.values()))
    header = {'format': 'coppice-trees', 'version': 1, 'model': name, 'modelHash': model_hash, 'verifier': 'math-shepherd', 'samples': most, 'seed': seed}
    lines = [json.dumps(header)]
    for index, paths in sorted(by_question.items()):
        if len(paths) == most:
            prompt = len(encoder.encode(forms.chat(paths[0]['system'], questions[index]['question']), add_special_tokens=False).ids)
            tree = {'question': f'{paths[0]["set"]} {index}', 'promptTokens': prompt, 'nodes': nodes_of(paths, scores, encoder)}
            lines.append(json.dumps(tree, separators=(',', ':'), ensure_ascii=False))
    out.write_text('\n'.join(lines) + '\n')


def nodes_of(paths: list[dict], scores: dict[tuple, list[float]], encoder) -> list[dict]:
    nodes, children = [{'draws': []}], {}
    for path in paths:
        at, pieces = 0, [piece for step in zip(forms.steps_of(path['text']) or [''], scores[path['index'], path['sample']]) for piece in pieces_of(*step, encoder)]
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            key = (at, piece['step']['text'], last)
            if key not in children:
                children[key] = len(nodes)
                nodes.append({**piece, 'draws': [], **(ended(path, piece) if last else {})})
            nodes[at]['draws'].append(children[key])
            at = children[key]
    return nodes


def pieces_of(step: str, odds: float, encoder) -> list[dict]:
    """A step as coppice would have drawn it: cut after `STEP_TOKENS`. Its score was read at its end; the pieces before have the same."""
    tokens = len(encoder.encode(step, add_special_tokens=False).ids) + 1  # and the blank line, or the end
    name, reward = hashlib.sha256(step.encode()).hexdigest()[:DIGITS], round(1 / (1 + math.exp(-odds)), 3)
    cut = [STEP_TOKENS] * ((tokens - 1) // STEP_TOKENS)
    sizes = [*((size, 'length') for size in cut), (tokens - sum(cut), 'delimiter')]
    return [{'step': {'text': f'{name}.{at}' if cut else name, 'tokens': size, 'meanLogprob': 0, 'end': end}, 'reward': reward} for at, (size, end) in enumerate(sizes)]


def ended(path: dict, piece: dict) -> dict:
    """The last piece of a solution; one that was cut at its limit has ended too, without an answer. A replay reads the answer as it reads any text."""
    answer = path['answer']
    text = piece['step']['text'] + ('' if answer is None else f' \\boxed{{{answer}}}')
    return {'step': {**piece['step'], 'text': text, 'end': 'eos'}, 'right': path['right'], **({} if answer is None else {'answer': answer})}
