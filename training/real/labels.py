"""From sampled solutions to what the reward model learns: documents with a target for each step. The target of a place is the share of right solutions among all that were
drawn through it (Monte Carlo); `outcome` gives every place of a solution what became of that solution. Most documents are cut into steps at blank lines, some otherwise,
since users cut as they like."""

import random
import zlib
from collections import defaultdict
from dataclasses import dataclass

from . import forms
from .spread import spread

EMBEDDED_SHARE = 0.3  # documents in the form of the embedded engine
LONGEST = 1400  # tokens; longer documents are left out
UNMIXED_ROOTS = 2  # solutions kept of a question whose solutions agree
CUTS = {'paragraphs': 0.7, 'lines': 0.15, 'several': 0.1, 'whole': 0.05}
HELD_BACK = 33  # of so many questions one is not trained on


@dataclass(frozen=True)
class Choices:
    """What is learnt from, for comparisons."""

    labels: str = 'steps'
    cuts: bool = True  # other cuts than at blank lines
    branches: int = 1  # right and wrong solutions kept of each place that was gone on from
    seed: int = 0


@dataclass(frozen=True)
class Example:
    document: forms.Document
    targets: list[float]
    weights: list[float]
    question: tuple[str, int]
    right: bool


@dataclass(frozen=True)
class Step:
    text: str
    end: int  # in characters of the solution, without what separates it from the next


def steps_of(text: str, delimiter: str = forms.DELIMITER) -> list[Step]:
    found, at = [], 0
    for piece in text.split(delimiter):
        if piece.strip():
            found.append(Step(piece.strip(), at + len(piece.rstrip())))
        at += len(piece) + len(delimiter)
    return found


def cut_steps(text: str, cut: str, chance: random.Random) -> list[Step]:
    if cut == 'lines':
        return steps_of(text, '\n')
    steps = steps_of(text)
    if cut == 'paragraphs' or len(steps) < 2:
        return steps
    ends = [len(steps) - 1] if cut == 'whole' else [at for at in range(len(steps)) if at == len(steps) - 1 or chance.random() < 0.4]
    starts = [0, *(at + 1 for at in ends)]
    return [Step(forms.DELIMITER.join(step.text for step in steps[start : end + 1]), steps[end].end) for start, end in zip(starts, ends)]


def trees_of(records: list[dict]) -> dict[tuple, list[dict]]:
    trees = defaultdict(list)
    for each in records:
        trees[each['set'], each['index'], each['system']].append(each)
    return trees


def targets_of(record: dict, tree: list[dict], places: list[int], labels: str) -> list[float]:
    """One target per place. All solutions drawn through it are unbiased guesses of its chance, its own among them."""
    if labels == 'outcome':
        return [float(record['right'])] * len(places)
    origin = record['sample'] if record['parent'] is None else record['parent']
    root = next(each for each in tree if each['parent'] is None and each['sample'] == origin)
    family, targets = [each for each in tree if each['parent'] == origin], []
    for place in places:
        if record['parent'] is not None and place > record['cut']:
            targets.append(float(record['right']))
            continue
        through = [root, *(each for each in family if each['cut'] >= place)]
        targets.append(sum(each['right'] for each in through) / len(through))
    return targets


def kept_of(tree: list[dict], branches: int, chance: random.Random) -> list[dict]:
    """The solutions of a question that are worth reading: all first ones where they disagree, and of each place that was gone on from some right and some wrong ones."""
    roots = [each for each in tree if each['parent'] is None]
    if len({each['right'] for each in tree}) == 1:
        return chance.sample(roots, min(UNMIXED_ROOTS, len(roots)))
    kept, below = list(roots), defaultdict(list)
    for each in tree:
        if each['parent'] is not None:
            below[each['parent'], each['cut'], each['right']].append(each)
    for place in sorted(below):
        kept += chance.sample(below[place], min(branches, len(below[place])))
    return kept


def group_of(key: tuple, tree: list[dict], asked: str, encoder, choices: Choices, form: str) -> list[Example]:
    """The examples of one question. The same seed gives the same documents for both kinds of labels."""
    chance, group = random.Random(f'{choices.seed}:{key}'), []
    roots = {each['sample'] for each in tree if each['parent'] is None}
    for record in kept_of(tree, choices.branches, chance):
        inside, (cut,) = chance.random() < EMBEDDED_SHARE, chance.choices(list(CUTS), list(CUTS.values()))
        steps = cut_steps(record['text'], cut if choices.cuts else 'paragraphs', chance)
        if not steps or (record['parent'] is not None and record['parent'] not in roots):
            continue
        document = document_of(form, inside, encoder, record['system'], asked, [step.text for step in steps])
        if len(document.ids) > LONGEST:
            continue
        # A prefix that several kept solutions share counts less in each.
        weights = [0.5 if record['parent'] is not None and step.end < record['cut'] else 1.0 for step in steps]
        group.append(Example(document, targets_of(record, tree, [step.end for step in steps], choices.labels), weights, key[:2], record['right']))
    return group


def document_of(form: str, inside: bool, encoder, system: str, asked: str, steps: list[str]) -> forms.Document:
    if form == 'unmarked':
        return forms.unmarked(encoder, system, asked, steps)
    return forms.embedded(encoder, system, asked, steps) if inside else forms.shepherd(encoder, asked, steps)


def examples(records: list[dict], questions: dict[str, list[dict]], encoder, choices: Choices, processes: int = 1, form: str = 'marked') -> list[list[Example]]:
    """Examples by question, in random order."""
    trees = trees_of(records)
    make = lambda key: group_of(key, trees[key], questions[key[0]][key[1]]['question'], encoder, choices, form)
    groups = [group for group in spread(make, sorted(trees), processes) if group]
    random.Random(choices.seed).shuffle(groups)
    return groups


def held_back(group: list[Example]) -> bool:
    return zlib.crc32(repr(group[0].question).encode()) % HELD_BACK == 0


