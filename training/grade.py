"""Grades what was measured: what the generator solves, how well the reward model knows it at each depth. Needs no PyTorch.

A depth is graded within a question and on living prefixes only: among the lines that follow a prefix in which nothing is wrong yet, does
one that keeps the path alive score above one that ends it? Pairs are always of one question, so that easy questions do not help.
"""

import gzip
import json
from collections import defaultdict
from pathlib import Path as File

import numpy

from . import countdown, questions
from .document import RIGHT, STEP

READINGS = {'step': 'product', 'promise': 'last'}  # with what a path's score is made of
FEWEST = 20  # questions that a depth needs to be reported
PUBLIC = 'game of 24'


def read(file: File) -> dict[str, list[dict]]:
    records: dict[str, list[dict]] = defaultdict(list)
    with gzip.open(file, 'rt') as lines:
        for line in lines:
            record = json.loads(line)
            records[record['kind']].append(record)
    return records


def grade(file: File, seed: int) -> dict:
    """The report. Where more questions of a level were measured than a file holds, those of the file count."""
    records = read(file)
    first = next(iter(records.values()))[0]
    report: dict = {'seed': seed, 'samples': len(first['paths']), 'temperature': first['temperature']}
    for kind, some in records.items():
        levels = {'levels': by_level(some)} if kind in questions.BY_LEVEL else {}
        if kind in questions.BY_LEVEL:
            shipped = {document.question for document in questions.make(kind, 'test', seed)}
            some = [record for record in some if record['question'] in shipped]
        report[kind] = {'solved': by_level(some), **levels}
        if 'step' in some[0]['paths'][0]:
            report[kind] |= {'reward': {name: known(some, name) for name in READINGS}, 'chosen': chosen(some)}
        if kind == 'sudoku':
            report[kind]['deaths'] = deaths(records[kind])
    return report


def deaths(records: list[dict]) -> dict:
    """Sudoku: with what a path goes wrong, and how soon a conflict shows it."""
    gaps, value, count = [], 0, 0
    for path in (path for record in records for path in record['paths'] if not all(path['alive'])):
        at = path['alive'].index(0)
        count, value = count + 1, value + (path['reasons'][at] == 'value')
        later = [index for index, reason in enumerate(path['reasons']) if index >= at and reason in ('conflict', 'numbers')]
        gaps += [later[0] - at] if later else []
    return {'paths': count, 'value': _round(value / max(1, count), 4), 'seen': _round(len(gaps) / max(1, count), 4), 'gap': _round(numpy.mean(gaps), 1)}


def by_level(records: list[dict]) -> dict:
    """Over the questions that have a solution; and each level apart."""
    solvable = [record for record in records if record['solvable']]
    levels = sorted({record['level'] for record in solvable})
    return {'all': solved(solvable), **{f'level {level}': solved([r for r in solvable if r['level'] == level]) for level in levels}}


def solved(records: list[dict]) -> dict:
    rates = numpy.array([numpy.mean([path['right'] for path in record['paths']]) for record in records])
    paths = [path for record in records for path in record['paths']]
    living = [reason in (STEP, RIGHT) for path in paths for reason, alive in zip(path['reasons'], alive_before(path)) if alive]
    return {
        'questions': len(rates),
        **({'greedy': _round(numpy.mean([record['greedy'] for record in records]))} if 'greedy' in records[0] else {}),
        'pass@1': _round(rates.mean()),
        'pass@n': _round((rates > 0).mean()),
        'easy': _round((rates > 0.9).mean()),
        'between': _round(((rates > 0) & (rates <= 0.9)).mean()),
        'impossible': _round((rates == 0).mean()),
        'lines': _round(numpy.mean([len(path['reasons']) for path in paths]), 1),
        'tokens': _round(numpy.mean([path['tokens'] for path in paths]), 1),
        'error a line': _round(1 - numpy.mean(living), 4),
    }


def exactly(file: File, samples: int = 32) -> dict:
    """The report of what `chances` wrote: the same figures as those of `samples` samples at temperature 1, by calculation."""
    (kind, records), *_ = read(file).items()
    levels = sorted({record['level'] for record in records})
    tables = {'all': expected(records, samples), **{f'level {n}': expected([r for r in records if r['level'] == n], samples) for n in levels}}
    return {'samples': samples, 'temperature': 1.0, 'kind': kind, 'solved': tables}


def expected(records: list[dict], samples: int) -> dict:
    rates = numpy.array([numpy.prod(record['lines']) for record in records])
    reached = [numpy.cumprod([1.0, *record['lines'][:-1]]) for record in records]  # how many samples are alive before each line
    died = [alive * (1 - numpy.array(record['lines'])) for alive, record in zip(reached, records)]
    never = (1 - rates) ** samples
    return {
        'questions': len(records),
        'greedy': _round(numpy.mean([record['greedy'] for record in records])),
        'pass@1': _round(rates.mean()),
        'pass@n': _round(1 - never.mean()),
        'easy': _round((rates > 0.9).mean()),
        'between': _round(((rates <= 0.9) * (1 - never)).mean()),
        'impossible': _round(never.mean()),
        'lines': _round(numpy.mean([len(record['lines']) for record in records]), 1),
        'tokens': _round(numpy.mean([record['tokens'] for record in records]), 1),
        'error a line': _round(sum(map(numpy.sum, died)) / sum(map(numpy.sum, reached)), 4),
    }


def alive_before(path: dict) -> list[int]:
    return [1, *path['alive'][:-1]]


def known(records: list[dict], name: str) -> dict:
    """One reading on held-out answers: area under the curve per depth, over lines and over paths, calibration, and what it misses."""
    paths = [path for record in records for path in record['paths']]
    values = _sigmoid([value for path in paths for value in path[name]])
    lines = numpy.array([reason in (STEP, RIGHT) for path in paths for reason in path['reasons']])
    ends = numpy.array([path['right'] for path in paths for _ in path['reasons']])
    alive = numpy.array([alive for path in paths for alive in path['alive']], dtype=bool)
    before = numpy.array([alive for path in paths for alive in alive_before(path)], dtype=bool)
    truth = lines if name == 'step' else ends
    depths = by_depth(records, name)
    reported = [one['AUC'] for one in depths if one['questions'] >= FEWEST]
    return {
        'lines': len(values),
        'good': _round(truth.mean()),
        'AUC': _round(area_under_curve(lines if name == 'step' else alive, values), 4),
        'AUC of whole paths': _round(area_under_curve(numpy.array([p['right'] for p in paths]), numpy.array([score_of(p, name) for p in paths])), 4),
        'AUC of whole paths within a question': within([([score_of(p, name) for p in r['paths']], [p['right'] for p in r['paths']]) for r in records])[0],
        'worst depth': min(reported) if reported else None,
        'depths': depths,
        'above 0.9 while alive': _round((values[before & alive] > 0.9).mean()),
        'above 0.9 where it dies': _round((values[before & ~alive] > 0.9).mean()),
        'calibration': calibration(truth[before], values[before]),
        'mean reward where it dies': missed(records, name),
    }


def by_depth(records: list[dict], name: str) -> list[dict]:
    """Per depth, within a question, on prefixes that were alive before their last line."""
    table = []
    for depth in range(max(len(path['reasons']) for record in records for path in record['paths'])):
        groups = []
        for record in records:
            here = [p for p in record['paths'] if depth < len(p['reasons']) and alive_before(p)[depth]]
            groups.append(([p[name][depth] for p in here], [p['alive'][depth] for p in here]))
        area, count = within(groups)
        if count:
            table.append({'depth': depth + 1, 'AUC': area, 'questions': count, 'prefixes': sum(len(values) for values, _ in groups)})
    return table


def within(groups: list[tuple[list[float], list[bool]]]) -> tuple[float, int]:
    """The share of pairs of one question, one good and one bad, that are in order; and how many questions have such pairs."""
    order = pairs = 0.0
    count = 0
    for values, labels in groups:
        good = numpy.array([v for v, label in zip(values, labels) if label])
        bad = numpy.array([v for v, label in zip(values, labels) if not label])
        if len(good) and len(bad):
            order += (good[:, None] > bad).sum() + 0.5 * (good[:, None] == bad).sum()
            pairs += len(good) * len(bad)
            count += 1
    return (_round(order / pairs, 4) if pairs else float('nan')), count


def calibration(labels: numpy.ndarray, values: numpy.ndarray) -> list[dict]:
    bins = numpy.minimum((values * 10).astype(int), 9)
    return [
        {'said': _round(values[bins == b].mean()), 'true': _round(labels[bins == b].mean()), 'lines': int((bins == b).sum())}
        for b in range(10)
        if (bins == b).any()
    ]


def missed(records: list[dict], name: str) -> dict:
    """Per cause, the mean reward of the line at which a path dies: high ones are blind spots. `dead end`: right in itself, but hopeless."""
    found = defaultdict(list)
    for path in (path for record in records for path in record['paths']):
        if not all(path['alive']):
            at = path['alive'].index(0)
            reason = path['reasons'][at]
            found['dead end' if reason in (STEP, RIGHT) else reason].append(path[name][at])
    return {reason: {'reward': _round(_sigmoid(values).mean()), 'lines': len(values)} for reason, values in sorted(found.items())}


def chosen(records: list[dict]) -> dict:
    """How often the answer that is picked from all samples of a question is right, over the questions that have a solution."""
    solvable = [record for record in records if record['solvable']]
    table = {'majority': _round(numpy.mean([voted(r['paths'], [1.0] * len(r['paths']), r['kind']) for r in solvable]))}
    for name in READINGS:
        scores = [[score_of(path, name) for path in record['paths']] for record in solvable]
        table[f'best by {name}'] = _round(numpy.mean([r['paths'][int(numpy.argmax(s))]['right'] for r, s in zip(solvable, scores)]))
        table[f'vote by {name}'] = _round(numpy.mean([voted(r['paths'], s, r['kind']) for r, s in zip(solvable, scores)]))
    return table


def score_of(path: dict, name: str) -> float:
    """The score of a path, by the aggregation its rewards were made for."""
    rewards = _sigmoid(path[name])
    return float(rewards.prod() if READINGS[name] == 'product' else rewards[-1])


def voted(paths: list[dict], weights: list[float], kind: str) -> bool:
    """Is the answer with the most weight right? Countdown's expressions count as one answer when their values agree."""
    votes: dict[str, float] = defaultdict(float)
    right: dict[str, bool] = {}
    for path, weight in zip(paths, weights):
        key = str(countdown.evaluate(path['answer'])) if kind in (countdown.KIND, PUBLIC) else path['answer']
        votes[key] += weight
        right[key] = right.get(key, False) or path['right']
    return right[max(votes, key=votes.__getitem__)]


def area_under_curve(labels: numpy.ndarray, values: numpy.ndarray) -> float:
    """The probability that a good one scores above a bad one."""
    order = numpy.argsort(values, kind='stable')
    _, inverse, counts = numpy.unique(values[order], return_inverse=True, return_counts=True)
    ranks = (numpy.cumsum(counts) - (counts - 1) / 2)[inverse]  # ties share their mean rank
    good = labels[order] == 1
    positives, negatives = good.sum(), (~good).sum()
    if not positives or not negatives:
        return float('nan')
    return float((ranks[good].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _sigmoid(values) -> numpy.ndarray:
    return 1 / (1 + numpy.exp(-numpy.clip(numpy.array(values, dtype=numpy.float64), -60, 60)))


def _round(value, places: int = 3) -> float:
    return round(float(value), places)
