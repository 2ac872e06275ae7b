"""Grades the models on the test questions: what the generator solves, how well the reward model knows it, what the draft is worth.

Everything is measured on the quantised weights, as they ship.
"""

import csv
from collections import defaultdict
from pathlib import Path as File

import numpy
import torch

from . import countdown, gguf, questions, reward, tokenizer
from .config import Config
from .document import RIGHT, STEP, Document
from .model import Llama
from .paths import Path, prompts_of, walk
from .sample import for_sampling

DRAFTED = 4  # tokens that the draft proposes at a time


def grade(folder: File, config: Config, device: torch.device, temperatures: list[float], game24: File | None = None) -> dict:
    """The report on the models in a folder; the first temperature is the engine's. `game24`: the public puzzles, as CSV."""
    encoder = tokenizer.load(folder / 'tokenizer.json')
    generator = for_sampling(gguf.read(folder / 'sapling.gguf'), device)
    verifier = gguf.read(folder / 'sapling-prm.gguf').to(device).eval()
    draft = for_sampling(gguf.read(folder / 'sapling-draft.gguf'), device)
    report: dict = {'seed': config.seed, 'samples': config.grade_samples, 'questions': config.grade_questions}
    everything: list[Path] = []
    for kind in questions.MIX:
        documents = _spread(questions.make(kind, 'test', config.seed), config.grade_questions)
        report[kind] = {}
        for temperature in temperatures:
            paths = walk(generator, encoder, documents, config.grade_samples, temperature, config, config.seed)
            report[kind][f'temperature {temperature}'] = solved(paths, config.grade_samples)
            if temperature == temperatures[0]:
                few = [path for i, path in enumerate(paths) if i % config.grade_samples < 8]
                report[kind]['reward'] = known(verifier, few, encoder, config)
                report[kind]['chosen'] = chosen(verifier, paths, encoder, config)
                everything += few
            print(kind, temperature, report[kind][f'temperature {temperature}'], flush=True)
    report['reward'] = known(verifier, everything, encoder, config)
    report['draft'] = {}
    for kind in questions.MIX:
        documents = _spread(questions.make(kind, 'test', config.seed), config.draft_questions)
        report['draft'][kind] = accepted(generator, draft, encoder, documents)
    if game24:
        report['game of 24'] = play(game24, generator, verifier, encoder, config, temperatures[0])
    return report


def play(file: File, generator: Llama, verifier: Llama, encoder, config: Config, temperature: float) -> dict:
    """The public Game of 24, ranks 901 to 1000, which no training question resembles."""
    with file.open() as lines:
        puzzles = [row['Puzzles'].split() for row in csv.DictReader(lines)][900:1000]
    documents = [Document(countdown.KIND, 2, countdown.question_text(24, map(int, puzzle)), '', '24') for puzzle in puzzles]
    paths = walk(generator, encoder, documents, config.grade_samples, temperature, config, config.seed)
    return {'ranks': '901 to 1000', **solved(paths, config.grade_samples)['all'], 'chosen': chosen(verifier, paths, encoder, config)}


def _spread(documents: list, count: int) -> list:
    """`count` of the documents, evenly over the file, so that all levels keep their share."""
    return [documents[i * len(documents) // count] for i in range(count)]


def solved(paths: list[Path], samples: int) -> dict:
    """Pass rates and zones over the questions that have a solution; and each level apart."""
    rates = defaultdict(list)
    for start in range(0, len(paths), samples):
        document = paths[start].document
        right = numpy.mean([path.verdict.right for path in paths[start : start + samples]])
        rates[document.level if document.answer is not None else 0].append(right)
    whole = numpy.concatenate([numpy.array(rate) for level, rate in rates.items() if level])
    table = {f'level {level}': _zones(numpy.array(rate)) for level, rate in sorted(rates.items()) if level}
    return {'all': _zones(whole), **table}


def _zones(rates: numpy.ndarray) -> dict:
    return {
        'questions': len(rates),
        'pass@1': round(float(rates.mean()), 3),
        'pass@n': round(float((rates > 0).mean()), 3),
        'easy': round(float((rates > 0.9).mean()), 3),
        'between': round(float(((rates > 0) & (rates <= 0.9)).mean()), 3),
        'impossible': round(float((rates == 0).mean()), 3),
    }


def known(verifier: Llama, paths: list[Path], encoder, config: Config) -> dict:
    """The reward model on held-out answers: area under the curve, calibration, and what it misses."""
    rewards = reward.score(verifier, paths, encoder, config.reward_batch)
    reasons = numpy.array([reason for path in paths for reason in path.verdict.reasons])
    truth = {
        'step': numpy.array([label for path in paths for label in path.verdict.steps]),
        'promise': numpy.array([label for path in paths for label in path.verdict.promise]),
    }
    right = numpy.array([path.verdict.right for path in paths])
    report = {}
    for name, labels in truth.items():
        values = numpy.concatenate(rewards[name])
        report[name] = {
            'lines': len(labels),
            'good': round(float(labels.mean()), 3),
            'AUC': round(reward.area_under_curve(labels, values), 4),
            'AUC of whole paths': round(reward.area_under_curve(right, numpy.array([aggregate(name, one) for one in rewards[name]])), 4),
            'calibration': _calibration(labels, values),
            'mean reward of bad lines': _missed(labels, values, reasons),
        }
    return report


def _calibration(labels, values) -> list[dict]:
    bins = numpy.minimum((values * 10).astype(int), 9)
    return [
        {'said': round(float(values[bins == b].mean()), 3), 'true': round(float(labels[bins == b].mean()), 3), 'lines': int((bins == b).sum())}
        for b in range(10)
        if (bins == b).any()
    ]


def _missed(labels, values, reasons) -> dict:
    """Per cause of a bad line, the mean reward it got: high ones are blind spots. `dead end`: right in itself, but hopeless."""
    names = numpy.where(numpy.isin(reasons, [STEP, RIGHT]), 'dead end', reasons)
    bad = ~labels
    return {
        str(name): {'reward': round(float(values[bad & (names == name)].mean()), 3), 'lines': int((bad & (names == name)).sum())}
        for name in sorted(set(names[bad]))
    }


def chosen(verifier: Llama, paths: list[Path], encoder, config: Config) -> dict:
    """How often the answer that is picked from all samples of a question is right, over the questions that have a solution."""
    rewards, samples = reward.score(verifier, paths, encoder, config.reward_batch), config.grade_samples
    starts = [start for start in range(0, len(paths), samples) if paths[start].document.answer is not None]
    table = {'majority': round(numpy.mean([_voted(paths[s : s + samples], [1.0] * samples) for s in starts]), 3)}
    for name in reward.PAIRS:
        scores = [aggregate(name, one) for one in rewards[name]]
        table[f'best by {name}'] = round(numpy.mean([paths[s + int(numpy.argmax(scores[s : s + samples]))].verdict.right for s in starts]), 3)
        table[f'vote by {name}'] = round(numpy.mean([_voted(paths[s : s + samples], scores[s : s + samples]) for s in starts]), 3)
        table[f'AUC within a question, {name}'] = _within(paths, scores, starts, samples)
    return {key: float(value) for key, value in table.items()}


def aggregate(name: str, rewards: numpy.ndarray) -> float:
    """The score of a path, by the aggregation its rewards were made for."""
    return float(rewards.prod() if reward.AGGREGATION[name] == 'product' else rewards[-1])


def _voted(paths: list[Path], weights: list[float]) -> bool:
    """Is the answer with the most weight right? Countdown's expressions count as one answer when their values agree."""
    votes: dict[str, float] = defaultdict(float)
    right: dict[str, bool] = {}
    for path, weight in zip(paths, weights):
        answer = path.text.rpartition('Answer: ')[2]
        key = str(countdown.evaluate(answer)) if path.document.kind == countdown.KIND else answer
        votes[key] += weight
        right[key] = right.get(key, False) or path.verdict.right
    return right[max(votes, key=votes.__getitem__)]


def _within(paths: list[Path], scores: list[float], starts: list[int], samples: int) -> float:
    """The mean area under the curve among the answers to one question, over the questions with right and wrong answers."""
    areas = []
    for start in starts:
        right = numpy.array([path.verdict.right for path in paths[start : start + samples]])
        if right.any() and not right.all():
            areas.append(reward.area_under_curve(right, numpy.array(scores[start : start + samples])))
    return round(float(numpy.mean(areas)), 4) if areas else float('nan')


@torch.no_grad()
def accepted(generator: Llama, draft: Llama, encoder, documents: list, rounds: int = 60) -> dict:
    """Speculative sampling at temperature 1, played through: accepted tokens per drafted token, tokens per pass of the generator."""
    device = next(generator.parameters()).device
    chance = torch.Generator(device=device).manual_seed(0)
    texts = prompts_of(encoder, documents)
    lengths = torch.tensor([len(t) for t in texts], device=device)
    room = int(lengths.max()) + rounds * (DRAFTED + 1) + 1
    tokens = torch.full((len(texts), room), tokenizer.END, device=device)
    for row, text in enumerate(texts):
        tokens[row, : len(text)] = torch.tensor(text)
    rows, alive = torch.arange(len(texts), device=device), torch.ones(len(texts), dtype=torch.bool, device=device)
    drafted = taken = passes = 0
    for _ in range(rounds):
        said = []
        for ahead in range(DRAFTED):
            said.append(_next(draft, tokens, lengths + ahead))
            tokens[rows, lengths + ahead] = torch.multinomial(said[-1], 1, generator=chance).squeeze(1)
        wanted = _all_next(generator, tokens, lengths, DRAFTED + 1)
        running = alive.clone()
        for ahead in range(DRAFTED):
            token = tokens[rows, lengths]
            ratio = wanted[rows, ahead, token] / said[ahead][rows, token]
            kept = running & (torch.rand(len(rows), device=device, generator=chance) < ratio)
            drafted, taken = drafted + int(running.sum()), taken + int(kept.sum())
            rest = (wanted[:, ahead] - said[ahead]).clamp(min=1e-9)
            instead = torch.multinomial(rest, 1, generator=chance).squeeze(1)
            tokens[rows, lengths] = torch.where(running & ~kept, instead, token)
            lengths = lengths + running.long()
            alive = alive & ~(running & (tokens[rows, lengths - 1] == tokenizer.END))
            running = kept & alive
        passes += int(alive.sum())
        if not alive.any():
            break
    return {'drafted': drafted, 'accepted per drafted': round(taken / max(1, drafted), 3), 'block': DRAFTED}


def _next(model: Llama, tokens, lengths):
    hidden = model.hidden(tokens[:, : int(lengths.max())])
    return torch.softmax(model.logits(hidden[torch.arange(len(lengths)), lengths - 1]).float(), -1)


def _all_next(model: Llama, tokens, lengths, count: int):
    hidden = model.hidden(tokens[:, : int(lengths.max()) + count])
    at = lengths[:, None] - 1 + torch.arange(count, device=tokens.device)
    return torch.softmax(model.logits(hidden[torch.arange(len(lengths))[:, None], at]).float(), -1)
