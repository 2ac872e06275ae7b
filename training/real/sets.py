"""Question sets as JSON lines: some for training, others for grading alone. None of them ships with the repository. college-math serves both: its odd lines (from 1)
are for grading, its even ones for training."""

import json
from pathlib import Path

TRAINING, TESTS = ('gsm8k-train', 'math-train'), ('gsm8k', 'math500')
SETS = (*TRAINING, *TESTS)
# Those that a folder may lack, with their file and which lines of it.
MORE_TRAINING = {'mawps': ('mawps', slice(None)), 'college-math-even': ('college-math', slice(1, None, 2))}
MORE_TESTS = {
    'college-math-odd': ('college-math', slice(0, None, 2)),
    'carp': ('carp', slice(None)),
    'amc23': ('amc23', slice(None)),
    'aime24': ('aime24', slice(None)),
}
# Graded together: nothing was trained on questions of their kind but college-math's.
UNSEEN = ('carp', 'amc23', 'college-math-odd')
TRAINED, LOOKED_AT = (*TRAINING, *MORE_TRAINING), (*TESTS, *MORE_TESTS)


def load(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Question and bare answer of each (lines end with a newline: some hold other separators that Python would split at); refuses training questions that are test questions too."""
    sets = {name: _rows(folder / f'{name}.jsonl') for name in SETS}
    for name, (file, lines) in {**MORE_TRAINING, **MORE_TESTS}.items():
        if (folder / f'{file}.jsonl').exists():
            sets[name] = _rows(folder / f'{file}.jsonl')[lines]
    if 'carp' in sets:
        sets['carp'] = _in_step(sets['carp'])
    tests = held_out(sets)
    for name in TRAINING:
        shared = sum(each['question'] in tests for each in sets[name])
        assert shared == 0, f'{shared} questions of {name} are test questions'
    return sets


def _in_step(carp: list[dict[str, str]]) -> list[dict[str, str]]:
    """Its file repeats three questions and not their answers: from there on each answer stands three lines above its question."""
    again = next((at for at in range(3, len(carp)) if carp[at]['question'] == carp[at - 3]['question']), len(carp))
    return [{**row, 'answer': carp[at - 3]['answer']} if at >= again else row for at, row in enumerate(carp)]


def held_out(sets: dict[str, list[dict[str, str]]]) -> set[str]:
    """Questions that no training may see: six of college-math stand on odd and on even lines."""
    return {each['question'] for name in LOOKED_AT for each in sets.get(name, ())}


def _rows(file: Path) -> list[dict[str, str]]:
    return [_bare(json.loads(line)) for line in file.read_text().split('\n') if line]


def _bare(row: dict) -> dict[str, str]:
    asked = row['question'] if 'question' in row else row['problem']
    return {'question': asked.strip(), 'answer': str(row['answer']).rsplit('####', 1)[-1].strip()}
