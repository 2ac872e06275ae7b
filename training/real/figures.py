"""Figures from scored solutions: how choosing by score does against choosing by majority, and how well scores tell right from wrong within a question."""

import math
import random
from collections import Counter, defaultdict

RESAMPLES = 2000
PLACES = {'first third': 1 / 3, 'two thirds': 2 / 3, 'last': 1.0}
SHORTEST = 3  # steps of a path whose errors are compared


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def values_of(odds: list[float]) -> dict[str, float]:
    """One number for a path: its last score, its lowest, the logarithm of their product."""
    product = sum(-math.log1p(math.exp(-x)) if x > -30 else x for x in odds)
    return {'last': odds[-1], 'minimum': min(odds), 'product': product}


def chosen(paths: list[dict]) -> dict[str, float]:
    """Which share of right answers each rule gives for one question."""
    answered = [each for each in paths if each['answer'] is not None]
    found = {'mean': sum(each['right'] for each in paths) / len(paths), 'any': float(any(each['right'] for each in paths))}
    truth = {each['answer']: each['right'] for each in answered}
    votes = Counter(each['answer'] for each in answered)
    first = [answer for answer, count in votes.items() if count == max(votes.values())]
    found['majority'] = _mean([float(truth[answer]) for answer in first])  # a tie is broken by lot
    for name in ('last', 'minimum', 'product'):
        values = [values_of(each['odds'])[name] for each in paths]
        best = max(range(len(paths)), key=lambda at: values[at])
        found[f'best by {name}'] = float(paths[best]['right'])
        weights = Counter()
        for each, value in zip(paths, values):
            if each['answer'] is not None:
                weights[each['answer']] += math.exp(value) if name == 'product' else sigmoid(value)
        found[f'majority weighted by {name}'] = float(truth[weights.most_common(1)[0][0]]) if weights else 0.0
    return found


def interval(values: list[float], seed: int = 1) -> list[float]:
    """The mean's 95 % interval over questions, by resampling them."""
    chance, count = random.Random(seed), len(values)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    return [means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]]


def choosing(records: list[dict]) -> dict:
    by_question = defaultdict(list)
    for each in sorted(records, key=lambda each: (each['index'], each['sample'])):
        by_question[each['index']].append(each)
    most = max(len(paths) for paths in by_question.values())
    whole = [paths for paths in by_question.values() if len(paths) == most]
    rows = [chosen(paths) for paths in whole]
    table = {'questions': len(rows), 'samples': most, 'cut': _mean([each['end'] == 'length' for paths in whole for each in paths])}
    table['tokens'] = _mean([each['tokens'] for paths in whole for each in paths])
    for rule in rows[0]:
        values = [row[rule] for row in rows]
        table[rule] = {'right': _mean(values)}
        if rule not in ('mean', 'any', 'majority'):
            gains = [row[rule] - row['majority'] for row in rows]
            table[rule] |= {'over majority': _mean(gains), 'interval': interval(gains)}
    return table


def area(pairs: list[tuple[float, float]]) -> float:
    """Of pairs (right one's value, wrong one's), how many are in order; ties count half."""
    return sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs)


def at_share(odds: list[float], part: float) -> float:
    return odds[math.ceil(len(odds) * part - 1e-9) - 1]


def telling(records: list[dict], finished: bool = False) -> dict:
    """AUC of the score after the last step, the first third and the first two thirds of the steps against the path's end, within questions that have both kinds."""
    by_question = defaultdict(list)
    for each in records:
        if not (finished and (each['end'] == 'length' or each['answer'] is None)):
            by_question[each['index']].append(each)
    readings = {name: (lambda odds, part=part: at_share(odds, part)) for name, part in PLACES.items()}
    readings['minimum'] = min
    found = {}
    for name, read in readings.items():
        pooled, means = [], []
        for paths in by_question.values():
            right = [read(each['odds']) for each in paths if each['right']]
            wrong = [read(each['odds']) for each in paths if not each['right']]
            if right and wrong:
                pairs = [(a, b) for a in right for b in wrong]
                pooled += pairs
                means.append(area(pairs))
        all_right = [(read(each['odds']), each['right']) for paths in by_question.values() for each in paths]
        found[name] = {'pairs within questions': area(pooled), 'mean of questions': _mean(means), 'interval': interval(means), 'over all': _rank_area(all_right)}
        found['questions'], found['pairs'] = len(means), len(pooled)
    return found


def pooled(records: list[dict]) -> list[dict]:
    """Questions of several sets as one set."""
    return [{**each, 'index': f'{each["set"]} {each["index"]}'} for each in records]


def against(records: list[dict], others: list[dict]) -> dict:
    """What one judge tells more than another of the same solutions, with intervals over questions."""
    both = [_by_question(records), _by_question(others)]
    shared = [(both[0][key], both[1][key]) for key in sorted(both[0].keys() & both[1].keys(), key=str)]
    found, rules = {'questions': len(shared)}, ('best by last', 'majority weighted by last', 'best by minimum', 'majority weighted by minimum')
    gains = [[chosen(one)[rule] - chosen(other)[rule] for rule in rules] for one, other in shared]
    for rule, values in zip(rules, zip(*gains)):
        found[rule] = {'more': _mean(values), 'interval': interval(list(values))}
    mixed = [pair for pair in shared if len({each['right'] for each in pair[0]}) == 2]
    for name, part in PLACES.items():
        values = [_area_at(one, part) - _area_at(other, part) for one, other in mixed]
        found[f'AUC, {name}'] = {'more': _mean(values), 'interval': interval(values)}
    return found


def _by_question(records: list[dict]) -> dict:
    found = defaultdict(list)
    for each in sorted(records, key=lambda each: each['sample']):
        found[each['index']].append(each)
    return found


def _area_at(paths: list[dict], part: float) -> float:
    sides = [[at_share(each['odds'], part) for each in paths if each['right'] == side] for side in (True, False)]
    return area([(a, b) for a in sides[0] for b in sides[1]])


def repeating(records: list[dict]) -> dict:
    """How errors repeat: log odds less the mean of right or wrong paths at that fifth of the path. Shares of their variance that two steps of a path have in common, by distance,
    and that two paths of a question have (means of the paths), all pairs and those that end in the same wrong answer."""
    paths = [each for each in records if each['answer'] is not None and len(each['odds']) >= SHORTEST]
    place = lambda each, at: (each['right'], int(5 * (at + 0.5) / len(each['odds'])))
    at_place = defaultdict(list)
    for each in paths:
        for at, value in enumerate(each['odds']):
            at_place[place(each, at)].append(value)
    means = {key: _mean(values) for key, values in at_place.items()}
    errors = [[value - means[place(each, at)] for at, value in enumerate(each['odds'])] for each in paths]
    variance = _mean([value * value for error in errors for value in error])
    along = {step: [error[at] * error[at + step] for error in errors for at in range(len(error) - step)] for step in (1, 2, 4, 6)}
    by_question = defaultdict(list)
    for each, error in zip(paths, errors):
        by_question[each['index']].append((each, _mean(error)))
    pairs = [(one, other) for each in by_question.values() for at, one in enumerate(each) for other in each[at + 1 :]]
    alike = [(one, other) for one, other in pairs if not one[0]['right'] and one[0]['answer'] == other[0]['answer']]
    shared = lambda some: _mean([one[1] * other[1] for one, other in some]) / variance
    return {'variance': variance, 'along a path': {str(step): _mean(values) / variance for step, values in along.items()}, 'in a question': shared(pairs), 'same wrong answer': shared(alike)}


def calibration(records: list[dict]) -> list[list[float]]:
    """Last scores in tenths: how high, how often right, how many."""
    tenths = defaultdict(list)
    for each in records:
        said = sigmoid(each['odds'][-1])
        tenths[min(9, int(said * 10))].append((said, each['right']))
    return [[_mean([a for a, _ in rows]), _mean([b for _, b in rows]), len(rows)] for _, rows in sorted(tenths.items())]


def _rank_area(values: list[tuple[float, bool]]) -> float:
    ordered = sorted(values, key=lambda each: each[0])
    right = sum(is_right for _, is_right in values)
    ranks = sum(at for at, (_, is_right) in enumerate(ordered, 1) if is_right)
    return (ranks - right * (right + 1) / 2) / max(1, right * (len(values) - right))


def _mean(values) -> float:
    return sum(values) / max(1, len(values))


def figures(records: list[dict]) -> dict:
    return {
        'choosing': choosing(records),
        'telling': telling(records),
        'telling, finished paths': telling(records, finished=True),
        'calibration': calibration(records),
        'repeating': repeating(records),
    }


def rounded(value, digits: int = 4):
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {key: rounded(each, digits) for key, each in value.items()}
    return [rounded(each, digits) for each in value] if isinstance(value, list) else value
