"""Plain samples of chosen questions with vLLM, without trees and without a control file: more of those that there are, or a first number of others. One line is
written per solution, as rollouts.py writes them. A line in a file counts as done: a second start goes on behind it."""

import json
import queue
import time
import urllib.request
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .rollouts import STOPS, Task, key_of, open_lines, prompt_of, read_lines, record_of, room_for

AHEAD = 64  # requests that wait in the engine beside those it decodes


class ServerEngine:
    """A vLLM that already serves, in place of one of our own: it draws beside what else the server does."""

    def __init__(self, url: str, model: str, sequences: int):
        self.url, self.model, self.sequences = f'{url}/v1/completions', model, sequences
        self.pool, self.done = ThreadPoolExecutor(sequences), queue.Queue()

    def add(self, key: str, prompt: list[int], temperature: float, most: int):
        asked = {'model': self.model, 'prompt': prompt, 'temperature': temperature, 'max_tokens': most, 'stop_token_ids': STOPS, 'return_token_ids': True}
        self.pool.submit(self.ask, key, asked)

    def ask(self, key: str, body: dict):
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {'content-type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                (choice,) = json.load(reply)['choices']
            self.done.put((key, choice['token_ids'], choice['finish_reason']))
        except Exception as error:  # raised where the draws are waited for
            self.done.put(error)

    def step(self) -> list[tuple[str, list[int], str]]:
        found = self.done.get()
        if isinstance(found, Exception):
            raise found
        return [found]


def tasks_of(questions: dict, counts: dict[str, int], first: dict[str, int], samples: int, system: str, without: set[tuple[str, int]]) -> list[Task]:
    """Samples `first` to `samples` of the first so many questions of each set that are not in `without`, whole questions one after the other."""
    found = []
    for name, count in counts.items():
        chosen = [at for at in range(len(questions[name])) if (name, at) not in without][:count]
        found += [Task(name, at, system, sample) for at in chosen for sample in range(first.get(name, 0), samples)]
    return found


def draw(engine, encoder, questions: dict, tasks: list[Task], file: Path, seconds: float):
    known = {key_of(each) for each in read_lines(file)}
    left, flying = deque(task for task in tasks if key_of(vars(task)) not in known), {}
    began, said, tokens = time.time(), time.time(), 0
    with open_lines(file) as out:
        while (left and time.time() - began < seconds) or flying:
            while left and time.time() - began < seconds and len(flying) < engine.sequences + AHEAD:
                task = left.popleft()
                prompt = prompt_of(task, questions, encoder)
                flying[key_of(vars(task))] = task
                engine.add(key_of(vars(task)), prompt, task.temperature, room_for(task, prompt))
            for key, ids, end in engine.step():
                tokens += len(ids)
                out.write(json.dumps(record_of(flying.pop(key), ids, end, questions, encoder), ensure_ascii=False) + '\n')
            if time.time() - said > 10:
                said = time.time()
                out.flush()
                print(f'{said - began:.0f} s, {tokens / (said - began):.0f} tokens/s, {len(flying)} in flight, {len(left)} left', flush=True)
    print(f'{tokens} tokens in {time.time() - began:.0f} s, {len(left)} not drawn', flush=True)
