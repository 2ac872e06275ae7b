"""What the generator is asked and what the reward model reads. Two forms of a path, both closed step by step with Math-Shepherd's tag: as coppice's
`math-shepherd` format sends it to a server, and as its embedded engine puts it together (the generator's own prompt, each step with its blank line)."""

from dataclasses import dataclass

MARKER, GOOD, BAD = ' ки', '+', '-'
DELIMITER = '\n\n'
MAIN = 'steps'
# What the chat template puts where no system message is given.
UNTOLD = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'
SYSTEMS = {
    MAIN: 'Solve the problem step by step. Separate the steps by blank lines. End with the line: The answer is \\boxed{...}.',
    'untold': UNTOLD,
    'paragraphs': 'Solve the problem step by step. Write each step as a short paragraph and leave an empty line between steps. '
    'End with a line that says "The answer is" and the answer.',
    'boxed': 'Please reason step by step, and put your final answer within \\boxed{}.',
    'numbered': 'Solve the problem step by step, with one short calculation per step. Separate the steps by blank lines. '
    'Put the final answer within \\boxed{}.',
    # What users have.
    'helpful': 'You are a helpful assistant.',
    'think': "Let's think step by step.",
    'tutor': 'You are a careful math tutor. Explain your reasoning clearly and state the final answer at the end.',
}  # fmt: skip


def chat(system: str, question: str) -> str:
    """The prompt of Qwen2.5's chat template."""
    said = ''.join(f'<|im_start|>{role}\n{text}<|im_end|>\n' for role, text in (('system', SYSTEMS[system]), ('user', question.strip())))
    return f'{said}<|im_start|>assistant\n'


def steps_of(text: str) -> list[str]:
    return [step.strip() for step in text.split(DELIMITER) if step.strip()]


@dataclass(frozen=True)
class Document:
    """Tokens, and where among them the verdict on each step is read."""

    ids: list[int]
    at: list[int]


def shepherd(encoder, question: str, steps: list[str]) -> Document:
    """The question, then the steps, each closed by the tag and a newline between two: one text, tokenised as a whole as a server does."""
    text, ends = question.strip() + ' ', []
    for number, step in enumerate(steps):
        text += ('\n' if number else '') + step + MARKER
        ends.append(len(text))
    encoding = encoder.encode(text, add_special_tokens=False)
    ending = {end: at for at, (_, end) in enumerate(encoding.offsets)}
    return Document(encoding.ids, [ending[end] for end in ends])


def embedded(encoder, system: str, question: str, steps: list[str]) -> Document:
    """The generator's prompt and its steps with their delimiters, the tag after each, tokenised piece by piece."""
    marker = encoder.encode(MARKER, add_special_tokens=False).ids
    ids, at = list(encoder.encode(chat(system, question), add_special_tokens=False).ids), []
    for number, step in enumerate(steps):
        ids += encoder.encode(step + (DELIMITER if number < len(steps) - 1 else ''), add_special_tokens=False).ids
        ids += marker
        at.append(len(ids) - 1)
    return Document(ids, at)


def unmarked(encoder, system: str, question: str, steps: list[str]) -> Document:
    """What the generator itself sees, read at the last token of each step: for a head on its own hidden states."""
    ids, at = list(encoder.encode(chat(system, question), add_special_tokens=False).ids), []
    for number, step in enumerate(steps):
        ids += encoder.encode(step + (DELIMITER if number < len(steps) - 1 else ''), add_special_tokens=False).ids
        at.append(len(ids) - 1)
    return Document(ids, at)


def verdict_tokens(encoder) -> tuple[int, int]:
    (good,), (bad,) = (encoder.encode(text, add_special_tokens=False).ids for text in (GOOD, BAD))
    return good, bad
