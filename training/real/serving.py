"""Asks a vLLM that serves the adapter beside its base, as coppice does: are its scores those of qwen.py, and how fast is it? Standard library only."""

import json
import random
import threading
import time
import urllib.request

from . import forms


def post(url: str, body: dict) -> dict:
    request = urllib.request.Request(url, json.dumps(body).encode(), {'content-type': 'application/json'})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def said(url: str, model: str, prompts: list[str], tokens: tuple[int, int]) -> list[float]:
    """Log odds of the verdicts, by one token of /v1/completions."""
    asked = {'max_tokens': 1, 'temperature': 0, 'logprobs': 1, 'logprob_token_ids': list(tokens), 'return_tokens_as_token_ids': True}
    answer = post(f'{url}/v1/completions', {'model': model, 'prompt': prompts, **asked})
    odds = [0.0] * len(prompts)
    for choice in answer['choices']:
        top = choice['logprobs']['top_logprobs'][0]
        odds[choice['index']] = top[f'token_id:{tokens[0]}'] - top[f'token_id:{tokens[1]}']
    return odds


def speed(url: str, model: str, encoder, questions: list[dict], sequences: int, tokens: int) -> float:
    """Tokens a second with so many sequences of a fixed length at once, 8 to a request."""
    prompts = [forms.chat(forms.MAIN, each['question']) for each in questions[: sequences // 8]]
    body = {'model': model, 'n': 8, 'temperature': 0.8, 'max_tokens': tokens, 'ignore_eos': True}
    one = lambda prompt: post(f'{url}/v1/completions', {**body, 'prompt': prompt})
    threads = [threading.Thread(target=one, args=(prompt,)) for prompt in prompts]
    began = time.time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(prompts) * 8 * tokens / (time.time() - began)


def run(given, encoder, questions: dict, solutions: list[dict]):
    report = {}
    for name in ('warm', 'first', 'second'):
        report[f'generator tokens/s, {name}'] = round(speed(given.url, given.generator, encoder, questions['gsm8k-train'], 64 if name == 'warm' else 512, 64 if name == 'warm' else 256))
    print(json.dumps(report), flush=True)
    if given.scores.exists():
        report |= compared(given, encoder, questions, solutions)
    given.out.write_text(json.dumps(report, indent=1) + '\n')
    print(json.dumps(report), flush=True)


def compared(given, encoder, questions: dict, solutions: list[dict]) -> dict:
    tokens = forms.verdict_tokens(encoder)
    texts = {(each['set'], each['index'], each['sample']): each['text'] for each in solutions if each['sample'] >= 0 and each['parent'] is None}
    lines = [json.loads(line) for line in given.scores.read_text().splitlines()]
    chosen = random.Random(1).sample(lines, min(given.paths, len(lines)))
    prompts, ours = [], []
    for each in chosen:
        steps = forms.steps_of(texts[each['set'], each['index'], each['sample']])
        asked = questions[each['set']][each['index']]['question'].strip()
        prompts.append(f'{asked} ' + '\n'.join(step + forms.MARKER for step in steps))
        ours.append(each['odds'][-1])
    began = time.time()
    theirs = [value for start in range(0, len(prompts), 32) for value in said(given.url, given.model, prompts[start : start + 32], tokens)]
    seconds = time.time() - began
    gaps = sorted(abs(a - b) for a, b in zip(ours, theirs))
    bare = said(given.url, given.generator, prompts[:32], tokens)
    return {
        'paths': len(prompts), 'seconds': round(seconds, 2), 'largest difference of log odds': round(gaps[-1], 3), 'median': round(gaps[len(gaps) // 2], 4),
        'mean log odds ours': round(sum(ours) / len(ours), 3), 'theirs': round(sum(theirs) / len(theirs), 3), 'without adapter': round(sum(bare) / len(bare), 3),
    }  # fmt: skip
