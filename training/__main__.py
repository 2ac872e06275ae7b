"""`python -m training`: makes, grades and exports the saplings. README.md beside this file says how."""

import argparse
import dataclasses
import json
import os
from pathlib import Path

import torch

from . import cards, huggingface, questions, vectors
from .config import CONFIGS, Config
from .grade import grade
from .make import make


def main():
    arguments = parse()
    os.environ.setdefault('TOKENIZERS_PARALLELISM', 'true')
    torch.set_float32_matmul_precision('high')
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    arguments.command(arguments, device)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m training', description='Makes, grades and exports the saplings.')
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser('make', help='train all three models from a seed, then grade them')
    one.set_defaults(command=run_make)
    one.add_argument('--config', choices=CONFIGS, default='full')
    one.add_argument('--out', type=Path, required=True, help='folder for the models, the report and the model cards')
    one.add_argument('--reuse', type=Path, help='folder with tokenizer, generator and draft: train the reward model alone')
    one = commands.add_parser('grade', help='measure the models of a folder on the test questions, and write report and model cards')
    one.set_defaults(command=run_grade)
    one.add_argument('--models', type=Path, default=Path('models'))
    one.add_argument('--out', type=Path, help='folder for report.json and README.md; that of the models unless given')
    one.add_argument('--questions', type=int, default=500, help='test questions per task')
    one.add_argument('--samples', type=int, default=64, help='answers per question')
    one.add_argument('--temperatures', type=float, nargs='+', default=[1.0], help="the engine's first")
    one.add_argument('--game24', type=Path, help='CSV of the public Game of 24 (columns Rank, Puzzles, …)')
    one = commands.add_parser('questions', help='write the question files')
    one.set_defaults(command=run_questions)
    one.add_argument('--out', type=Path, default=Path('tasks'))
    one = commands.add_parser('huggingface', help='write a model in Hugging Face format')
    one.set_defaults(command=run_huggingface)
    one.add_argument('--model', type=Path, default=Path('models/sapling.gguf'))
    one.add_argument('--out', type=Path, required=True)
    one = commands.add_parser('vectors', help='write strings with their token ids, for the test of the engine')
    one.set_defaults(command=run_vectors)
    one.add_argument('--models', type=Path, default=Path('models'))
    one.add_argument('--out', type=Path, required=True)
    return parser.parse_args()


def threads(config: Config):
    """Threads that wait for a core that the data workers hold would crawl."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - config.workers))


def run_make(arguments: argparse.Namespace, device: torch.device):
    config = CONFIGS[arguments.config]
    threads(config)
    log = make(config, arguments.out, arguments.reuse, device)
    report(arguments.out, arguments.out, config, device, [config.temperature], None, {'training': log})


def run_grade(arguments: argparse.Namespace, device: torch.device):
    quick = {} if device.type == 'cuda' else {'sample_batch': 256, 'workers': 1, 'draft_questions': 4, 'reward_batch': 64}
    config = dataclasses.replace(CONFIGS['full'], grade_questions=arguments.questions, grade_samples=arguments.samples, **quick)
    old = json.loads((arguments.models / 'report.json').read_text()) if (arguments.models / 'report.json').exists() else {}
    report(arguments.models, arguments.out or arguments.models, config, device, arguments.temperatures, arguments.game24, old)


def report(models: Path, out: Path, config: Config, device: torch.device, temperatures: list[float], game24: Path | None, old: dict):
    out.mkdir(parents=True, exist_ok=True)
    table = grade(models, config, device, temperatures, game24) | {'training': old.get('training', {})}
    (out / 'report.json').write_text(json.dumps(table, indent=2) + '\n')
    cards.write(models, out, table)


def run_questions(arguments: argparse.Namespace, _device: torch.device):
    questions.write(arguments.out, CONFIGS['full'].seed)


def run_huggingface(arguments: argparse.Namespace, _device: torch.device):
    huggingface.export(arguments.model, arguments.model.parent / 'tokenizer.json', arguments.out)


def run_vectors(arguments: argparse.Namespace, _device: torch.device):
    vectors.write(arguments.models / 'tokenizer.json', arguments.out, CONFIGS['full'].seed)


if __name__ == '__main__':
    main()
