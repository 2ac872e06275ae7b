"""One run: generator, reward model and draft. Each model is written as soon as it is trained, so that a run that is cut off keeps what it has."""

import json
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random

import torch

from . import gguf, measure, paths, reward, tokenizer, train
from .config import Config
from .data import Shards, text_of, training_documents
from .sample import for_sampling

TOKENIZER_DOCUMENTS = 20_000


def make(config: Config, out: Path, warm: Path | None, device: torch.device, game24: Path | None = None):
    """Writes tokenizer.json, three GGUF files, training.json and what they said to the test questions. `warm`: models to start from."""
    out.mkdir(parents=True, exist_ok=True)
    run = Run(config, out, device)
    encoder = make_tokenizer(config, out, warm)
    with paths.judges(config) as pool, shards_of('solutions', config, out) as shards:
        asked, test = paths.reward_questions(config, pool), measure.ask(config, pool, game24)
        generator, log = train.train_generator(config, shards, device, warm and gguf.read(warm / 'sapling.gguf'))
        gguf.write(out / 'sapling.gguf', generator, encoder, 'sapling', {})
        run.note('generator', log | {'shards repeated': shards.repeats})
        shards.stop()
        with shards_of('spoiled', config, out) as mistakes:
            shipped = gguf.read(out / 'sapling.gguf').to(device)
            own = paths.own_rows(for_sampling(shipped, device), encoder, out / 'tokenizer.json', asked, config, pool)
            verifier, logs = reward.train_reward(config, shipped, mistakes, own, encoder, device)
            gguf.write(out / 'sapling-prm.gguf', verifier, encoder, 'sapling-prm', reward.metadata(encoder))
            for name, log in logs.items():
                run.note(name, log)
            run.note('paths of the generator', len(own))
        measure.measure(out, out / 'measured.jsonl.gz', test, config, device, config.temperature, pool)
        run.note('measured', {'seconds': run.seconds()})
        start = gguf.read(warm / 'sapling-draft.gguf') if warm else None
        draft, log = train.train_draft(config, shipped, shards, device, start)
        gguf.write(out / 'sapling-draft.gguf', draft, encoder, 'sapling-draft', {})
        run.note('draft', log)
        run.note('accepted', measure.measure_draft(out, test, config, device))


class Run:
    """What there is to say about a run, written after each part."""

    def __init__(self, config: Config, out: Path, device: torch.device):
        self.began, self.file = time.monotonic(), out / 'training.json'
        self.log = {'device': torch.cuda.get_device_name() if device.type == 'cuda' else 'CPU', 'config': config.name}

    def seconds(self) -> float:
        return round(time.monotonic() - self.began, 1)

    def note(self, name: str, value):
        self.log[name] = value
        self.file.write_text(json.dumps(self.log, indent=2) + '\n')
        print(f'[{self.seconds()} s] {name}: {value}', flush=True)


@contextmanager
def shards_of(source: str, config: Config, out: Path):
    """Data made beside the training, in a folder of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix='saplings-') as folder:
        shards = Shards(Path(folder), out / 'tokenizer.json', config, source)
        try:
            yield shards
        finally:
            shards.close()


def make_tokenizer(config: Config, out: Path, warm: Path | None):
    if warm:
        shutil.copyfile(warm / 'tokenizer.json', out / 'tokenizer.json')
        return tokenizer.load(out / 'tokenizer.json')
    documents = training_documents(Random(config.seed))
    encoder = tokenizer.train([text_of(next(documents)) for _ in range(TOKENIZER_DOCUMENTS)], config.vocabulary)
    encoder.save(str(out / 'tokenizer.json'))
    return encoder
