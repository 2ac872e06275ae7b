"""One run: generator, reward model and draft. Each model is written as soon as it is trained, so that a run that is cut off keeps what it has."""

import json
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random

import torch

from . import gguf, joint, lessons, measure, paths, questions, reward, tokenizer, train
from .chances import watcher
from .config import SHIPPED, Config
from .data import Shards, text_of, training_documents
from .model import Llama
from .sample import for_sampling

TOKENIZER_DOCUMENTS = 20_000


class Run:
    """What there is to say about a run, written after each part."""

    def __init__(self, config: Config, out: Path, device: torch.device):
        self.began, self.out, self.device, self.file = time.monotonic(), out, device, out / 'training.json'
        self.log = {'device': torch.cuda.get_device_name() if device.type == 'cuda' else 'CPU', 'config': config.name}

    def seconds(self) -> float:
        return round(time.monotonic() - self.began, 1)

    def note(self, name: str, value):
        self.log[name] = value
        self.file.write_text(json.dumps(self.log, indent=2) + '\n')
        print(f'[{self.seconds()} s] {name}: {value}', flush=True)


def make(config: Config, out: Path, warm: Path | None, device: torch.device, game24: Path | None = None):
    """Writes tokenizer.json, the models, training.json and what they said to the test questions. `warm`: the folder of models to start from."""
    out.mkdir(parents=True, exist_ok=True)
    run = Run(config, out, device)
    encoder = make_tokenizer(config, out, warm)
    with paths.judges(config) as pool:
        asked = paths.ask_own(config, pool)
        test = measure.ask(config, pool, game24, questions.pool if config.generator_phase else questions.test_file)
        for name in {name for kind in config.kinds for name in SHIPPED[kind] if name} if warm else ():
            shutil.copyfile(warm / f'{name}.gguf', out / f'{name}.gguf')
        file = out / f'{config.generator_file}.gguf'
        if config.generator_phase:
            grow = grow_both if config.spoiled_rows else grow_generator
            grow(run, config, file, warm, encoder)
        if config.reward_phase:
            grow_reward(run, config, asked, encoder, pool)
        measure.measure_shipped(out, out / 'measured.jsonl.gz', test, config, device, config.temperature, pool)
        run.note('measured', {'seconds': run.seconds()})
        if config.draft_phase:
            grow_draft(run, config, gguf.read(file).to(device), test, encoder)


def grow_generator(run: Run, config: Config, file: Path, warm: Path | None, encoder):
    """Watches the last of the tasks, which is the newest."""
    start = warm and config.generator_from and gguf.read(warm / f'{config.generator_from}.gguf')
    watch = watcher(encoder, config.kinds[-1], config.seed, run.device)
    with shards_of('solutions', config, run.out) as shards:
        generator, log = train.train_generator(config, shards, run.device, start, watch)
        gguf.write(file, generator, encoder, config.generator_file, {})
        run.note('generator', log | {'shards repeated': shards.repeats, 'watched': watch(generator)})


def grow_both(run: Run, config: Config, file: Path, warm: Path | None, encoder):
    """One network for both roles, written under two names: the generator ships in any case, the reward model only if it reads well."""
    start = warm and config.generator_from and gguf.read(warm / f'{config.generator_from}.gguf')
    watch = watcher(encoder, config.kinds[-1], config.seed, run.device)
    with shards_of('solutions', config, run.out) as right, shards_of('spoiled', config, run.out) as spoiled:
        network, log = joint.train_both(config, right, spoiled, encoder, run.device, start, watch)
        gguf.write(file, network, encoder, config.generator_file, {})
        gguf.write(run.out / f'{config.reward_file}.gguf', network, encoder, config.reward_file, reward.metadata(encoder))
        run.note('both', log | {'shards repeated': right.repeats + spoiled.repeats, 'watched': watch(network)})


def grow_reward(run: Run, config: Config, asked: dict, encoder, pool):
    """Starts from the reward model that stands in the folder, else from the generator."""
    file = run.out / f'{config.reward_file}.gguf'
    start = gguf.read(file if file.exists() else run.out / f'{config.generator_file}.gguf')
    generators = {kind: gguf.read(run.out / f'{SHIPPED[kind][0]}.gguf').to(run.device).eval() for kind in config.kinds}
    with lessons.streams_of(config, run.out / 'tokenizer.json') as streams:
        plain = {kind: for_sampling(generators[kind], run.device) for kind in asked}
        own = paths.own_rows(plain, encoder, run.out / 'tokenizer.json', asked, config, pool)
        run.note('rows of own answers', {kind: len(rows) for kind, rows in own.items()})
        repeated = lessons.again(config, own)

        def keep(verifier: Llama):
            gguf.write(file, verifier, encoder, config.reward_file, reward.metadata(encoder))

        verifier, log = reward.train_reward(config, start, generators, [*streams, *repeated], encoder, run.device, keep)
        keep(verifier)
        run.note('reward', log | {'shards repeated': {f'{stream.source} {stream.kind}'.strip(): shards.repeats for stream, shards in streams}, 'passes': {stream.kind: rows.passes for stream, rows in repeated}})


def grow_draft(run: Run, config: Config, generator: Llama, test: dict, encoder):
    with shards_of('solutions', config, run.out) as shards:
        draft, log = train.train_draft(config, generator, shards, run.device)
        gguf.write(run.out / 'sapling-draft.gguf', draft, encoder, 'sapling-draft', {})
        run.note('draft', log)
        run.note('accepted', measure.measure_draft(run.out, test, config, run.device))


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
    documents = training_documents(Random(config.seed), config.kinds)
    encoder = tokenizer.train([text_of(next(documents)) for _ in range(TOKENIZER_DOCUMENTS)], config.vocabulary)
    encoder.save(str(out / 'tokenizer.json'))
    return encoder
