"""From sampled solutions to what the reward model learns: documents with a target for each step. The target of a step is the share of right solutions among all
that were drawn through it (Monte Carlo); `outcome` gives every step of a solution what became of that solution."""

import random
from collections import defaultdict
from dataclasses import dataclass

from . import forms
from .spread import spread

EMBEDDED_SHARE = 0.3  # documents in the form of the embedded engine
LONGEST = 1400  # tokens; longer documents are left out
UNMIXED_ROOTS = 2  # solutions kept of a question whose solutions agree


@dataclass(frozen=True)
class Example:
    document: forms.Document
    targets: list[float]
    weights: list[float]
    question: tuple[str, int]
    right: bool


def trees_of(records: list[dict]) -> dict[tuple, list[dict]]:
    trees = defaultdict(list)
    for each in records:
        trees[each['set'], each['index'], each['system']].append(each)
    return trees


def targets_of(record: dict, tree: list[dict], count: int, labels: str) -> list[float]:
    """One target per step of the first `count`. All solutions drawn through a step are unbiased guesses of its chance, its own among them."""
    if labels == 'outcome':
        return [float(record['right'])] * count
    origin = record['sample'] if record['parent'] is None else record['parent']
    family = [each for each in tree if each['parent'] == origin]
    root = next(each for each in tree if each['parent'] is None and each['sample'] == origin)
    targets = []
    for step in range(1, count + 1):
        if record['parent'] is not None and step > record['shared']:
            targets.append(float(record['right']))
            continue
        through = [root, *(each for each in family if each['shared'] >= step)]
        targets.append(sum(each['right'] for each in through) / len(through))
    return targets


def kept_of(tree: list[dict], chance: random.Random) -> list[dict]:
    """The solutions of a question that are worth reading: all first ones where they disagree, and of each branching point a right and a wrong one."""
    roots = [each for each in tree if each['parent'] is None]
    if len({each['right'] for each in tree}) == 1:
        return chance.sample(roots, min(UNMIXED_ROOTS, len(roots)))
    kept = list(roots)
    for parent in sorted({each['parent'] for each in tree if each['parent'] is not None}):
        for side in (True, False):
            branches = [each for each in tree if each['parent'] == parent and each['right'] == side]
            kept += chance.sample(branches, min(1, len(branches)))
    return kept


def group_of(key: tuple, tree: list[dict], asked: str, encoder, labels: str, seed: int) -> list[Example]:
    """The examples of one question. The same seed gives the same documents for both kinds of labels."""
    chance, group = random.Random(f'{seed}:{key}'), []
    roots = {each['sample'] for each in tree if each['parent'] is None}
    for record in kept_of(tree, chance):
        steps, inside = forms.steps_of(record['text']), chance.random() < EMBEDDED_SHARE
        if not steps or (record['parent'] is not None and record['parent'] not in roots):
            continue
        document = forms.embedded(encoder, record['system'], asked, steps) if inside else forms.shepherd(encoder, asked, steps)
        if len(document.ids) > LONGEST:
            continue
        # A prefix that several kept solutions share counts less in each.
        weights = [0.5 if record['parent'] is not None and step < record['shared'] else 1.0 for step in range(len(steps))]
        group.append(Example(document, targets_of(record, tree, len(steps), labels), weights, key[:2], record['right']))
    return group


def examples(records: list[dict], questions: dict[str, list[dict]], encoder, labels: str, seed: int, processes: int = 1) -> list[list[Example]]:
    """Examples by question, in random order."""
    trees = trees_of(records)
    make = lambda key: group_of(key, trees[key], questions[key[0]][key[1]]['question'], encoder, labels, seed)
    groups = [group for group in spread(make, sorted(trees), processes) if group]
    random.Random(seed).shuffle(groups)
    return groups
