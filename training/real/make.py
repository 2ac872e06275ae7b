"""One run on one GPU, in order: sample trees over training questions, train the adapter while the samplers go on with the test questions, score those, then the
comparisons (the embedded engine's form, a linear head on the bare generator, outcome labels). Each part is a process with a log of its own."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

POLL = 0.5


def make(given):
    out, started = given.out, time.time()
    for folder in ('logs', 'results', 'solutions'):
        (out / folder).mkdir(parents=True, exist_ok=True)
    control = out / 'control.json'
    write_control(control, started + 3600, started + 3600)
    common = ['--base', given.base, '--data', given.data]
    shards = range(given.shards)
    place = [*common, '--out', out / 'solutions', '--control', control, '--shards', given.shards, '--kv-gb', given.kv_gb, *given.rollouts]
    samplers = [start(out, f'rollouts-{shard}', 'rollouts', *place, '--shard', shard, site=given.site) for shard in shards]
    files = [out / 'solutions' / f'solutions-{shard}.jsonl' for shard in shards]
    until(lambda shard: files[shard].exists() and files[shard].stat().st_size > 0, samplers, 'the first solutions', started)
    begun = time.time()
    enough = min(begun + given.sample_seconds, given.sample_by)
    write_control(control, enough, enough + given.test_seconds)
    until(lambda shard: (out / 'solutions' / f'trained-{shard}').exists(), samplers, 'the training questions', started)
    from_here = [*common, '--solutions', out / 'solutions', '--device', given.device]
    fitting = ['--name', given.name, '--rank', given.rank, '--processes', given.processes, *given.fit]
    seconds = min(given.fit_seconds, given.fit_by - time.time())
    run(out, 'fit', started, 'fit', *from_here, '--out', out / 'adapter', '--seconds', seconds, *fitting)
    for sampler in samplers:
        sampler.wait()
    say(started, 'the samplers have ended')
    many = ['--processes', given.processes]
    run(out, 'score', started, 'score', *from_here, *many, '--adapter', out / 'adapter', '--out', out / 'results' / 'steps.jsonl')
    run(out, 'greedy', started, 'greedy', '--data', given.data, '--solutions', out / 'solutions', '--out', out / 'results' / 'greedy.json')
    if 'embedded' in given.also:
        few = ['--form', 'embedded', '--questions', 150, '--sets', 'gsm8k']
        run(out, 'score-embedded', started, 'score', *from_here, *many, *few, '--adapter', out / 'adapter', '--out', out / 'results' / 'embedded.jsonl')
    if 'linear' in given.also:
        run(out, 'linear', started, 'linear', *from_here, *many, '--out', out / 'results' / 'linear.jsonl')
    if 'outcome' in given.also:
        seconds = ['--seconds', given.outcome_seconds or given.fit_seconds]
        run(out, 'fit-outcome', started, 'fit', *from_here, '--out', out / 'adapter-outcome', '--labels', 'outcome', *seconds, *fitting)
        run(out, 'score-outcome', started, 'score', *from_here, *many, '--adapter', out / 'adapter-outcome', '--out', out / 'results' / 'outcome.jsonl')
    say(started, 'done')


def write_control(path: Path, train_until: float, stop: float):
    part = path.with_suffix('.part')
    part.write_text(json.dumps({'trainUntil': train_until, 'until': stop}))
    part.replace(path)


def start(out: Path, name: str, *arguments, site: Path | None = None) -> subprocess.Popen:
    environment = dict(os.environ, PYTHONUNBUFFERED='1')
    if site is not None:
        environment['PYTHONPATH'] = str(site)
        environment['VLLM_CACHE_ROOT'] = str(out / 'cache' / name)  # processes that compile at once must not share what they write
    log = (out / 'logs' / f'{name}.log').open('a')
    return subprocess.Popen([sys.executable, '-m', 'training.real', *map(str, arguments)], stdout=log, stderr=log, env=environment)


def run(out: Path, name: str, started: float, *arguments):
    code = start(out, name, *arguments).wait()
    say(started, f'{name} ended with {code}')


def until(holds, samplers: list[subprocess.Popen], what: str, started: float):
    """Waits until it holds for every sampler that has not failed; its questions are left out then."""
    while True:
        alive = [shard for shard, each in enumerate(samplers) if each.poll() in (None, 0)]
        if not alive:
            sys.exit(f'all samplers failed before {what} were there')
        if all(holds(shard) for shard in alive):
            return say(started, f'{what} are there, {len(alive)} of {len(samplers)} samplers run')
        time.sleep(POLL)


def say(started: float, what: str):
    print(f'{time.time() - started:.0f} s: {what}', flush=True)
