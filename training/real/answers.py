"""The answer of a solution, and whether it is the right one: equal as text, or equal in value (values.py). It never calls a solution right whose form it cannot read."""

import re
import signal
import threading
from fractions import Fraction

from .values import same

WRAPPED = re.compile(r'\\(?:text|mbox|mathrm|mathbf|textbf|textit|operatorname)\{([^{}]*)\}')
SAID = re.compile(r'answer is:?\s*\**\\?\$?\s*(-?\$?[\d,]*\.?\d+(?:/\d+)?)', re.IGNORECASE)
ENDS = re.compile(r'answer(?:\s+is|\s*:|\s+would be|\s*=)[\s:*]*([^\n]{1,160})', re.IGNORECASE)
NUMBER = re.compile(r'-?\d[\d,]*(?:\.\d+)?')
NOISE = ('\\left', '\\right', '\\!', '\\,', '\\;', '\\:', '\\ ', '\\%', '%', '\\$', '$', '^\\circ', '^{\\circ}', '\\degree', '~')
PLAIN_FRACTION = re.compile(r'\\frac\{(-?[\w.\\]+)\}\{([\w.\\]+)\}')
SHORT_FRACTION = re.compile(r'\\frac(\w)(\w)')
HALF_SHORT_FRACTION = re.compile(r'\\frac(\w)\{(\w+)\}')
UNIT = re.compile(r'^(-?\d*\.?\d+(?:/\d+)?)(?:[A-Za-z]{2,}|m|s|g)(?:\^[23])?\.?$')


def boxed(text: str) -> str | None:
    """What the last \\boxed{…} holds."""
    start = text.rfind('\\boxed{')
    if start < 0:
        return None
    depth = 0
    for at in range(start + 6, len(text)):
        depth += (text[at] == '{') - (text[at] == '}')
        if depth == 0:
            return text[start + 7 : at].strip()
    return None


def stated(text: str) -> str | None:
    """The answer that a solution states: boxed, or after "the answer is", or on a line "Answer: …"."""
    found = boxed(text)
    if found is not None:
        return found
    said = SAID.findall(text)
    if said:
        return said[-1]
    ends = ENDS.findall(text)
    return (ends[-1].strip(' .*$').removeprefix('\\(').removesuffix('\\)').strip() or None) if ends else None


def last_number(text: str) -> str | None:
    """For solutions that were not told how to end."""
    found = stated(text)
    if found is not None:
        return found
    numbers = NUMBER.findall(text)
    return numbers[-1] if numbers else None


def normal(answer: str | None) -> str | None:
    """One spelling for equal answers: numbers as fractions, everything else as LaTeX without decoration."""
    if answer is None:
        return None
    text = answer.strip().replace('dfrac', 'frac').replace('tfrac', 'frac')
    text = WRAPPED.sub(r'\1', text)
    for noise in NOISE:
        text = text.replace(noise, '')
    text = re.sub(r'\s+', '', text)
    text = re.sub(r'(?<=\d),(?=\d{3}(?!\d))', '', text)
    text = SHORT_FRACTION.sub(r'\\frac{\1}{\2}', text)
    text = HALF_SHORT_FRACTION.sub(r'\\frac{\1}{\2}', text)
    text = PLAIN_FRACTION.sub(r'\1/\2', text)
    text = re.sub(r'([_^])\{(\w)\}', r'\1\2', text)
    text = re.sub(r'\\sqrt(\w)', r'\\sqrt{\1}', text)
    text = re.sub(r'^[A-Za-z](?:\(\w\))?=(?=.)', '', text)
    text = re.sub(r'^\((\w)\)$', r'\1', text).rstrip('.')
    unit = UNIT.match(text)
    return _number(unit.group(1) if unit else text)


def _number(text: str) -> str:
    try:
        return str(Fraction(text))
    except (ValueError, ZeroDivisionError):
        return text


GRADING_SECONDS = 1.0
LONGEST_ANSWER = 400  # characters; golds have at most a quarter of that


def is_right(answer: str | None, gold: str) -> bool:
    """An answer that takes too long to grade is wrong, and told: a model may write any power of a power."""
    if answer is None or len(answer) > LONGEST_ANSWER:
        return False
    if threading.current_thread() is not threading.main_thread():
        return _is_right(answer, gold)
    before = signal.signal(signal.SIGALRM, _too_late)
    signal.setitimer(signal.ITIMER_REAL, GRADING_SECONDS)
    try:
        return _is_right(answer, gold)
    except TimeoutError:
        print(f'grading took too long: {answer!r} for {gold!r}', flush=True)
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _too_late(*_):
    raise TimeoutError


def _is_right(answer: str, gold: str) -> bool:
    said = normal(answer)
    if said is None or said == '':
        return False
    return said == normal(gold) or same(answer, gold) or _said_alike(answer, gold)


def solves(text: str, gold: str) -> bool:
    """Whether a solution is right. Several boxes in its last paragraph are one list."""
    answer = stated(text)
    if is_right(answer, gold):
        return True
    last = text.rstrip().rsplit('\n\n', 1)[-1]
    boxes = [boxed(f'\\boxed{part}') for part in last.split('\\boxed')[1:]]
    return len(boxes) > 1 and None not in boxes and is_right(', '.join(boxes), gold)


def _said_alike(answer: str, gold: str) -> bool:
    """Answers in words: "No solution", "diverges"; of "Yes. Because …" the first word counts."""
    if '\\' in WRAPPED.sub(r'\1', gold) or not re.search('[A-Za-z]{2}', gold):
        return False
    words = [re.findall('[a-z]+|[0-9]+', WRAPPED.sub(r' \1 ', each).lower()) for each in (answer, gold)]
    if words[0] == words[1]:
        return bool(words[0])
    verdict = re.match(r'(yes|no|true|false)\b\s*[.,;:]', gold.strip().lower())
    return verdict is not None and words[0][:1] == [verdict.group(1)]
