"""Paths: answers that the generator wrote, judged line by line."""

import multiprocessing
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as File

import numpy

from . import tokenizer
from .config import Config
from .data import ALONE, draw_many, judge, label_own, pack
from .document import Document, Verdict
from .model import Llama
from .sample import sample

LIMIT = 320  # tokens of an answer
CHUNK = 500  # questions that one process draws at a time


@dataclass(frozen=True)
class Path:
    document: Document
    tokens: list[int]  # begin, question, newline, lines; neither a last newline nor an end
    prompt: int  # how many of the tokens are the question's, its newline included
    text: str
    verdict: Verdict


@contextmanager
def judges(config: Config):
    """Processes that draw and judge; they start while the network trains."""
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


def ask_own(config: Config, pool) -> dict[str, list]:
    """Asks for training questions of each kind; `own_rows` waits for them."""
    return {
        kind: [pool.apply_async(draw_many, (f'{config.seed}:own:{kind}:{start}', kind, min(CHUNK, count - start))) for start in range(0, count, CHUNK)]
        for kind, count in config.own_answers.items()
    }


def own_rows(generators: dict[str, Llama], encoder, encoder_path: File, asked: dict[str, list], config: Config, pool) -> dict[str, numpy.ndarray]:
    """The generators' own answers, one to each question, labelled and packed. Labelling goes on in the pool while more are sampled."""
    began, jobs = time.monotonic(), {kind: [] for kind in asked}
    for kind, parts in asked.items():
        documents = [document for part in parts for document in part.get()]
        for start in range(0, len(documents), config.sample_batch):
            some = documents[start : start + config.sample_batch]
            prompts = prompts_of(encoder, some)
            answers = sample(generators[kind], prompts, config.temperature, LIMIT, config.seed + start, config.sample_batch)
            groups = [(encoder_path, *one) for one in zip(some, prompts, answers, encoder.decode_batch(answers))]
            jobs[kind].append(pool.starmap_async(label_own, groups, chunksize=64))
        print(f'own answers: {len(documents)} of {kind} sampled, {time.monotonic() - began:.0f} s', flush=True)
    labelled = {kind: [row for job in some for row in job.get() if row is not None] for kind, some in jobs.items()}
    print(f'own answers: labelled, {time.monotonic() - began:.0f} s', flush=True)
    return {kind: numpy.stack(list(pack(rows, config.row_tokens, kind in ALONE))) for kind, rows in labelled.items()}
