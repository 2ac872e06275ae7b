"""Measures the models on the test questions and writes what they said: one record per question, from which `grade.py` makes the report.

Everything is measured on the quantised weights, as they ship.
"""

import csv
import gzip
import json
from pathlib import Path as File

import torch

from . import countdown, gguf, questions, reward, tokenizer
from .config import SHIPPED, Config
from .document import Document
from .model import Llama
from .paths import Path, prompts_of, walk
from .sample import for_sampling

DRAFTED = 4  # tokens that the draft proposes at a time
PUBLIC = 'game of 24'


def ask(config: Config, pool, game24: File | None = None, source=questions.pool) -> dict:
    """Asks for the questions, which take a while to draw; `measure` waits for them. `game24`: the public puzzles, as CSV."""
    asked = {kind: pool.apply_async(source, (kind, config.seed)) for kind in config.kinds}
    return asked | ({PUBLIC: pool.apply_async(puzzles, (game24,))} if game24 else {})


def measure_shipped(folder: File, out: File, asked: dict, config: Config, device: torch.device, temperature: float, pool):
    """Each task by the models that ship for it; where the run has trained a reward model, read by that one."""
    for name, job in asked.items():
        generator, verifier = SHIPPED[countdown.KIND if name == PUBLIC else name]
        verifier = config.reward_file if config.reward_phase else verifier
        files = folder / f'{generator}.gguf', verifier and folder / f'{verifier}.gguf'
        measure(*files, out, {name: job}, config, device, temperature, pool)


def measure(generator_file: File, verifier_file: File | None, out: File, asked: dict, config: Config, device: torch.device, temperature: float, pool):
    """Appends one line per question to `out`. A task is judged while the next one is sampled."""
    encoder = tokenizer.load(generator_file.parent / 'tokenizer.json')
    generator = for_sampling(gguf.read(generator_file), device)
    verifier = verifier_file and gguf.read(verifier_file).to(device).eval()

    def finish(name: str, documents: list[Document], greedy, sampled):
        first, paths = greedy(), sampled()
        odds = reward.score(verifier, paths, encoder, config.reward_batch) if verifier else None
        # One gzip member per task: what was written before a cut can be read.
        with gzip.open(out, 'at') as file:
            for index, document in enumerate(documents):
                at = slice(index * config.grade_samples, (index + 1) * config.grade_samples)
                record = record_of(name, document, first[index], paths[at], odds and {key: values[at] for key, values in odds.items()})
                file.write(json.dumps(record | {'temperature': temperature}, separators=(',', ':')) + '\n')
        print(f'measured {name}: {len(documents)} questions', flush=True)

    open_task = None
    for name, job in asked.items():
        documents = _spread(job.get(), config.grade_questions)
        greedy = walk(generator, encoder, documents, 1, 0.0, config, config.seed, pool)
        sampled = walk(generator, encoder, documents, config.grade_samples, temperature, config, config.seed, pool)
        if open_task:
            finish(*open_task)
        open_task = (name, documents, greedy, sampled)
    finish(*open_task)


def record_of(name: str, document: Document, greedy: Path, paths: list[Path], odds: dict | None) -> dict:
    return {
        'kind': name,
        'level': document.level,
        'question': document.question,
        'solvable': document.answer is not None,
        'greedy': greedy.verdict.right,
        'paths': [
            {
                'right': path.verdict.right,
                'answer': path.text.rpartition('Answer: ')[2],
                'tokens': len(path.tokens) - path.prompt + 1,
                'reasons': path.verdict.reasons,
                'alive': [int(alive) for alive in path.verdict.promise],
                **({key: [round(float(value), 3) for value in values[index]] for key, values in odds.items()} if odds else {}),
            }
            for index, path in enumerate(paths)
        ],
    }


def puzzles(file: File) -> list[Document]:
    """The public Game of 24, ranks 901 to 1000, which no training question resembles."""
    with file.open() as lines:
        rows = [row['Puzzles'].split() for row in csv.DictReader(lines)][900:1000]
    return [Document(countdown.KIND, 2, countdown.question_text(24, map(int, row)), '', '24') for row in rows]


def _spread(documents: list, count: int) -> list:
    """`count` of the documents, evenly over the file, so that all levels keep their share; all where there are fewer."""
    return [documents[i * len(documents) // count] for i in range(count)] if count < len(documents) else documents


def measure_draft(folder: File, asked: dict, config: Config, device: torch.device) -> dict:
    encoder = tokenizer.load(folder / 'tokenizer.json')
    generator, draft = (for_sampling(gguf.read(folder / f'{name}.gguf'), device) for name in (config.generator_file, 'sapling-draft'))
    return {kind: accepted(generator, draft, encoder, _spread(asked[kind].get(), config.draft_questions)) for kind in config.kinds}


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
