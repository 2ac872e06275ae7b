"""TreeQuest's AB-MCTS-A on programming tasks, for comparison with coppice's `refine`: the same tasks, runner, words and server, one answer after the
other in each search, so many searches at a time. `npm run lab -- code FILE --write TASKS` writes the tasks. Needs treequest 0.3.3, else the standard
library only. Never reads the grading tests before a search has ended.

    python -m training.real.treequest_rival TASKS OUT --url http://127.0.0.1:8001/v1 --model gen --seeds 1 --concurrency 16
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


# As coppice asks: a server would else take what the model's own folder recommends.
PLAIN = {'top_p': 1, 'top_k': 0, 'min_p': 0, 'repetition_penalty': 1}


def answered(given, messages: list[dict], seed: int, temperature: float) -> tuple[str, int, int, bool]:
    """Text, generated tokens, prompt tokens, whether the model ended it."""
    body = {'model': given.model, 'messages': messages, 'temperature': temperature, 'max_tokens': given.answer_tokens, 'seed': seed,
            **PLAIN}
    request = urllib.request.Request(f'{given.url}/chat/completions', json.dumps(body).encode(), {'content-type': 'application/json'})
    with urllib.request.urlopen(request, timeout=600) as reply:
        said = json.load(reply)
    choice, usage = said['choices'][0], said['usage']
    return choice['message']['content'] or '', usage['completion_tokens'], usage['prompt_tokens'], choice['finish_reason'] == 'stop'


LIMITS = ['prlimit', f'--as={512 << 20}', '--core=0', '--nofile=64', '--'] if shutil.which('prlimit') else []


class Runner:
    """The ready runner of coppice's command verifier under its limits of time and memory; not shut in further."""

    def __init__(self, source: str, parallel: int, seconds: float):
        self.source, self.seconds, self.places = source, seconds, threading.Semaphore(parallel)

    def judge(self, answer: str, tests: str) -> tuple[float, str | None]:
        proof = str(random.random())
        with self.places:
            child = subprocess.Popen([*LIMITS, sys.executable, '-I', '-S', '-c', self.source], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, cwd='/tmp', start_new_session=True)
            try:
                output, _ = child.communicate(json.dumps({'answer': answer, 'tests': tests, 'proof': proof}).encode(), timeout=self.seconds)
            except subprocess.TimeoutExpired:
                return 0.0, f'It did not end within {self.seconds:g} seconds.'
            finally:
                try:
                    os.killpg(child.pid, 9)
                except ProcessLookupError:
                    pass
                child.wait()
        try:
            said = json.loads(output.decode().rstrip().split('\n')[-1])
            assert said['proof'] == proof
            return said['reward'], said['feedback']
        except (ValueError, KeyError, AssertionError, TypeError):
            return 0.0, 'The process ended before its tests did.'


class Search:
    """One task under one seed."""

    def __init__(self, given, task: dict, seed: int, runner: Runner, repair: str):
        self.given, self.task, self.seed, self.runner, self.repair = given, task, seed, runner, repair
        self.answers: list[dict] = []
        self.prompted = 0

    def generate(self, parent: dict | None) -> tuple[dict, float]:
        """The state of a node is its conversation, with the answer as the last message."""
        if parent is None:
            messages = [{'role': 'user', 'content': self.task['question']}]
        else:
            words = parent['feedback'] or f"It was judged to be worth {parent['score']:.2f} of 1."
            messages = [*parent['messages'], {'role': 'user', 'content': self.repair.replace('{feedback}', words)}]
        drawn = zlib.crc32(f"{self.seed} {self.task['id']} {len(self.answers)}".encode()) % (1 << 31)
        text, tokens, prompted, ended = answered(self.given, messages, drawn, self.given.temperature)
        score, feedback = self.runner.judge(text, self.task['searching']) if ended else (0.0, 'The answer was too long and was cut.')
        self.prompted += prompted
        self.answers.append({'depth': (len(messages) + 1) // 2, 'tokens': tokens, 'score': score, 'text': text})
        return {'messages': [*messages, {'role': 'assistant', 'content': text}], 'score': score, 'feedback': feedback}, score

    def spent(self) -> int:
        return sum(each['tokens'] for each in self.answers)

    def run(self) -> dict:
        began = time.time()
        if self.given.direct:
            text, tokens, self.prompted, _ = answered(self.given, [{'role': 'user', 'content': self.task['question']}], self.seed, 0.0)
            self.answers.append({'depth': 1, 'tokens': tokens, 'score': 0.0, 'text': text})
        else:
            self.grow()
        took = time.time() - began
        best = -1.0
        for each in self.answers:
            if each['score'] > best:
                best = each['score']
                each['right'] = self.runner.judge(each['text'], self.task['grading'])[0] == 1
        right = [each['right'] for each in self.answers if 'right' in each][-1]
        kept = [{name: value for name, value in each.items() if name != 'text'} for each in self.answers]
        program = 'direct' if self.given.direct else 'treequest'
        exit_kind = 'accepted' if best == 1 else 'exhausted'
        return {'program': program, 'seed': self.seed, 'set': self.task['set'], 'question': self.task['id'], 'right': right, 'score': max(best, 0.0),
                'exit': exit_kind, 'answers': kept, 'tokens': self.spent(), 'promptTokens': self.prompted, 'cachedTokens': 0, 'ms': round(1000 * took)}

    def grow(self):
        import treequest

        algorithm = treequest.ABMCTSA(dist_type=self.given.posterior)
        state = algorithm.init_tree()
        while self.spent() < self.given.token_budget and len(self.answers) < self.given.rollouts:
            state = algorithm.step(state, {'answer': self.generate}, inplace=True)
            if self.answers[-1]['score'] == 1:
                return


def main():
    asked = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    asked.add_argument('tasks', type=Path)
    asked.add_argument('out', type=Path)
    asked.add_argument('--url', required=True)
    asked.add_argument('--model', required=True)
    asked.add_argument('--seeds', default='1')
    asked.add_argument('--concurrency', type=int, default=16)
    asked.add_argument('--parallel', type=int, default=16)
    asked.add_argument('--posterior', default='gaussian', choices=['gaussian', 'beta'])
    asked.add_argument('--temperature', type=float, default=0.8)
    asked.add_argument('--token-budget', type=int, default=3000)
    asked.add_argument('--answer-tokens', type=int, default=768)
    asked.add_argument('--rollouts', type=int, default=64)
    asked.add_argument('--test-seconds', type=float, default=5)
    asked.add_argument('--size', type=int, help='so many of the tasks, spread evenly')
    asked.add_argument('--direct', action='store_true', help='one greedy answer each, without any search')
    given = asked.parse_args()
    head, *tasks = [json.loads(line) for line in given.tasks.read_text().splitlines()]
    if given.size is not None:
        tasks = [tasks[at * len(tasks) // given.size] for at in range(given.size)]
    settings = json.dumps({name: str(value) for name, value in vars(given).items() if name not in ('out', 'seeds', 'size')})
    if not given.out.exists():
        given.out.write_text(settings + '\n')
    _, *kept = given.out.read_text().splitlines()
    there = {(each['seed'], each['question']) for each in map(json.loads, kept)}
    runner = Runner(head['runner'], given.parallel, given.test_seconds)
    jobs = [(task, int(seed)) for seed in given.seeds.split(',') for task in tasks if (int(seed), task['id']) not in there]
    lock, began = threading.Lock(), time.time()

    def one(job):
        line = Search(given, *job, runner, head['repair']).run()
        with lock, given.out.open('a') as out:
            out.write(json.dumps(line) + '\n')
        return line

    with ThreadPoolExecutor(given.concurrency) as pool:
        lines = list(pool.map(one, jobs))
    if lines:
        mean = lambda name: sum(float(each[name]) for each in lines) / len(lines)
        print(f"{len(lines)} searches in {time.time() - began:.1f} s, {given.concurrency} at a time: {100 * mean('right'):.1f} % right, {mean('tokens'):.0f} tokens")


if __name__ == '__main__':
    main()
