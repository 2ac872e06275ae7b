"""Every number a training run depends on. `full` makes the shipped models on one H200; `tiny` is the dry run for a CPU."""

from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class Config:
    name: str
    seed: int = 20
    vocabulary: int = 448
    row_tokens: int = 512
    rows: int = 256  # rows in a batch: 131,072 tokens
    workers: int = 14  # processes that make data beside the training
    generator: Shape = field(default_factory=lambda: Shape(width=320, layers=8, heads=5, feed_forward=864))
    draft: Shape = field(default_factory=lambda: Shape(width=192, layers=3, heads=3, feed_forward=512))
    generator_phase: Phase = Phase(steps=6000, seconds=230, rate=2e-3)
    draft_phase: Phase = Phase(steps=2000, seconds=55, rate=3e-3, warmup=50)
    checking_phase: Phase = Phase(steps=6200, seconds=240, rate=1e-3, warmup=100)
    reward_phase: Phase = Phase(steps=1100, seconds=50, rate=4e-4, warmup=50)
    reward_questions: int = 30_000  # per task; the reward model learns from the generator's answers to these
    reward_samples: int = 4  # answers per question
    reward_batch: int = 512  # paths scored at once
    sample_batch: int = 8192  # sequences sampled at once
    temperature: float = 1.0  # of sampling: in grading, in the reward model's data, and in the engine
    grade_samples: int = 64
    grade_questions: int = 500  # test questions per task that are graded
    draft_questions: int = 100  # test questions per task on which the draft is tried


FULL = Config(name='full')

TINY = Config(
    name='tiny',
    row_tokens=256,
    rows=8,
    workers=1,
    generator=Shape(width=64, layers=2, heads=2, feed_forward=160),
    draft=Shape(width=32, layers=1, heads=1, feed_forward=96),
    generator_phase=Phase(steps=60, seconds=20, rate=3e-3, warmup=10),
    draft_phase=Phase(steps=10, seconds=5, rate=3e-3, warmup=2),
    checking_phase=Phase(steps=10, seconds=5, rate=1e-3, warmup=2),
    reward_phase=Phase(steps=10, seconds=5, rate=1e-3, warmup=2),
    reward_questions=40,
    reward_samples=2,
    reward_batch=16,
    sample_batch=64,
    grade_samples=4,
    grade_questions=20,
    draft_questions=2,
)

CONFIGS = {config.name: config for config in (FULL, TINY)}
