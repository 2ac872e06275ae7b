"""Exported rollouts as a `rollout_func` of TRL's GRPOTrainer. TRL wants groups of one size: a group that has fewer rollouts gets rows without loss or reward."""

from collections.abc import Iterable

from ..tree_step import rows as exported

Row = dict


def groups_of(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """By question, each row as often as it was drawn, all of one size."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row['question'], []).extend([row] * row['count'])
    size = max(map(len, groups.values()))
    return {question: group + [silent(group[0])] * (size - len(group)) for question, group in groups.items()}


def silent(row: Row) -> Row:
    """Fills a group: no token of it has a loss, and without a reward TRL leaves it out of the group's mean."""
    nothing = [0] * len(row['completion_ids'])
    return {**row, 'completion_mask': nothing, 'advantages': nothing, 'reward': None}


def dataset(groups: dict[str, list[Row]]) -> list[dict]:
    return [{'prompt': question} for question in groups]


def rollout_func(groups: dict[str, list[Row]]):
    """TRL asks with each prompt as often as a group has rollouts; the answer names one row for each."""

    def rollouts(prompts: list[str], _trainer) -> dict:
        left = {question: iter(group) for question, group in groups.items()}
        chosen = [next(left[prompt]) for prompt in prompts]
        return {**exported.as_trl(chosen), 'advantages': [row['advantages'] for row in chosen]}

    return rollouts


def reward(completions: list[str], reward: list[float | None], **_) -> list[float | None]:
    """What the search said of each rollout."""
    return reward
