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
    rows: int = 128  # rows in a batch: 65,536 tokens
    workers: int = 14  # processes that make data beside the training, and as many that judge
    generator: Shape = field(default_factory=lambda: Shape(width=320, layers=8, heads=5, feed_forward=864))
    draft: Shape = field(default_factory=lambda: Shape(width=192, layers=3, heads=3, feed_forward=512))
    generator_phase: Phase = Phase(steps=12_000, seconds=150, rate=1.2e-3, warmup=200)
    checking_phase: Phase = Phase(steps=8000, seconds=85, rate=1e-3, warmup=100)
    reward_phase: Phase = Phase(steps=4000, seconds=38, rate=5e-4, warmup=50)
    draft_phase: Phase = Phase(steps=4000, seconds=18, rate=1e-3, warmup=50)
    reward_questions: int = 9_000  # per task; the reward model learns from the generator's answers to these
    reward_samples: int = 6  # answers per question
    reward_seconds: float = 30  # sampling of those answers ends here, whatever is missing
    reward_batch: int = 512  # paths scored at once
    sample_batch: int = 4096  # sequences sampled at once
    temperature: float = 1.0  # of sampling: in grading, in the reward model's data, and in the engine
    grade_samples: int = 32
    grade_questions: int = 500  # test questions per task that are graded, at most
    draft_questions: int = 60  # test questions per task on which the draft is tried


FULL = Config(name='full')

TINY = Config(
    name='tiny',
    rows=4,
    workers=1,
    generator=Shape(width=64, layers=2, heads=2, feed_forward=160),
    draft=Shape(width=32, layers=1, heads=1, feed_forward=96),
    generator_phase=Phase(steps=40, seconds=20, rate=3e-3, warmup=10),
    draft_phase=Phase(steps=5, seconds=5, rate=3e-3, warmup=2),
    checking_phase=Phase(steps=8, seconds=5, rate=1e-3, warmup=2),
    reward_phase=Phase(steps=8, seconds=5, rate=1e-3, warmup=2),
    reward_questions=12,
    reward_samples=2,
    reward_seconds=60,
    reward_batch=16,
    sample_batch=64,
    grade_samples=4,
    grade_questions=12,
    draft_questions=2,
)

CONFIGS = {config.name: config for config in (FULL, TINY)}
