"""Question sets as JSON lines: gsm8k-train and math-train for training, gsm8k (test) and math500 for grading. None of them ships with the repository."""

import json
from pathlib import Path

TRAINING, TESTS = ('gsm8k-train', 'math-train'), ('gsm8k', 'math500')
SETS = (*TRAINING, *TESTS)


def load(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Question and bare answer of each (lines end with a newline: some hold other separators that Python would split at); refuses training questions that are test questions too."""
    sets = {name: [_bare(json.loads(line)) for line in (folder / f'{name}.jsonl').read_text().split('\n') if line] for name in SETS}
    held_out = {each['question'] for name in TESTS for each in sets[name]}
    for name in TRAINING:
        shared = sum(each['question'] in held_out for each in sets[name])
        assert shared == 0, f'{shared} questions of {name} are test questions'
    return sets


def _bare(row: dict) -> dict[str, str]:
    asked = row['question'] if 'question' in row else row['problem']
    return {'question': asked.strip(), 'answer': str(row['answer']).rsplit('####', 1)[-1].strip()}
