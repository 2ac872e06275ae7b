"""Paths: answers that the generator wrote, judged line by line."""

import multiprocessing
import time
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path as File

import numpy

from . import tokenizer
from .config import Config
from .data import draw_for_reward, judge, label_own
from .document import Document, Verdict
from .model import Llama
from .sample import sample

LIMIT = 320  # tokens of an answer
CHUNK = 250  # questions that one process draws at a time


@dataclass(frozen=True)
class Path:
    document: Document
    tokens: list[int]  # begin, question, newline, lines; neither a last newline nor an end
    prompt: int  # how many of the tokens are the question's, its newline included
    text: str
    verdict: Verdict


@contextmanager
def judges(config: Config):
    """Processes that draw, judge and label; they start while the network trains."""
    with multiprocessing.get_context('spawn').Pool(config.workers) as pool:
        yield pool


def prompts_of(encoder, documents: list[Document]) -> list[list[int]]:
    encoded = encoder.encode_batch_fast([document.question + '\n' for document in documents], add_special_tokens=False)
    return [[tokenizer.BEGIN, *one.ids] for one in encoded]


def walk(model: Llama, encoder, documents: list[Document], samples: int, temperature: float, config: Config, seed: int, pool):
    """Samples `samples` answers to each question now; what it gives, when called, waits for their verdicts. Those of one question stand together."""
    prompts = [prompt for prompt in prompts_of(encoder, documents) for _ in range(samples)]
    answers = sample(model, prompts, temperature, LIMIT, seed, config.sample_batch)
    texts = encoder.decode_batch(answers)
    repeated = [document for document in documents for _ in range(samples)]
    job = pool.starmap_async(judge, list(zip(repeated, texts)), chunksize=128)

    def judged() -> list[Path]:
        return [Path(d, p + a, len(p), t, v) for d, p, a, t, v in zip(repeated, prompts, answers, texts, job.get())]

    return judged


def reward_questions(config: Config, pool) -> dict[str, list]:
    """Asks for training questions of each kind for the reward model, a part of each kind in turn; `own_rows` waits for them."""
    asked: dict[str, list] = {kind: [] for kind in config.kinds}
    if config.reward_phase:
        for part in range(max(1, config.reward_questions // CHUNK)):
            for kind, parts in asked.items():
                wanted = f'{config.seed}:reward:{kind}:{part}', kind, min(CHUNK, config.reward_questions)
                parts.append(pool.apply_async(draw_for_reward, wanted))
    return asked


def own_rows(model: Llama, encoder, encoder_path: File, asked: dict[str, list], config: Config, pool) -> list[numpy.ndarray]:
    """The generator's own answers, labelled: a batch of each task in turn, until the questions or the seconds are used up."""
    began, jobs = time.monotonic(), []
    waiting = {kind: (document for part in parts for document in part.get()) for kind, parts in asked.items()}
    size = max(1, config.sample_batch // config.reward_samples)
    while waiting and time.monotonic() - began < config.reward_seconds:
        for kind in list(waiting):
            some = list(islice(waiting[kind], size))
            if some:
                jobs.append(_labelled(model, encoder, encoder_path, some, config, len(jobs), pool))
            else:
                del waiting[kind]
    rows = [row for job in jobs for group in job.get() for row in group]
    print(f'own answers: {len(rows)} in {time.monotonic() - began:.0f} s', flush=True)
    return rows


def _labelled(model: Llama, encoder, encoder_path: File, documents: list[Document], config: Config, seed: int, pool):
    """Samples now; judging and labelling go on in the pool."""
    count, prompts = config.reward_samples, prompts_of(encoder, documents)
    answers = sample(model, [prompt for prompt in prompts for _ in range(count)], config.temperature, LIMIT, config.seed + seed, config.sample_batch)
    texts = encoder.decode_batch(answers)
    groups = [
        (encoder_path, document, prompt, answers[at * count : (at + 1) * count], texts[at * count : (at + 1) * count])
        for at, (document, prompt) in enumerate(zip(documents, prompts))
    ]
    return pool.starmap_async(label_own, groups, chunksize=16)
