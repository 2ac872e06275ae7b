"""`python -m training`: makes, grades and exports the saplings. README.md beside this file says how.

Imports stand in the commands: the processes that make data read this file too, and need no PyTorch.
"""

import argparse
import dataclasses
import json
import os
from pathlib import Path

from .config import CONFIGS, EXACT, SEED, SHIPPED, Config, hurried

# The parts of the report that a grading can renew: the shipped reward model at each depth, those that do not ship, and the later generators.
PARTS = ('by depth', 'first reward model', 'another reward model', 'second growth', 'ledger')


def main():
    arguments = parse()
    os.environ.setdefault('TOKENIZERS_PARALLELISM', 'true')
    arguments.command(arguments)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m training', description='Makes, grades and exports the saplings.')
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser('make', help='train the models of one run and measure them')
    one.set_defaults(command=run_make)
    one.add_argument('--config', choices=CONFIGS, required=True, help='which models: config.py')
    one.add_argument('--out', type=Path, required=True, help='folder for the models and what was measured')
    one.add_argument('--warm', type=Path, help='folder with models to start from; their tokenizer is kept')
    one.add_argument('--hurry', type=float, default=1.0, help='the share of its seconds that each phase gets')
    one.add_argument('--game24', type=Path, help='CSV of the public Game of 24 (columns Rank, Puzzles, …)')
    one = commands.add_parser('measure', help='put the test questions to the models of a folder, and write what they said')
    one.set_defaults(command=run_measure)
    one.add_argument('--models', type=Path, default=Path('models'))
    one.add_argument('--out', type=Path, required=True, help='a file, .jsonl.gz')
    one.add_argument('--kinds', nargs='+', choices=SHIPPED, default=list(SHIPPED), help='tasks to measure')
    one.add_argument('--questions', type=int, default=500, help='test questions per task')
    one.add_argument('--samples', type=int, default=32, help='answers per question')
    one.add_argument('--temperature', type=float, default=1.0)
    one.add_argument('--game24', type=Path, help='CSV of the public Game of 24 (columns Rank, Puzzles, …)')
    one = commands.add_parser('chances', help='write how likely the right lines of the test questions are to the generator: exact for ledgers, no sampling')
    one.set_defaults(command=run_chances)
    one.add_argument('--models', type=Path, default=Path('models'))
    one.add_argument('--kind', choices=EXACT, default=EXACT[0])
    one.add_argument('--out', type=Path, required=True, help='a file, .jsonl.gz')
    one = commands.add_parser('trees', help='write for `grade` what `npm run lab -- record FILE --check none` drew of test questions')
    one.set_defaults(command=run_trees)
    one.add_argument('recordings', nargs='+', type=Path)
    one.add_argument('--out', type=Path, required=True, help='a file, .jsonl.gz')
    one = commands.add_parser('grade', help='write report.json, README.md and saplings.json from what was measured')
    one.set_defaults(command=run_grade)
    one.add_argument('--models', type=Path, default=Path('models'))
    one.add_argument('--part', nargs=2, action='append', default=[], metavar=('NAME', 'FILE'),
                     help=f'a part of the report to bring up to date, and what `measure` or `make` wrote for it: {", ".join(PARTS)}; the old ones stand')  # fmt: skip
    one.add_argument('--log', nargs=2, action='append', default=[], metavar=('NAME', 'FILE'), help='the same for how a part was trained: training.json of `make`')
    one = commands.add_parser('questions', help='write the question files')
    one.set_defaults(command=run_questions)
    one.add_argument('--out', type=Path, default=Path('tasks'))
    one.add_argument('--times', type=int, default=1, help='how many times as large as those that ship')
    one.add_argument('--kinds', nargs='+', choices=SHIPPED, default=list(SHIPPED), help='tasks to write')
    one = commands.add_parser('huggingface', help='write a model in Hugging Face format')
    one.set_defaults(command=run_huggingface)
    one.add_argument('--model', type=Path, default=Path('packages/llama/models/sapling.gguf'))
    one.add_argument('--out', type=Path, required=True)
    one = commands.add_parser('vectors', help='write strings with their token ids, for the test of the engine')
    one.set_defaults(command=run_vectors)
    one.add_argument('--models', type=Path, default=Path('models'))
    one.add_argument('--out', type=Path, required=True)
    return parser.parse_args()


def device_for(config: Config):
    """The GPU where there is one. Threads that wait for a core that the data workers hold would crawl."""
    import torch

    torch.set_float32_matmul_precision('high')
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - config.workers))
    return torch.device('cuda' if torch.cuda.is_available() else 'cpu')


def run_make(arguments: argparse.Namespace):
    from .make import make

    config = hurried(CONFIGS[arguments.config], arguments.hurry)
    make(config, arguments.out, arguments.warm, device_for(config), arguments.game24)


def run_measure(arguments: argparse.Namespace):
    from . import measure, paths, questions

    config = Config(name='measure', kinds=tuple(arguments.kinds), grade_questions=arguments.questions, grade_samples=arguments.samples)
    if device_for(config).type == 'cpu':
        config = dataclasses.replace(config, sample_batch=64, workers=1, reward_batch=16)
    arguments.out.unlink(missing_ok=True)
    with paths.judges(config) as pool:
        asked = measure.ask(config, pool, arguments.game24, questions.test_file)
        measure.measure_shipped(arguments.models, arguments.out, asked, config, device_for(config), arguments.temperature, pool)


def run_chances(arguments: argparse.Namespace):
    from . import chances

    config = Config(name='chances', kinds=(arguments.kind,), workers=0)
    chances.write(arguments.models, arguments.kind, arguments.out, SEED, device_for(config))


def run_trees(arguments: argparse.Namespace):
    from . import trees

    trees.write(arguments.recordings, arguments.out, Config.temperature)


def run_grade(arguments: argparse.Namespace):
    """Brings the report up to date with what is given; the figures of the first growth stand as its own run measured them."""
    from . import cards, grade

    file = arguments.models / 'report.json'
    report = json.loads(file.read_text())
    for name, measured in arguments.part:
        assert name in PARTS, f'{name} is no part of the report: {", ".join(PARTS)}'
        report[name] = grade.exactly(Path(measured)) if name in EXACT else grade.grade(Path(measured), SEED)
    for name, log in arguments.log:
        report['training'][name] = json.loads(Path(log).read_text())
    file.write_text(json.dumps(report, indent=1) + '\n')
    cards.write(arguments.models, arguments.models, report)


def run_questions(arguments: argparse.Namespace):
    from . import questions

    questions.write(arguments.out, SEED, arguments.times, arguments.kinds)


def run_huggingface(arguments: argparse.Namespace):
    from . import huggingface

    huggingface.export(arguments.model, arguments.model.parent / 'tokenizer.json', arguments.out)


def run_vectors(arguments: argparse.Namespace):
    from . import vectors

    vectors.write(arguments.models / 'tokenizer.json', arguments.out, SEED)


if __name__ == '__main__':
    main()
