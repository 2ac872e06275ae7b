"""Paths: answers that the generator wrote, judged line by line."""

import multiprocessing
from dataclasses import dataclass

from . import tokenizer
from .config import Config
from .data import draw_for_reward, judge
from .document import Document, Verdict
from .model import Llama
from .sample import sample

LIMIT = 320  # tokens of an answer

@dataclass(frozen=True)
class Path:
    document: Document
    tokens: list[int]  # begin, question, newline, lines; neither a last newline nor an end
    prompt: int  # how many of the tokens are the question's, its newline included
    text: str
    verdict: Verdict


def prompts_of(encoder, documents: list[Document]) -> list[list[int]]:
    encoded = encoder.encode_batch_fast([document.question + '\n' for document in documents], add_special_tokens=False)
    return [[tokenizer.BEGIN, *one.ids] for one in encoded]


def walk(model: Llama, encoder, documents: list[Document], samples: int, temperature: float, config: Config, seed: int) -> list[Path]:
    """`samples` judged answers to each question; those of one question stand together."""
    prompts = [prompt for prompt in prompts_of(encoder, documents) for _ in range(samples)]
    answers = sample(model, prompts, temperature, LIMIT, seed, config.sample_batch)
    texts = encoder.decode_batch(answers)
    repeated = [document for document in documents for _ in range(samples)]
    with multiprocessing.get_context('spawn').Pool(config.workers) as pool:
        verdicts = pool.starmap(judge, zip(repeated, texts), chunksize=256)
    return [Path(d, p + a, len(p), t, v) for d, p, a, t, v in zip(repeated, prompts, answers, texts, verdicts)]


def reward_questions(config: Config) -> list[Document]:
    """Training questions for the reward model, with some countdown questions that have no solution."""
    share = config.reward_questions // config.workers
    with multiprocessing.get_context('spawn').Pool(config.workers) as pool:
        parts = pool.starmap(draw_for_reward, [(config.seed * 7919 + worker, share) for worker in range(config.workers)])
    return [document for part in parts for document in part]
