"""Sampled and scored solutions as recorded trees, for the simulator to draw from again (lab: `sim --trees`, `fit`, `calibrate --trees`). Texts stay behind: a step
is named by the start of its hash, since all that a replay needs is whether two steps are one. Solutions that begin with the same steps share them."""

import hashlib
import json
import math
from collections import defaultdict
from pathlib import Path

from . import forms

DIGITS = 8


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
        steps, odds, at = forms.steps_of(path['text']) or [''], scores[path['index'], path['sample']], 0
        for number, step in enumerate(steps):
            last = number == len(steps) - 1
            key = (at, step, last)
            if key not in children:
                children[key] = len(nodes)
                nodes.append(node_of(path, step, odds[number], last, encoder))
            nodes[at]['draws'].append(children[key])
            at = children[key]
    return nodes


def node_of(path: dict, step: str, odds: float, last: bool, encoder) -> dict:
    tokens = len(encoder.encode(step, add_special_tokens=False).ids) + 1
    end = 'eos' if last else 'delimiter'  # one that was cut at its limit has ended too, without an answer
    answer = f' \\boxed{{{path["answer"]}}}' if last and path['answer'] is not None else ''  # a replay reads it as it reads any text
    said = {'text': hashlib.sha256(step.encode()).hexdigest()[:DIGITS] + answer, 'tokens': tokens, 'meanLogprob': 0, 'end': end}
    node = {'step': said, 'reward': round(1 / (1 + math.exp(-odds)), 3), 'draws': []}
    return {**node, 'right': path['right'], **({} if path['answer'] is None else {'answer': path['answer']})} if last else node
