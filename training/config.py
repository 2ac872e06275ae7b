"""Every number a training run depends on: one `Config` per run that made shipped models on one H200; `tiny` is the dry run for a CPU."""

from dataclasses import dataclass, field, replace

SEED = 20


@dataclass(frozen=True)
class Shape:
    """A llama-shaped network. Widths are multiples of 32, the block length of Q8_0."""

    width: int
    layers: int
    heads: int
    feed_forward: int

    def parameters(self, vocabulary: int) -> int:
        layer = 4 * self.width**2 + 3 * self.width * self.feed_forward + 2 * self.width
        return self.layers * layer + vocabulary * self.width + self.width


@dataclass(frozen=True)
class Phase:
    """How long one network trains: a step count, and a wall-clock limit that ends it earlier on a slower machine."""

    steps: int
    seconds: float
    rate: float
    warmup: int = 200


WHOLE = Shape(width=320, layers=8, heads=5, feed_forward=864)
FIRST = ('countdown', 'word-problem')


@dataclass(frozen=True)
class Config:
    """A phase that is None is left out: its model is taken from the folder of models to start from, or not made."""

    name: str
    kinds: tuple[str, ...]  # the tasks
    generator_file: str = 'sapling'
    reward_file: str = 'sapling-prm'
    generator_from: str | None = None  # the model that the generator starts from; None: from chance
    seed: int = SEED
    vocabulary: int = 448
    row_tokens: int = 512
    spoiled_rows: int = 0  # rows of spoiled answers in each batch of the generator: it becomes its own reward model (joint.py)
    alone: bool = False  # one document a row, for long ones: another in the row only distracts
    rows: int = 128  # rows in a batch
    workers: int = 7  # processes that make data beside the training, and as many that judge
    generator: Shape = WHOLE
    draft: Shape = field(default_factory=lambda: Shape(width=192, layers=3, heads=3, feed_forward=512))
    generator_phase: Phase | None = None
    reward_phase: Phase | None = None
    draft_phase: Phase | None = None
    own_answers: dict[str, int] = field(default_factory=dict)  # per task: how many answers of the generator the reward model learns from
    reward_batch: int = 512  # paths scored at once
    sample_batch: int = 4096  # sequences sampled at once
    temperature: float = 1.0  # of sampling: in grading, and in the engine
    grade_samples: int = 32
    grade_questions: int = 560  # test questions per task that are graded, at most
    draft_questions: int = 60  # test questions per task on which the draft is tried


FIRST_GROWTH = Config(
    name='first',
    kinds=FIRST,
    generator_phase=Phase(steps=6000, seconds=230, rate=1.2e-3),
    reward_phase=Phase(steps=9000, seconds=340, rate=1e-3, warmup=100),
    draft_phase=Phase(steps=4000, seconds=55, rate=1e-3, warmup=50),
)

SUDOKU = Config(
    name='sudoku',
    kinds=('sudoku',),
    generator_file='sapling-sudoku',
    generator_from='sapling',
    generator_phase=Phase(steps=12_000, seconds=150, rate=1.2e-3),
)

LEDGER = Config(
    name='ledger',
    kinds=('ledger',),
    generator_file='sapling-ledger',
    reward_file='sapling-ledger-prm',
    generator_from='sapling',
    row_tokens=472,
    alone=True,
    rows=64,
    spoiled_rows=48,
    generator_phase=Phase(steps=20_000, seconds=125, rate=1e-3, warmup=100),
    grade_questions=640,
    grade_samples=16,
)

REWARD = Config(
    name='reward',
    kinds=(*FIRST, 'ledger'),
    own_answers={'countdown': 100_000, 'word-problem': 16_000, 'ledger': 4_000},
    reward_phase=Phase(steps=40_000, seconds=480, rate=1.2e-3, warmup=200),
    grade_questions=300,
    grade_samples=16,
)

TINY = Config(
    name='tiny',
    kinds=('countdown', 'word-problem', 'ledger', 'sudoku'),
    rows=4,
    workers=1,
    generator=Shape(width=64, layers=2, heads=2, feed_forward=160),
    draft=Shape(width=32, layers=1, heads=1, feed_forward=96),
    generator_phase=Phase(steps=40, seconds=20, rate=3e-3, warmup=10),
    draft_phase=Phase(steps=5, seconds=5, rate=3e-3, warmup=2),
    reward_phase=Phase(steps=8, seconds=5, rate=1e-3, warmup=2),
    own_answers={'countdown': 8, 'word-problem': 4, 'ledger': 2},
    reward_batch=16,
    sample_batch=64,
    grade_samples=4,
    grade_questions=12,
    draft_questions=2,
)

CONFIGS = {config.name: config for config in (FIRST_GROWTH, SUDOKU, LEDGER, REWARD, TINY)}
# Which shipped models answer a task: its generator, and its reward model where there is one.
SHIPPED = {
    'countdown': ('sapling', 'sapling-prm'),
    'word-problem': ('sapling', 'sapling-prm'),
    'ledger': ('sapling-ledger', 'sapling-prm'),
    'sudoku': ('sapling-sudoku', None),
}
EXACT = ('ledger',)  # tasks whose lines have one right form, so that chances.py says what sampling would


def hurried(config: Config, share: float) -> Config:
    """The same with this share of the seconds of every phase."""
    phases = {name: getattr(config, name) for name in ('generator_phase', 'reward_phase', 'draft_phase')}
    shorter = {name: phase and replace(phase, seconds=phase.seconds * share) for name, phase in phases.items()}
    return replace(config, **shorter)
