"""One run: tokenizer, generator, draft and reward model from a seed. Each model is written as soon as it is trained."""

import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random

import torch

from . import gguf, paths, reward, tokenizer, train
from .config import Config
from .data import Shards, text_of, training_documents
from .sample import for_sampling

TOKENIZER_DOCUMENTS = 20_000


def make(config: Config, out: Path, reuse: Path | None, device: torch.device) -> dict:
    """Writes tokenizer.json and three GGUF files; gives what there is to say about the training."""
    began = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    if reuse:
        for name in ('tokenizer.json', 'sapling.gguf', 'sapling-draft.gguf'):
            shutil.copyfile(reuse / name, out / name)
        log: dict = {}
    else:
        log = make_generator(config, out, device)
    say(began, 'generator and draft are there')
    log |= make_verifier(config, out, device)
    say(began, 'the reward model is there')
    return log | {'device': torch.cuda.get_device_name() if device.type == 'cuda' else 'CPU', 'config': config.name}


@contextmanager
def shards_of(source: str, config: Config, out: Path):
    """Data made beside the training, in a folder of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix='saplings-') as folder:
        shards = Shards(Path(folder), out / 'tokenizer.json', config, source)
        try:
            yield shards
        finally:
            shards.close()


def make_generator(config: Config, out: Path, device: torch.device) -> dict:
    encoder = make_tokenizer(config, out)
    with shards_of('solutions', config, out) as shards:
        generator, generator_log = train.train_generator(config, shards, device)
        gguf.write(out / 'sapling.gguf', generator, encoder, 'sapling', {})
        draft, draft_log = train.train_draft(config, generator, shards, device)
        gguf.write(out / 'sapling-draft.gguf', draft, encoder, 'sapling-draft', {})
    return {'generator': generator_log, 'draft': draft_log}


def make_tokenizer(config: Config, out: Path):
    documents = training_documents(Random(config.seed))
    encoder = tokenizer.train([text_of(next(documents)) for _ in range(TOKENIZER_DOCUMENTS)], config.vocabulary)
    encoder.save(str(out / 'tokenizer.json'))
    return encoder


def make_verifier(config: Config, out: Path, device: torch.device) -> dict:
    encoder, generator = tokenizer.load(out / 'tokenizer.json'), gguf.read(out / 'sapling.gguf').to(device)
    documents = paths.reward_questions(config)
    walked = paths.walk(for_sampling(generator, device), encoder, documents, config.reward_samples, config.temperature, config, config.seed)
    with shards_of('spoiled', config, out) as shards:
        verifier, log = reward.train_reward(config, generator, shards, walked, encoder, device)
    gguf.write(out / 'sapling-prm.gguf', verifier, encoder, 'sapling-prm', reward.metadata(encoder))
    return log | {'paths of the generator': len(walked)}


def say(began: float, text: str):
    print(f'[{time.monotonic() - began:.0f} s] {text}', flush=True)
