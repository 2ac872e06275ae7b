"""A question with its worked answer, and what judging an answer gives: the two shapes that all tasks share."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Document:
    kind: str
    level: int
    question: str
    solution: str  # the lines of a right answer, the last one `Answer: …`; empty where there is none
    answer: str | None  # None: there is no solution
    plan: tuple = field(default=())  # word problems: the operations in order


STEP, RIGHT = 'step', 'right'  # the reasons of a line that is right: a step on the way, the right answer


@dataclass(frozen=True)
class Verdict:
    reasons: list[str]  # one per line: step or right, else what is wrong: form, numbers, arithmetic, quantity, target, conflict, value
    promise: list[bool]  # is the path alive here: are all lines so far right, and can the right answer still be reached?
    right: bool  # does the last line give the right answer?
    expected: list[str | None] = field(default_factory=list)  # per line, the number that belongs after its `=`; empty: see readings.py

    @property
    def steps(self) -> list[bool]:
        """Is this line right in itself, given the path before it?"""
        return [reason in (STEP, RIGHT) for reason in self.reasons]
