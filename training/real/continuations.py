"""`python -m training.real.continuations SOLUTIONS SCORES QUESTIONS OUT`: solutions that were gone on with below prefixes, in few bytes and without texts, for the lab
(`branching`). Graded anew. One line a question: its samples as [answer, right, tokens], answers numbered as they come and -1 for none, and its prefixes as [sample that
they are of, tokens, log odds of the judge, such triples of continuations, their own tokens alone]. A prefix's tokens are the share of its characters of the sample's."""

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

from .answers import normal, solves, stated
from .rollouts import read_lines
from .sets import load


def packed(key: tuple, samples: dict[int, dict], below: dict[tuple, list[dict]], odds: dict[tuple, list[float]], gold: str) -> dict:
    answers: dict[str, int] = {}

    def triple(record: dict) -> list[int]:
        said = normal(stated(record['text']))
        answer = -1 if not said else answers.setdefault(said, len(answers))
        return [answer, int(solves(record['text'], gold)), record['tokens']]

    drawn = [triple(samples[at]) for at in sorted(samples)]
    prefixes = []
    for (parent, cut), ends in sorted(below.items()):
        tokens = round(samples[parent]['tokens'] * cut / len(samples[parent]['text']))
        ends = sorted(ends, key=lambda end: end['sample'])
        prefixes.append([parent, tokens, odds[(*key, parent)][ends[0]['shared'] - 1], [triple(end) for end in ends]])
    return {'set': key[0], 'index': key[1], 'samples': drawn, 'prefixes': prefixes}


def main(solutions: Path, scores: Path, questions: Path, out: Path):
    samples, below = defaultdict(dict), defaultdict(lambda: defaultdict(list))
    for file in sorted(solutions.glob('solutions-*.jsonl')):
        for each in read_lines(file):
            key = (each['set'], each['index'])
            if each['parent'] is None:
                samples[key][each['sample']] = each
            else:
                below[key][each['parent'], each['cut']].append(each)
    odds = {(each['set'], each['index'], each['sample']): each['odds'] for each in read_lines(scores) if each['parent'] is None}
    golds = load(questions)
    asked = {key: golds[key[0]][key[1]] for key in sorted(below)}
    # A question that stands in its set twice is graded by one of its answers only.
    twice = {key for key, row in asked.items() if sum(row['question'] == each['question'] for each in golds[key[0]]) > 1}
    lines = [packed(key, samples[key], below[key], odds, row['answer']) for key, row in asked.items() if key not in twice]
    with gzip.GzipFile(out, 'wb', mtime=0) as file:
        file.writelines(json.dumps(line, separators=(',', ':')).encode() + b'\n' for line in lines)


if __name__ == '__main__':
    main(*map(Path, sys.argv[1:5]))
