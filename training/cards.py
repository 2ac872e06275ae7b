"""Model cards: README.md and the manifest saplings.json of a folder of models, written from the report of a grading."""

import hashlib
import json
from pathlib import Path

from . import countdown, gguf, grade, ledger, questions, reward, sudoku, words
from .data import TASKS

MODELS = {
    'sapling': 'generator: writes the steps',
    'sapling-prm': 'process reward model: scores them',
    'sapling-draft': 'draft model: guesses what the generator will say',
    'sapling-sudoku': 'generator of the second growth: writes sudokus, a cell a line',
    'sapling-ledger': 'generator of the third growth: keeps ledgers, a sum a line',
}
FIRST = (countdown.KIND, words.KIND)  # what the first growth has learnt


def write(models: Path, out: Path, report: dict):
    facts = {name: facts_of(models / f'{name}.gguf') for name in MODELS}
    readers = {name: gguf.Reader(models / f'{name}.gguf').metadata for name in MODELS}
    (out / 'saplings.json').write_text(json.dumps(manifest(facts, readers), indent=2) + '\n')
    first = report['first growth']
    parts = [head(facts), generator_card(first), verifier_card(report, readers['sapling-prm']), depth_card(report['by depth']), draft_card(first)]
    text = '\n\n'.join([*parts, sudoku_card(report), ledger_card(report), missed_card(report), tail()])
    (out / 'README.md').write_text(text + '\n')


def facts_of(path: Path) -> dict:
    shape = gguf.read(path).shape
    data = path.read_bytes()
    return {
        'file': path.name,
        'bytes': len(data),
        'sha256': hashlib.sha256(data).hexdigest(),
        'layers': shape.layers,
        'width': shape.width,
        'heads': shape.heads,
        'feedForward': shape.feed_forward,
        'parameters': shape.parameters(448),
    }


def manifest(facts: dict, readers: dict) -> dict:
    table = readers['sapling-prm']
    pairs = {
        name: {key: table[f'coppice.prm.{name}.{there}'] for key, there in
               (('positiveToken', 'positive_token'), ('negativeToken', 'negative_token'), ('aggregation', 'aggregation'))}
        for name in reward.PAIRS
    }  # fmt: skip
    return {
        'models': facts,
        'temperature': table['coppice.sampling.temperature'],
        'delimiter': table['coppice.step.delimiter'],
        'answerPrefix': table['coppice.answer.prefix'],
        'beginToken': table['tokenizer.ggml.bos_token_id'],
        'endToken': table['tokenizer.ggml.eos_token_id'],
        'rewards': {'default': reward.DEFAULT, **pairs},
    }


def head(facts: dict) -> str:
    rows = [
        f'| `{f["file"]}` | {MODELS[name]} | {f["parameters"] / 1e6:.2f} M | {f["layers"]} × {f["width"]} | {f["bytes"] / 2**20:.2f} MiB | `{f["sha256"]}` |'
        for name, f in facts.items()
    ]
    return '\n'.join([
        '# The saplings', '',
        'Small real models that ship with coppice, so that it does its job on a fresh machine. `sapling` solves countdown puzzles and',
        'word problems, `sapling-sudoku` sudokus of 4x4 and 6x6, `sapling-ledger` ledgers of running sums, and none of them anything else.',
        '`packages/llama/src/task` recognises the questions and says so when one is of another kind.', '',
        'This page and `saplings.json` are written by `python -m training grade`; every figure stands in `report.json`.', '',
        '| file | what | parameters | layers × width | size | SHA-256 |', '|---|---|---|---|---|---|', *rows, '',
        'All: llama-shaped, tied embeddings, GGUF with Q8_0 matrices, one tokenizer of 448 byte-level BPE tokens with single',
        'digits (pre-tokenizer `smollm`), 512 tokens of context. Licence: Apache-2.0. Training data: made by rule in `training/`, no',
        'text from elsewhere. Language: English.', '',
        '## How to talk to them', '',
        'Prompt: begin token, the question on one line, a newline. Sample at temperature 1. A step is a line; the last line begins',
        'with `Answer: ` and ends with the end token instead of a newline.', '',
        '```', 'Make 24 from 4 7 8 8.', '8/8=1 left 1 4 7', '7-1=6 left 4 6', '6*4=24 left 24', 'Answer: (7-8/8)*4', '```',
    ])  # fmt: skip


def generator_card(report: dict) -> str:
    lines = ['## sapling', '', training_line(report, 'generator', 'next-token prediction of worked answers; the question itself is not learnt'), '']
    for kind in FIRST:
        for name, table in report[kind].items():
            if name.startswith('temperature'):
                lines += [f'{kind}, {name}, {report["samples"]} samples per question:', '', *zone_table(table, report['samples']), '']
        lines += [f'The answer of most of {report["samples"]} samples is right in {report[kind]["chosen"]["majority"]:.1%} ({kind}).', '']
    if 'game of 24' in report:
        game = report['game of 24']
        lines += [f'Public Game of 24, ranks {game["ranks"]} (held out: no training question has four numbers from 1 to 13 and target 24): '
                  f'pass@1 {game["pass@1"]}, pass@{report["samples"]} {game["pass@n"]}.', '']  # fmt: skip
    lines += ['Countdown questions without a solution are graded apart: any answer to them is wrong, and they are not in these tables.', '',
              'Limits: nothing but these two kinds; numbers up to eight digits; no fractions between steps; stories told in other',
              'words than those of `training/words.py` are guessed at. It errs in arithmetic rather than in reading: products of',
              'three-digit numbers are mostly wrong, each time in another way.']  # fmt: skip
    return '\n'.join(lines)


def zone_table(table: dict, samples: int) -> list[str]:
    rows = [f'| {name} | {z["questions"]} | {z["pass@1"]} | {z["pass@n"]} | {z["easy"]} | {z["between"]} | {z["impossible"]} |' for name, z in table.items()]
    return [f'| | questions | pass@1 | pass@{samples} | easy (> 0.9) | between | impossible (0 of {samples}) |', '|---|---|---|---|---|---|---|', *rows]


def verifier_card(report: dict, table: dict) -> str:
    first, log = report['training']['first growth'], report['training']['fourth growth']
    steps, seconds = (sum(run['reward'][key] for run in log['runs']) for key in ('steps', 'seconds'))
    lines = ['## sapling-prm', '',
             f'The generator, trained further: first on answers spoiled by rule ({first["checking"]["steps"]:,} steps in {first["checking"]["seconds"]:.0f} s) and on graded answers of the generator '
             f'({first["reward"]["steps"]:,} steps in {first["reward"]["seconds"]:.0f} s); then, in {len(log["runs"])} runs of',
             f'{steps:,} steps of 65,536 tokens in {seconds:.0f} s together, on remainders, drills, spoiled and right answers of countdown, word problems and ledgers (`training/residues.py`,',
             f'`training/lessons.py`); all on one {log["device"]}.', '',
             'Reading it: after the newline that ends a line (or the end token after the last line), r = 1 / (1 + exp(b - a)) with the',
             'logits a and b of two tokens. Nothing is appended to the path, so its key-value cache is reused. Two pairs can be read there:', '']  # fmt: skip
    for name, (good, bad) in reward.PAIRS.items():
        ids = table[f'coppice.prm.{name}.positive_token'], table[f'coppice.prm.{name}.negative_token']
        default = ', the default' if name == reward.DEFAULT else ''
        lines += [f'- **{name}**{default}: `{good}` (token {ids[0]}) against `{bad}` (token {ids[1]}), made for `{table[f"coppice.prm.{name}.aggregation"]}`. {MEANING[name]}']
    lines += ['', 'The ids are in the GGUF metadata (`coppice.prm.positive_token`, `coppice.prm.negative_token`, `coppice.prm.aggregation` for the default;',
              '`coppice.prm.step.*`, `coppice.prm.promise.*` for each) and in `saplings.json`.', '']  # fmt: skip
    for name in reward.PAIRS:
        lines += auc_table(report['by depth'], name)
    return '\n'.join(lines[:-1])


MEANING = {
    'step': 'Is this line right in itself, given the path: arithmetic, numbers used, the quantity asked for, and for the last line the target? '
    'Its products keep their meaning as a bound, the probability that every line is right; so it is the default. It does not look ahead: '
    'a countdown line that leads nowhere is right.',
    'promise': 'Of word problems and ledgers: the probability that a sample from here ends right, 0 after a false line. Of countdown: can the target still be reached? '
    'It is an estimate that later lines revise, upwards too, so the last one counts and products of it are too low. After the last line it is read behind the end token, '
    'as the engine does.',
}


def auc_table(report: dict, name: str) -> list[str]:
    lines = [f'**{name}** on samples of test questions, {report["samples"]} each:', '',
             '| | lines | good | AUC of lines | AUC of paths | AUC of paths within a question |', '|---|---|---|---|---|---|']  # fmt: skip
    for kind in read_kinds(report):
        one = report[kind]['reward'][name]
        lines += [f'| {kind} | {one["lines"]} | {one["good"]} | {one["AUC"]} | {one["AUC of whole paths"]} | {one["AUC of whole paths within a question"]} |']
    lines += ['']
    for kind in read_kinds(report):
        one = report[kind]['reward'][name]
        said = ', '.join(f'{c["said"]} → {c["true"]} ({c["lines"]})' for c in one['calibration'])
        causes = ', '.join(f'{cause} {m["reward"]} ({m["lines"]})' for cause, m in one['mean reward where it dies'].items())
        lines += [f'- {kind}. Calibration while alive, said → true: {said}. Mean reward of the line at which a path dies, by cause (high: blind spot): {causes}.']
    return [*lines, '']


def read_kinds(report: dict) -> list[str]:
    return [kind for kind in TASKS if kind in report]


def depth_card(table: dict) -> str:
    """The reward model where it matters: per depth, within a question, among lines that follow a living prefix."""
    lines = ['### At each depth', '',
             'Graded within a question and on living prefixes only: after lines of which none is wrong, does a line that keeps the path alive score',
             f'above one that ends it? Pairs are of one question; a depth is shown from {grade.FEWEST} questions with such pairs on. Measured on',
             f'{_asked(table)}, {table["samples"]} answers each, temperature {table["temperature"]}.', '']  # fmt: skip
    for kind in read_kinds(table):
        for name in reward.PAIRS:
            lines += [depth_line(kind, name, table[kind]['reward'][name]), '']
    return '\n'.join(lines[:-1])


def _asked(table: dict) -> str:
    return ', '.join(f'{table[kind]["solved"]["all"]["questions"]} questions of {kind}' for kind in read_kinds(table))


def depth_line(kind: str, name: str, one: dict) -> str:
    depths = ', '.join(f'{d["depth"]}: {d["AUC"]:.3f} ({d["questions"]})' for d in one['depths'] if d['questions'] >= grade.FEWEST)
    return (f'- {kind}, **{name}**, depth: AUC (questions): {depths or "too few questions"}; worst {one["worst depth"]}. Above 0.9: '
            f'{one["above 0.9 while alive"]:.1%} of lines that keep a path alive, {one["above 0.9 where it dies"]:.1%} of those that end it.')  # fmt: skip


def sudoku_card(report: dict) -> str:
    table, log = report['second growth'], report['training']['second growth']
    one = table[sudoku.KIND]
    return '\n'.join([
        '## sapling-sudoku', '',
        'Started from `sapling` and trained further on four tasks at once: ' + f'{log["generator"]["steps"]:,} steps of 65,536 tokens in {log["generator"]["seconds"]:.0f} s on one '
        f'{log["device"]}. It learnt sudokus and not the rest (below), so it ships for sudokus alone. Cells are written in reading order, often',
        'before the givens force them: a path goes wrong at a cell that breaks no rule yet, and the conflict shows some lines later. It has no',
        'reward model: the one that was trained beside it tells almost nothing. `checkLine` of `packages/llama/src/task` sees every conflict.', '',
        '```', 'Sudoku 1..3 3.4. 2.3. 4312', 'a2=4', 'a3=2', '…', 'Answer: 1423 3241 2134 4312', '```', '',
        f'Levels, {table["samples"]} samples per question at temperature {table["temperature"]} (`greedy`: one answer at temperature 0; `error`: of the lines after a',
        'path that is right so far, the share that is wrong):', '', *solved_table(one['levels'], table['samples']), '',
        f'The test file takes {", ".join(f"{round(share * 10)} % level {level}" for level, share in questions.MIX[sudoku.KIND].items())}:', '',
        *solved_table({'test file': one['solved']['all']}, table['samples']), '',
        f'Of {one["deaths"]["paths"]:,} paths that went wrong, {one["deaths"]["value"]:.1%} did so with a digit that broke no rule; {one["deaths"]["seen"]:.1%} ran into a conflict afterwards,',
        f'{one["deaths"]["gap"]} lines later in the mean. Almost no question is out of its reach: the fifth of impossible ones that was wished for is missing.',
    ])  # fmt: skip


def ledger_card(report: dict) -> str:
    table, log = report['ledger'], report['training']['ledger']
    return '\n'.join([
        '## sapling-ledger', '',
        f'Started from `sapling` and trained on ledgers alone: {log["both"]["steps"]:,} steps of 64 worked answers in {log["both"]["seconds"]:.0f} s on one {log["device"]}. In each batch',
        'it also learnt to tell spoiled answers (`training/joint.py`). Writing was learnt, telling hardly: it says much the same of right and of wrong lines. So it ships as a',
        'generator alone, and `checkLine` of `packages/llama/src/task`, which sees every false sum, stands beside it.', '',
        '```', 'Ledger 4821: a+3921-1184 b-2442+33 c+1000 d-5000 e+2222 f+1111.', 'a 4821+3921-1184=7558', 'b 7558-2442+33=5149', '…', 'Answer: 4482', '```', '',
        'Levels: 1 has one amount an entry; 2 and 3 a second one of 1 to 2 and of 2 to 3 digits; 4 two of four digits; 5 two, in balances of 5 and 6 digits; 6',
        'three, the later ones short; 7 three of full length; 8, in no question file, three of 6 digits. A sample goes right or wrong by chance at some hard',
        'line, often the same one for all samples of a question: most lines are all but sure, a few have an even chance.', '',
        f'The test file, as {table["samples"]} samples per question at temperature 1 would have it. These figures are calculated from the probability that the network gives to',
        'each right line after right lines (`python -m training chances`), since a line of a ledger has one right form:', '',
        *solved_table({('test file' if name == 'all' else name): one for name, one in table['solved'].items()}, table['samples']), '',
        f'The test file takes {", ".join(f"{round(share * 10)} % level {level}" for level, share in questions.MIX[ledger.KIND].items())}. Wished for were 30 % easy, 50 % between and 20 % impossible questions,',
        'and errors of 8 to 15 % a line: there are fewer easy ones, and only level 5 errs that often. Level 6 is out of reach of whole samples; a search that draws a line again',
        'may get through, since one draw in five is right, though at some lines it is one in a thousand. Level 7 was not learnt at all.',
    ])  # fmt: skip


def solved_table(table: dict, samples: int) -> list[str]:
    rows = [
        f'| {name} | {z["questions"]} | {z["lines"]} | {z["tokens"]} | {z["error a line"]:.3f} | {z["greedy"]} | {z["pass@1"]} | {z["pass@n"]} | {z["easy"]} | {z["between"]} | {z["impossible"]} |'
        for name, z in table.items()
    ]
    return [f'| | questions | lines | tokens | error | greedy | pass@1 | pass@{samples} | easy (> 0.9) | between | impossible |', '|---|---|---|---|---|---|---|---|---|---|---|', *rows]


def missed_card(report: dict) -> str:
    """What was tried and does not ship, with its figures."""
    table, log = report['second growth'], report['training']['second growth']
    first = {kind: report['first growth'][kind]['temperature 1.0']['all']['pass@1'] for kind in FIRST}
    rows = [f'| {kind} | {first.get(kind, "")} | {table[kind]["solved"]["all"]["pass@1"]} | {table[kind]["solved"]["all"]["greedy"]} | '
            f'{table[kind]["solved"]["all"]["error a line"]} | {_worst(table[kind], "step")} | {_worst(table[kind], "promise")} |'
            for kind in (*FIRST, ledger.KIND, sudoku.KIND)]  # fmt: skip
    return '\n'.join([
        '## What does not ship', '',
        f'**The second growth**, but for its sudokus: one run of {log["measured"]["seconds"]:.0f} s, generator {log["generator"]["seconds"]:.0f} s, {log["paths of the generator"]:,} of its own answers sampled and labelled, reward model '
        f'{log["checking"]["seconds"] + log["reward"]["seconds"]:.0f} s.', '',
        '| | pass@1 of `sapling` | pass@1 | greedy | error a line | step, worst depth | promise, worst depth |', '|---|---|---|---|---|---|---|', *rows, '',
        '- Its ledgers stated the balance alone, and every sum stayed a guess. `sapling-ledger` writes the sum out, alone in its rows, from a network that knows sums of two',
        '  numbers: that was learnt in seconds. The same form from chance, on half the network, had learnt nothing but sums of two numbers after 6,343 steps.',
        '- Countdown and word problems fell. In part the old figures flattered: the first growth was trained on answers that pass through smaller',
        '  puzzles, and 143 of the 166 countdown questions of level 1 in the test file are among those. The second growth was',
        '  kept apart from them, and level 1 is where it lost most. Products of large numbers it unlearnt beside three other tasks.',
        '- Its reward model learnt the own answers by heart: 1,580 batches ran some twelve times through 43,493 of them; its loss fell from 0.88 to 0.17 while its odds on',
        '  test questions became worthless.', '',
        *another_reward(report),
    ])  # fmt: skip


def another_reward(report: dict) -> list[str]:
    """A reward model that was trained further and is no better."""
    new, old, log = report['another reward model'], report['first reward model'], report['training']['another reward model']
    rows = [f'| {kind} | {name} | {_worst(old[kind], name)} | {_worst(new[kind], name)} | {old[kind]["reward"][name]["AUC of whole paths within a question"]} | '
            f'{new[kind]["reward"][name]["AUC of whole paths within a question"]} |' for kind in FIRST for name in reward.PAIRS]  # fmt: skip
    return [
        f'**The first `sapling-prm`, trained further** for {log["reward"]["seconds"]:.0f} s, with spoiled answers in every other batch: {log["paths of the generator"]:,} own answers were all that 50 s of sampling gave beside another run,',
        'and each was seen some sixty times. No better. Worst depth, and whole paths within a question (first: '
        f'{old["samples"]} answers each to {old["word-problem"]["solved"]["all"]["questions"]} questions a task; new: {new["samples"]} to 500):', '',
        '| | reading | worst depth, first `sapling-prm` | further | paths, first `sapling-prm` | further |', '|---|---|---|---|---|---|', *rows,
    ]


def _worst(one: dict, name: str):
    worst = one['reward'][name]['worst depth']
    return 'too few' if worst is None else worst


def draft_card(report: dict) -> str:
    rows = [f'- {kind}: {one["accepted per drafted"]} ({one["drafted"]} drafted, blocks of {one["block"]})' for kind, one in report['draft'].items()]
    return '\n'.join(['## sapling-draft', '', training_line(report, 'draft', "the generator's distribution over the same rows"), '',
                      'Accepted tokens per drafted token, speculative sampling at temperature 1:', '', *rows])  # fmt: skip


def training_line(report: dict, name: str, what: str) -> str:
    log = report.get('training', {}).get(name)
    if not log:
        return f'Trained on {what}.'
    return f'Trained on {what}: {log["steps"]:,} steps in {log["seconds"]:.0f} s on one {report["training"]["device"]}.'


def tail() -> str:
    return '\n'.join([
        '## To measure again', '',
        '```', 'python -m training measure --models models --out /tmp/measured.jsonl.gz --questions 60 --samples 8   # a part of them, for a CPU', '```', '',
        'Test questions are those of `packages/llama/tasks/*.test.jsonl`. Samples depend on the hardware (the order of sums), so figures move by about',
        'one hundredth between machines.',
    ])  # fmt: skip
