"""`python -m training.real`: makes and grades reward models for real generators. README.md beside this file says how.

Imports stand in the commands: each needs other packages, and vLLM's processes read this file too."""

import json
import os
import time
from collections import defaultdict
from datetime import date
from pathlib import Path

from .arguments import parse
from .sets import SETS, TRAINED, TRAINING, UNSEEN, load


def main():
    os.environ.setdefault('TOKENIZERS_PARALLELISM', 'false')
    given = parse()
    COMMANDS[given.command](given)


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
        engine = rollouts.ToyEngine(encoder, golds_of(load(given.data)), given.seed + given.shard)
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
        engine = rollouts.ToyEngine(encoder, golds_of(questions), given.seed)
    elif given.server:
        engine = draws.ServerEngine(given.server, given.served, given.sequences)
    else:
        engine = rollouts.VllmEngine(given.base, given.seed + given.shard, given.sequences, int(given.kv_gb * 1e9), given.weights)
    draws.draw(engine, encoder, questions, mine, given.out / f'solutions-{given.shard}.jsonl', given.seconds)


def run_gather(given):
    from . import gather, rollouts

    given.out.mkdir(parents=True, exist_ok=True)
    encoder, questions = encoder_of(given.base), load(given.data)
    if given.toy:
        engine = rollouts.ToyEngine(encoder, golds_of(questions), given.seed + given.shard)
    else:
        engine = rollouts.VllmEngine(given.base, given.seed + given.shard, given.sequences, int(given.kv_gb * 1e9), given.weights)
    known = set(given.known.read_text().split()) if given.known else set()
    gather.Gatherer(engine, encoder, questions, given.out, given.shard, given.shards, given.control, given.plan_seed, given.system, known).run()


def run_keys(given):
    from .rollouts import key_of

    keys = sorted({key_of(each) for each in solutions_of(given.solutions) if each['parent'] is None})
    given.out.write_text('\n'.join(keys) + '\n')
    print(f'{len(keys)} keys', flush=True)


def run_follow(given):
    from . import adapter, follow, forms

    encoder = encoder_of(given.base)
    pool = follow.document_pool(encoder, load(given.data), given.processes)
    model = follow.ToyModel() if given.toy else adapter.open_model(given.base, given.adapter, given.device)
    follow.Follower(given.solutions, given.sets, given.out, given.control).run(model, pool, forms.verdict_tokens(encoder))


def run_regrade(given):
    from .answers import solves
    from .rollouts import key_of, read_lines

    questions, changed, grades = load(given.data), 0, {}
    for file in sorted(given.solutions.glob('solutions-*.jsonl')):
        records = read_lines(file)
        for each in records:
            grades[key_of(each)] = right = solves(each['text'], questions[each['set']][each['index']]['answer'])
            changed, each['right'] = changed + (right != each['right']), right
        rewrite(file, records)
    if given.scores:
        rewrite(given.scores, [{**each, 'right': grades[key_of(each)]} for each in read_lines(given.scores)])
    print(f'{changed} of {len(grades)} graded otherwise', flush=True)


def rewrite(file: Path, records: list[dict]):
    part = file.with_suffix('.part')
    part.write_text(''.join(json.dumps(each, ensure_ascii=False) + '\n' for each in records))
    part.replace(file)


def run_make(given):
    from .make import make

    make(given)


def run_fit(given):
    import torch

    from . import adapter, forms, labels
    from .fit import fit, tells

    began = time.time()
    encoder, questions = encoder_of(given.base), load(given.data)
    wanted = lambda each: each['set'] in given.sets and (not given.systems or each['system'] in given.systems)
    records = [each for each in solutions_of(given.solutions) if wanted(each)]
    choices = labels.Choices(given.labels, not given.uncut, given.branches, given.seed)
    groups = labels.examples(records, questions, encoder, choices, given.processes, 'unmarked' if given.activated else 'marked')
    back = [group for group in groups if labels.held_back(group)]
    groups = [group for group in groups if not labels.held_back(group)][: given.questions]
    kinds = defaultdict(int)
    for group in groups:
        kinds[group[0].question[0]] += 1
    about = {
        **vars(choices), 'ranking': given.ranking, 'activated': given.activated, 'warm': given.warm is not None, 'rank': given.rank, 'alpha': given.alpha, 'solutions': len(records),
        'questions': dict(kinds), 'branches drawn': sum(each['parent'] is not None for each in records), 'right': sum(each['right'] for each in records) / len(records),
        'documents': sum(map(len, groups)), 'document tokens': sum(len(each.document.ids) for group in groups for each in group),
        'mixed questions': sum(len({each.right for each in group}) == 2 for group in groups), 'held back': len(back), 'preparing s': round(time.time() - began, 1),
    }  # fmt: skip
    print(json.dumps(about), flush=True)
    while not (given.base / 'model.safetensors').exists():
        time.sleep(1)  # made meanwhile by `base`
    torch.manual_seed(given.seed)
    model = network_of(given)(given.base, given.device, getattr(torch, given.dtype), given.rank, given.alpha, seed=given.seed)
    model.tag = encoder.encode(forms.MARKER, add_special_tokens=False).ids
    if given.warm is not None:
        adapter.fill(model, given.warm)
    given.out.mkdir(parents=True, exist_ok=True)
    verdicts = forms.verdict_tokens(encoder)
    report = fit(model, groups, verdicts, given.out, given.name, given.seconds, given.rate, given.tokens, given.together, given.ranking)
    (given.out / 'training.json').write_text(json.dumps({**about, **report}) + '\n')
    report['told apart, held back'] = tells(model, back, verdicts, given.tokens)
    (given.out / 'training.json').write_text(json.dumps({**about, **report}) + '\n')
    print(json.dumps({key: value for key, value in report.items() if key != 'log'}), flush=True)


def network_of(given):
    from .activated import Activated
    from .qwen import Qwen

    return Activated if given.activated else Qwen


def tests_of(given) -> list[dict]:
    from .answers import normal, stated

    wanted = [each for each in solutions_of(given.solutions) if each['set'] in given.sets and each['sample'] >= 0 and each['parent'] is None and each['index'] < given.questions]
    return [{**each, 'answer': normal(stated(each['text']))} for each in wanted]


def run_score(given):
    from . import adapter, forms
    from .score import documents_of, score

    encoder, questions, records = encoder_of(given.base), load(given.data), tests_of(given)
    documents = documents_of(records, questions, encoder, 'unmarked' if given.activated else given.form, given.processes)
    model = adapter.open_model(given.base, given.adapter, given.device, network=network_of(given))
    model.tag = encoder.encode(forms.MARKER, add_special_tokens=False).ids
    about = score(model, records, documents, forms.verdict_tokens(encoder), given.out)
    print(json.dumps(about), flush=True)
    figures = show(given.out, given.out.with_suffix('.figures.json'), about)
    if given.adapter is not None:
        adapter.note_measured(given.adapter, figures, date.today())


def run_linear(given):
    from . import labels
    from .qwen import Qwen
    from .score import documents_of, linear_head

    encoder, questions, records = encoder_of(given.base), load(given.data), tests_of(given)
    learnt = [each for each in solutions_of(given.solutions) if each['set'] in TRAINED]
    trees = labels.trees_of(learnt)
    few = {key[:2] for key in sorted(trees)[:: max(1, len(trees) // given.groups)]}
    labels.EMBEDDED_SHARE = 1.0
    groups = labels.examples([each for each in learnt if (each['set'], each['index']) in few], questions, encoder, labels.Choices(seed=given.seed), given.processes)
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
    show(given.scores, given.out, {}, given.against)


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
        if each['set'] == name and each.get('parent') is None:
            scores[each['index'], each['sample']] = each['odds']
    records = [each for each in tests_of(given) if (each['index'], each['sample']) in scores]
    weights = given.adapter and hashlib.sha256((given.adapter / 'adapter_model.safetensors').read_bytes()).hexdigest()
    recorded.trees(records, scores, load(given.data)[name], encoder_of(given.base), given.out, given.name, weights or '', given.seed)


def run_gguf(given):
    from . import adapter

    adapter.write_gguf(given.adapter, given.out, given.adapter.name)


def show(scores: Path, out: Path, about: dict, others: Path | None = None) -> dict:
    from .figures import against, figures, rounded

    records, theirs = by_set(scores), by_set(others) if others else {}
    table = {'about': about}
    for name, rows in records.items():
        table[name] = rounded(figures(rows))
        if name in theirs:
            table[name]['against'] = rounded(against(rows, theirs[name]))
    out.write_text(json.dumps(table, indent=1) + '\n')
    for name, part in ((name, part) for name, part in table.items() if name != 'about'):
        print(name, json.dumps(part['choosing']), json.dumps(part['telling']), json.dumps(part.get('against')), flush=True)
    return table


def by_set(scores: Path) -> dict[str, list[dict]]:
    """Whole samples of each set, and of those together that nothing was trained on."""
    from .figures import pooled

    records = defaultdict(list)
    for line in scores.read_text().splitlines():
        each = json.loads(line)
        if each.get('parent') is None:
            records[each['set']].append(each)
    unseen = [each for name in UNSEEN for each in records.get(name, ())]
    return {**records, **({'unseen': pooled(unseen)} if unseen else {})}


def golds_of(questions: dict) -> dict[str, str]:
    return {f'{name}:{at}': each['answer'] for name, rows in questions.items() for at, each in enumerate(rows)}


def encoder_of(base: Path):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(base / 'tokenizer.json'))


def solutions_of(folder: Path) -> list[dict]:
    from .rollouts import read_lines

    return [each for file in sorted(folder.glob('solutions-*.jsonl')) for each in read_lines(file)]


COMMANDS = {
    'base': run_base,
    'rollouts': run_rollouts,
    'draws': run_draws,
    'gather': run_gather,
    'keys': run_keys,
    'follow': run_follow,
    'regrade': run_regrade,
    'make': run_make,
    'fit': run_fit,
    'score': run_score,
    'linear': run_linear,
    'greedy': run_greedy,
    'figures': run_figures,
    'serving': run_serving,
    'trees': run_trees,
    'adapter-gguf': run_gguf,
    'merge': run_merge,
    'shrink': run_shrink,
}


if __name__ == '__main__':
    main()
