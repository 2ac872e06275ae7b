"""`python -m training.trainers.checks`: is a trainer's loss on the right tokens? On rollouts of the shipped model, by TRL where it is installed and by verl
where that is. With a mask that is shifted by one token the check fails."""

import tempfile
from importlib.util import find_spec
from pathlib import Path

from .. import huggingface
from ..tree_step import checks as tree_checks
from ..tree_step import rows as exported
from .seen import Seen

HERE = Path(__file__).parent
MODELS = HERE.parent.parent / 'models'


def given() -> list[dict]:
    """A tree whose rollouts do not all score the same, and answers that were repaired after a turn of the user's side."""
    trees = exported.read(tree_checks.HERE / 'rollouts.jsonl')
    uneven = next(row['question'] for row in trees if row['advantage'])
    return [row for row in trees if row['question'] == uneven] + exported.read(HERE / 'repaired.jsonl')


def shifted(row: dict, by: int) -> dict:
    """The same with mask and log probabilities at the neighbouring token."""
    return {**row, **{name: row[name][-by:] + row[name][:-by] for name in ('completion_mask', 'logprobs')}}


def agrees(seen: Seen) -> bool:
    off = seen.drift()
    return off.mean().item() < tree_checks.MEAN_DRIFT and off.max().item() < tree_checks.MOST_DRIFT


def check(trainer: str, step, model: str):
    rows = given()
    seen = step(rows, model)
    drawn = sum(row['count'] * sum(row['completion_mask']) for row in rows)
    assert int(seen.drawn.sum()) == drawn, f'{trainer} knows which tokens were drawn'
    assert agrees(seen), f'the log probabilities of {trainer} are those of the export'
    assert seen.strays == 0, f'the loss of {trainer} reaches no token that no model drew'
    assert (seen.slope != 0).sum() > drawn / 10, 'it reaches drawn tokens'
    assert seen.error < 1e-6, 'its slopes are the advantages over the drawn tokens'
    for by in (1, -1):
        assert not agrees(step([shifted(row, by) for row in rows], model)), f'{trainer} does not agree with a mask that is off by {by}'
    print(f'{trainer}: all checks hold')
    seen.say()


def main():
    found = [name for name in ('trl', 'verl') if find_spec(name)]
    if not found:
        raise SystemExit('neither trl nor verl is installed')
    with tempfile.TemporaryDirectory() as folder:
        huggingface.export(MODELS / 'sapling.gguf', MODELS / 'tokenizer.json', Path(folder))
        if 'trl' in found:
            from .trl_step import step as trl_step

            check('TRL', trl_step, folder)
        if 'verl' in found:
            from .verl_step import step as verl_step

            check('verl', verl_step, folder)


if __name__ == '__main__':
    main()
