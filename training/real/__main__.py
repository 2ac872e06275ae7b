"""`python -m training.real`: makes and grades reward models for real generators. README.md beside this file says how.

Imports stand in the commands: each needs other packages, and vLLM's processes read this file too."""

import argparse
import json
import math
import os
import time
from collections import defaultdict
from pathlib import Path

from . import forms
from .sets import SETS, TRAINING, load

SEED = 31


def main():
    os.environ.setdefault('TOKENIZERS_PARALLELISM', 'false')
    arguments = parse()
    arguments.command(arguments)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m training.real', description='Makes and grades reward models for real generators.')
    commands = parser.add_subparsers(required=True)
    path = {'type': Path, 'required': True}
    one = commands.add_parser('base', help='a Qwen2 GGUF as a Hugging Face folder in bf16')
    one.set_defaults(command=run_base)
    one.add_argument('model', type=Path)
    one.add_argument('--out', **path)
    one.add_argument('--only', choices=('tokenizer', 'weights'))
    one.add_argument('--processes', type=int, default=1)
    one = commands.add_parser('rollouts', help='sample solutions with vLLM')
    one.set_defaults(command=run_rollouts)
    for name in ('--base', '--data', '--out', '--control'):
        one.add_argument(name, **path)
    one.add_argument('--shard', type=int, default=0)
    one.add_argument('--shards', type=int, default=1)
    one.add_argument('--sequences', type=int, default=512)
    one.add_argument('--kv-gb', type=float, default=12)
    one.add_argument('--seed', type=int, default=SEED)
    one.add_argument('--sizes', type=int, nargs=4, default=[10**6] * 4, help=f'most questions of {", ".join(SETS)}')
    one.add_argument('--weights', default='auto', choices=('auto', 'later', 'dummy'), help='later: compile first, and take the weights when their file is there')
    one.add_argument('--greedy', type=int, default=10**6, help='most test questions answered greedily')
    one.add_argument('--system', default=forms.MAIN, choices=sorted(forms.SYSTEMS), help='the system message of all test questions and of three training questions in four')
    one.add_argument('--roots', type=int, default=4, help='whole solutions of a training question')
    one.add_argument('--toy', action='store_true', help='random answers instead of a model: a dry run')
    one = commands.add_parser('draws', help='plain samples of chosen questions with vLLM')
    one.set_defaults(command=run_draws)
    for name in ('--base', '--data', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--questions', nargs='+', required=True, help='gsm8k-train=400@0 gsm8k=1319@16: so many of each set, samples from number 16 on')
    one.add_argument('--samples', type=int, default=32, help='up to this number')
    one.add_argument('--server', help='URL of a vLLM that serves the base as --served, in place of one of our own')
    one.add_argument('--served', default='gen')
    one.add_argument('--without', type=Path, help='folder with solutions whose training questions are left out')
    one.add_argument('--system', default='boxed', choices=sorted(forms.SYSTEMS))
    one.add_argument('--shard', type=int, default=0)
    one.add_argument('--shards', type=int, default=1)
    one.add_argument('--sequences', type=int, default=512)
    one.add_argument('--kv-gb', type=float, default=12)
    one.add_argument('--seed', type=int, default=1031, help='of the engine: another one than that of earlier samples')
    one.add_argument('--seconds', type=float, default=math.inf, help='after which no further sample is begun')
    one.add_argument('--toy', action='store_true', help='random answers instead of a model: a dry run')
    one = commands.add_parser('confidence', help='how sure the generator was of each token of recorded solutions')
    one.set_defaults(command=run_confidence)
    for name in ('--base', '--data', '--solutions', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--sets', nargs='+', default=['gsm8k-train', 'gsm8k', 'math500'])
    one.add_argument('--questions', type=int, default=10**6, help='those with a lower index')
    one.add_argument('--device', default='cuda')
    one.add_argument('--processes', type=int, default=1, help='that make documents')
    one = commands.add_parser('make', help='the whole run on one GPU')
    one.set_defaults(command=run_make)
    for name in ('--base', '--data', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--site', type=Path, help='folder with vLLM, where it is not installed')
    one.add_argument('--name', default='Qwen/Qwen2.5-Coder-1.5B-Instruct')
    one.add_argument('--rank', type=int, default=8)
    one.add_argument('--shards', type=int, default=3, help='processes that sample')
    one.add_argument('--kv-gb', type=float, default=12)
    one.add_argument('--sample-seconds', type=float, default=230, help='for training questions, from the first solution on')
    one.add_argument('--test-seconds', type=float, default=400, help='for test questions after that, at most')
    one.add_argument('--fit-seconds', type=float, default=280)
    one.add_argument('--sample-by', type=float, default=math.inf, help='the same as times, in seconds since 1970: whichever comes first')
    one.add_argument('--fit-by', type=float, default=math.inf)
    one.add_argument('--outcome-seconds', type=float, help='of the baseline; as many where unset')
    one.add_argument('--also', nargs='*', choices=('embedded', 'linear', 'outcome'), default=['embedded', 'linear', 'outcome'])
    one.add_argument('--rollouts', nargs=argparse.REMAINDER, default=[], help='more for the samplers: comes last')
    one.add_argument('--fit', action='append', default=[], help='more for the training, one word each')
    one.add_argument('--device', default='cuda')
    one.add_argument('--processes', type=int, default=8, help='that make documents')
    one = commands.add_parser('fit', help='train an adapter on the sampled solutions')
    one.set_defaults(command=run_fit)
    for name in ('--base', '--data', '--solutions', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--name', default='Qwen/Qwen2.5-Coder-1.5B-Instruct')
    one.add_argument('--labels', choices=('steps', 'outcome'), default='steps')
    one.add_argument('--seconds', type=float, default=300)
    one.add_argument('--rate', type=float, default=4e-4)
    one.add_argument('--rank', type=int, default=8)
    one.add_argument('--alpha', type=float, default=16)
    one.add_argument('--tokens', type=int, default=12_288, help='in one pass')
    one.add_argument('--together', type=int, default=4, help='passes per step')
    one.add_argument('--seed', type=int, default=SEED)
    one.add_argument('--device', default='cuda')
    one.add_argument('--processes', type=int, default=1, help='that make documents')
    one = commands.add_parser('score', help='score sampled test solutions and print the figures')
    one.set_defaults(command=run_score)
    for name in ('--base', '--data', '--solutions', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--adapter', type=Path, help='without one: the bare generator')
    one.add_argument('--sets', nargs='+', default=['gsm8k', 'math500'])
    one.add_argument('--form', choices=('shepherd', 'embedded'), default='shepherd')
    one.add_argument('--questions', type=int, default=10**6)
    one.add_argument('--device', default='cuda')
    one.add_argument('--processes', type=int, default=1, help='that make documents')
    one = commands.add_parser('linear', help='the same with a linear head on frozen hidden states')
    one.set_defaults(command=run_linear)
    for name in ('--base', '--data', '--solutions', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--groups', type=int, default=1500, help='training questions')
    one.add_argument('--sets', nargs='+', default=['gsm8k', 'math500'])
    one.add_argument('--questions', type=int, default=300)
    one.add_argument('--seed', type=int, default=SEED)
    one.add_argument('--device', default='cuda')
    one.add_argument('--processes', type=int, default=1, help='that make documents')
    one = commands.add_parser('greedy', help='accuracy of the greedy answers under each system message')
    one.set_defaults(command=run_greedy)
    for name in ('--data', '--solutions', '--out'):
        one.add_argument(name, **path)
    one = commands.add_parser('figures', help='the figures of a file of scores')
    one.set_defaults(command=run_figures)
    one.add_argument('scores', type=Path)
    one.add_argument('--out', **path)
    one = commands.add_parser('serving', help='compare the scores of a vLLM that serves the adapter, and time it')
    one.set_defaults(command=run_serving)
    one.add_argument('--url', required=True)
    one.add_argument('--model', required=True, help="the adapter's name on the server")
    one.add_argument('--generator', required=True, help="the base's name on the server")
    for name in ('--base', '--data', '--solutions', '--scores', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--paths', type=int, default=256)
    one = commands.add_parser('trees', help='sampled and scored test solutions as recorded trees, for the lab')
    one.set_defaults(command=run_trees)
    for name in ('--base', '--data', '--solutions', '--scores', '--out'):
        one.add_argument(name, **path)
    one.add_argument('--name', default='Qwen/Qwen2.5-Coder-1.5B-Instruct')
    one.add_argument('--sets', nargs=1, default=['gsm8k'])
    one.add_argument('--questions', type=int, default=10**6)
    one.add_argument('--adapter', type=Path, help='whose hash the recording names')
    one.add_argument('--seed', type=int, default=SEED)
    one = commands.add_parser('adapter-gguf', help='an adapter as GGUF, for llama.cpp')
    one.set_defaults(command=run_gguf)
    one.add_argument('adapter', type=Path)
    one.add_argument('--out', **path)
    one = commands.add_parser('merge', help='the base with an adapter in its weights, as a Hugging Face folder')
    one.set_defaults(command=run_merge)
    for name in ('--base', '--adapter', '--out'):
        one.add_argument(name, **path)
    one = commands.add_parser('shrink', help='the nearest adapter of a lower rank')
    one.set_defaults(command=run_shrink)
    one.add_argument('adapter', type=Path)
    one.add_argument('--rank', type=int, required=True)
    one.add_argument('--out', **path)
    return parser.parse_args()


def run_merge(given):
    from . import adapter

    adapter.merge(given.base, given.adapter, given.out)


def run_shrink(given):
    from . import adapter

    adapter.shrink(given.adapter, given.rank, given.out)


def run_base(given):
    from . import base

    base.export(given.model, given.out, given.only, given.processes)


def run_rollouts(given):
    from . import rollouts

    given.out.mkdir(parents=True, exist_ok=True)
    encoder = encoder_of(given.base)
    if given.toy:
        golds = {f'{name}:{at}': each['answer'] for name, rows in load(given.data).items() for at, each in enumerate(rows)}
        engine = rollouts.ToyEngine(encoder, golds, given.seed + given.shard)
    else:
        engine = rollouts.VllmEngine(given.base, given.seed + given.shard, given.sequences, int(given.kv_gb * 1e9), given.weights)
    sizes = {**dict(zip(SETS, given.sizes)), 'greedy': given.greedy}
    rollouts.Sampler(engine, encoder, given.data, given.out, given.shard, given.shards, given.control, given.seed, sizes, given.system, given.roots).run()


def run_draws(given):
    from . import draws, rollouts

    given.out.mkdir(parents=True, exist_ok=True)
    encoder, questions = encoder_of(given.base), load(given.data)
    counts, first = {}, {}
    for each in given.questions:
        name, told = each.split('=')
        counts[name], first[name] = map(int, told.split('@'))
    known = {(each['set'], each['index']) for each in solutions_of(given.without) if each['set'] in TRAINING} if given.without else set()
    tasks = draws.tasks_of(questions, counts, first, given.samples, given.system, known)
    mine = [task for task in tasks if task.index % given.shards == given.shard]
    if given.toy:
        engine = rollouts.ToyEngine(encoder, {f'{name}:{at}': each['answer'] for name, rows in questions.items() for at, each in enumerate(rows)}, given.seed)
    elif given.server:
        engine = draws.ServerEngine(given.server, given.served, given.sequences)
    else:
        engine = rollouts.VllmEngine(given.base, given.seed + given.shard, given.sequences, int(given.kv_gb * 1e9))
    draws.draw(engine, encoder, questions, mine, given.out / f'solutions-{given.shard}.jsonl', given.seconds)


def run_confidence(given):
    import torch

    from . import confidence
    from .qwen import Qwen
    from .rollouts import read_lines

    wanted = lambda each: each['set'] in given.sets and each['sample'] >= 0 and each['parent'] is None and each['index'] < given.questions
    files = [(file, [each for each in read_lines(file) if wanted(each)]) for file in sorted(given.solutions.glob('solutions-*.jsonl'))]
    files = [(file, records) for file, records in files if records]
    # A processor computes bf16 in software.
    precision = torch.bfloat16 if given.device == 'cuda' else torch.float32
    about = confidence.run(lambda: Qwen(given.base, given.device, precision), encoder_of(given.base), load(given.data), files, given.out, given.processes)
    print(json.dumps(about), flush=True)


def run_make(given):
    from .make import make

    make(given)


def run_fit(given):
    import torch

    from . import forms, labels
    from .fit import fit
    from .qwen import Qwen

    began = time.time()
    encoder, questions = encoder_of(given.base), load(given.data)
    records = [each for each in solutions_of(given.solutions) if each['set'].endswith('-train')]
    groups = labels.examples(records, questions, encoder, given.labels, given.seed, given.processes)
    kinds = defaultdict(int)
    for group in groups:
        kinds[group[0].question[0]] += 1
    about = {
        'labels': given.labels, 'seed': given.seed, 'rank': given.rank, 'alpha': given.alpha, 'solutions': len(records), 'questions': dict(kinds),
        'branches': sum(each['parent'] is not None for each in records), 'right': sum(each['right'] for each in records) / len(records),
        'documents': sum(map(len, groups)), 'document tokens': sum(len(each.document.ids) for group in groups for each in group),
        'mixed questions': sum(len({each.right for each in group}) == 2 for group in groups), 'preparing s': round(time.time() - began, 1),
    }  # fmt: skip
    print(json.dumps(about), flush=True)
    torch.manual_seed(given.seed)
    model = Qwen(given.base, given.device, torch.bfloat16, given.rank, given.alpha, seed=given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    report = fit(model, groups, forms.verdict_tokens(encoder), given.out, given.name, given.seconds, given.rate, given.tokens, given.together)
    (given.out / 'training.json').write_text(json.dumps({**about, **report}) + '\n')
    print(json.dumps({key: value for key, value in report.items() if key != 'log'}), flush=True)


def tests_of(given) -> list[dict]:
    from .answers import normal, stated

    wanted = [each for each in solutions_of(given.solutions) if each['set'] in given.sets and each['sample'] >= 0 and each['index'] < given.questions]
    return [{**each, 'answer': normal(stated(each['text']))} for each in wanted]


def run_score(given):
    from . import adapter, forms
    from .score import documents_of, score

    encoder, questions, records = encoder_of(given.base), load(given.data), tests_of(given)
    documents = documents_of(records, questions, encoder, given.form, given.processes)
    model = adapter.open_model(given.base, given.adapter, given.device)
    about = score(model, records, documents, forms.verdict_tokens(encoder), given.out)
    print(json.dumps(about), flush=True)
    show(given.out, given.out.with_suffix('.figures.json'), about)


def run_linear(given):
    from . import labels
    from .qwen import Qwen
    from .score import documents_of, linear_head

    encoder, questions, records = encoder_of(given.base), load(given.data), tests_of(given)
    learnt = [each for each in solutions_of(given.solutions) if each['set'].endswith('-train')]
    trees = labels.trees_of(learnt)
    few = {key for key in sorted(trees)[:: max(1, len(trees) // given.groups)]}
    labels.EMBEDDED_SHARE = 1.0
    groups = labels.examples([each for each in learnt if (each['set'], each['index']) in few], questions, encoder, 'steps', given.seed, given.processes)
    examples = [unmarked(each, encoder) for group in groups for each in group]
    documents = documents_of(records, questions, encoder, 'unmarked', given.processes)
    about = linear_head(Qwen(given.base, given.device), examples, records, documents, given.out)
    print(json.dumps(about), flush=True)
    show(given.out, given.out.with_suffix('.figures.json'), about)


def unmarked(example, encoder):
    """The same document without the tags: what the generator itself saw."""
    from dataclasses import replace

    from . import forms

    marker = encoder.encode(forms.MARKER, add_special_tokens=False).ids
    ids, at, start = [], [], 0
    for place in example.document.at:
        ids += example.document.ids[start : place + 1 - len(marker)]
        at.append(len(ids) - 1)
        start = place + 1
    return replace(example, document=forms.Document(ids, at))


def run_greedy(given):
    from .answers import is_right, last_number, stated

    questions, table = load(given.data), {}
    for each in solutions_of(given.solutions):
        if each['sample'] == -1:
            gold = questions[each['set']][each['index']]['answer']
            row = table.setdefault(each['system'], {'questions': 0, 'stated': 0, 'last number': 0, 'tokens': 0, 'cut': 0, 'steps': 0})
            row['questions'] += 1
            row['stated'] += is_right(stated(each['text']), gold)
            row['last number'] += is_right(last_number(each['text']), gold)
            row['tokens'] += each['tokens']
            row['cut'] += each['end'] == 'length'
            row['steps'] += len([step for step in each['text'].split('\n\n') if step.strip()])
    for row in table.values():
        for name in row:
            row[name] = row[name] if name == 'questions' else round(row[name] / row['questions'], 4)
    given.out.write_text(json.dumps(table, indent=1) + '\n')
    print(json.dumps(table, indent=1), flush=True)


def run_figures(given):
    show(given.scores, given.out, {})


def run_serving(given):
    from . import serving

    serving.run(given, encoder_of(given.base), load(given.data), solutions_of(given.solutions))


def run_trees(given):
    import hashlib

    from . import recorded

    (name,) = given.sets
    scores = {}
    for line in given.scores.read_text().splitlines():
        each = json.loads(line)
        if each['set'] == name:
            scores[each['index'], each['sample']] = each['odds']
    records = [each for each in tests_of(given) if (each['index'], each['sample']) in scores]
    weights = given.adapter and hashlib.sha256((given.adapter / 'adapter_model.safetensors').read_bytes()).hexdigest()
    recorded.trees(records, scores, load(given.data)[name], encoder_of(given.base), given.out, given.name, weights or '', given.seed)


def run_gguf(given):
    from . import adapter

    adapter.write_gguf(given.adapter, given.out, given.adapter.name)


def show(scores: Path, out: Path, about: dict):
    from .figures import figures, rounded

    records = defaultdict(list)
    for line in scores.read_text().splitlines():
        each = json.loads(line)
        records[each['set']].append(each)
    table = {'about': about, **{name: rounded(figures(rows)) for name, rows in records.items()}}
    out.write_text(json.dumps(table, indent=1) + '\n')
    for name, part in ((name, part) for name, part in table.items() if name != 'about'):
        print(name, json.dumps(part['choosing']), json.dumps(part['telling']), flush=True)


def encoder_of(base: Path):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(base / 'tokenizer.json'))


def solutions_of(folder: Path) -> list[dict]:
    from .rollouts import read_lines

    return [each for file in sorted(folder.glob('solutions-*.jsonl')) for each in read_lines(file)]


if __name__ == '__main__':
    main()
