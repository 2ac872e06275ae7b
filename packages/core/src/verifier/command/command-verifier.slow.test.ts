import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { good, hasPython, judged, python, request, step } from '../../../../../tests/support/judged-answers.ts';
import { CommandVerifier, ranInside } from './command-verifier.ts';
import { neededPaths } from './sandbox.ts';

const plainValues = `for value in [None, True, 3, 2 ** 5000, -0.5, float('inf'), 'a\\ud800', b'x', bytearray(b'y'), [1], (1, (2,)), {1: [2], (3,): None},
  {1, 2}, frozenset([3]), 1 + 2j, range(1, 9, 2)]:
  assert f(value) == value and type(f(value)) is type(value)
assert f(float('nan')) != f(0)`;

const point = `class Point:
  def __init__(self, x): self.x = x
  def __eq__(self, other): return self.x == other.x
  def __str__(self): return str(self.x)
`;

describe.runIf(hasPython)('tests in Python', () => {
  test('give the share of assertions that hold, and say what failed and what came out instead', async () => {
    const wrong = '```python\ndef add(a, b):\n  return a + b if a else 7\n```';
    const [right, part, broken, plain] = await judged(python, [
      request(1, good),
      request(2, wrong),
      request(3, '```\ndef add(a, b:\n```'),
      request(4, 'def add(a, b): return a + b'),
    ]);
    expect([right, plain]).toMatchObject([{ reward: 1 }, { reward: 1 }]);
    expect(part).toMatchObject({
      reward: 0.75,
      feedback: 'These tests failed:\nassert add(0, 0) == 0  (it gave 7)',
    });
    expect(broken).toMatchObject({
      reward: 0,
      feedback: expect.stringContaining('The code does not run. SyntaxError'),
    });
  });

  test.each([
    ['a fence that is written twice', '```\n```python\ndef add(a, b): return a + b\n```'],
    ['the name of the language below the fence', '```\npython\ndef add(a, b): return a + b\n```'],
    ['an example of its use behind it', `${good}Use it so:\n\`\`\`python\nprint(add(1, 2))\n\`\`\``],
    ['what it repairs before it', `This was wrong:\n\`\`\`python\ndef add(a, b): return 0\n\`\`\`\n${good}`],
    ['no end of the block', '```python\ndef add(a, b): return a + b'],
  ])('find the code in spite of %s', async (_, answer) => {
    expect(await judged(python, [request(1, answer)])).toMatchObject([{ reward: 1 }]);
  });

  test('of the question go before those of the verifier; without any, one line says so', async () => {
    const { tests: _, ...bare } = python;
    const [own, none] = await judged(bare, [request(1, good, { tests: 'assert add(1, 1) == 3' }), request(2, good)]);
    expect(own).toMatchObject({ reward: 0, feedback: expect.stringContaining('it gave 2') });
    expect(none).toMatchObject({ fault: { code: 'unsupported', message: expect.stringContaining('has no tests') } });
  });

  test.each([
    ['lists that the function changes', 'xs = [[3], [1]]\nf(xs)\nassert xs == [[1], [3]]', 'def f(xs): xs.sort()'],
    ['all plain values', plainValues, 'def f(value): return value'],
    ['errors by their class', 'try:\n  f()\n  assert False\nexcept KeyError: assert True', 'def f(): return {}[1]'],
    [
      'constants and helpers of the answer',
      'assert f(g(2)) == LIMIT',
      'LIMIT = 5\ndef g(x): return x * 2\ndef f(x): return x + 1',
    ],
    ['a name of Python alone', 'assert sum(2, 3) == 6', 'def sum(a, b): return a * b'],
    [
      'iterators that never end',
      'import itertools\nassert list(itertools.islice(f(), 4)) == [0, 1, 4, 9]\ng = f()\nassert (next(g), next(g)) == (0, 1)\nassert sum(first(f())) == 5',
      'import itertools\ndef f(): return (n * n for n in itertools.count())\ndef first(numbers): return itertools.islice(numbers, 3)',
    ],
    ['views', 'assert sorted(f({2: 1, 1: 3})) == [1, 2]\nassert len(f({})) == 0', 'def f(d): return d.keys()'],
    ['queues', 'from collections import deque\nassert f([1]) == deque([1])', 'from collections import deque as f'],
    ['a capital of a function', 'assert Sum([1, 2]) == 3', 'def Sum(values): return sum(values)'],
  ])('run outside of its process with %s', async (_, tests, answer) => {
    const [given] = await judged({ ...python, tests }, [request(1, answer)]);
    expect(given).toMatchObject({ reward: 1 });
    expect(given).not.toHaveProperty('feedback');
  });

  test.each([
    ['a function', 'assert f(lambda x: x + 1, 2) == 3', 'def f(g, x): return g(x)'],
    ['an object', 's = Stack()\ns.push(4)\nassert s.pop() == 4', 'class Stack(list):\n  push = list.append'],
    ['a closure', 'assert f(1)(2) == 3', 'def f(a): return lambda b: a + b'],
    ['a class of errors', 'try: f()\nexcept Mine: assert True', 'class Mine(Exception): pass\ndef f(): raise Mine()'],
    ['fields', 'for p in [f(1), f(2)]: assert p.x > 0', `${point}def f(x): return Point(x)`],
    ['objects that are compared', 'assert Point(1) == Point(1)\nassert str(Point(2)) == "2"', point],
    [
      'dates',
      'import datetime\nassert f(7) == datetime.date(7, 1, 1)',
      'import datetime\ndef f(y): return datetime.date(y, 1, 1)',
    ],
    ['a context', 'with f() as x: assert x == 1', 'import contextlib\n@contextlib.contextmanager\ndef f(): yield 1'],
  ])('run inside with %s, and say so', async (_, tests, answer) => {
    expect(await judged({ ...python, tests }, [request(1, answer)])).toMatchObject([
      { reward: 1, feedback: ranInside },
    ]);
  });

  test.each(['import os\nos._exit(127)', 'import os\ndef add(a, b): os._exit(127)'])(
    'take no exit code of the answer for a missing program: %s',
    async (code) => {
      expect(await judged(python, [request(1, code)])).toMatchObject([{ reward: 0 }]);
    },
  );

  test('that cannot start are no word on the answer', async () => {
    const message = expect.stringContaining('the command verifier cannot start: exit code');
    expect(await judged({ ...python, memoryMiB: 10 }, [request(1, good)])).toMatchObject([
      { fault: { code: 'unavailable', message } },
    ]);
  });

  test('judge what was said behind the last turn, and run nothing for a step that ends no answer', async () => {
    const path = [{ key: 1, step: step('```python\nadd = None\n```') }];
    const repaired = { ...step(good), turn: 'This failed.' };
    const [after, inside] = await judged(python, [
      request(1, '', { path, step: repaired }),
      request(2, '', { step: step('def', 'delimiter') }),
    ]);
    expect([after, inside]).toMatchObject([{ reward: 1 }, { reward: 0.5 }]);
  });
});

describe('a process of the operator', () => {
  const script = (body: string) => ({ command: ['/bin/sh', '-c', body], timeoutMs: 4000 }) as const;

  test('gets question, answer and steps, and gives reward and feedback', async () => {
    const echo = `read -r line; case "$line" in *'"answer":"four"'*) echo '{"reward": 0.25, "feedback": "nearly"}';; esac`;
    expect(await judged(script(echo), [request(1, 'four')])).toMatchObject([{ reward: 0.25, feedback: 'nearly' }]);
  });

  test.each([
    ['echo maybe', 'gave "maybe"'],
    ['echo NaN', 'gave "NaN"'],
    ['true', 'gave nothing'],
    ['echo \'{"reward": 7}\'', 'gave {"reward":7}'],
    ['echo lost >&2; exit 3', 'gave nothing, exit code 3: lost'],
  ])('that does %s is told so in one line', async (body, words) => {
    const [answer] = await judged(script(body), [request(1, 'x')]);
    expect(answer).toMatchObject({ fault: { code: 'bad-reward', message: expect.stringContaining(words) } });
  });

  test('may reserve more than its memory, as JavaScript does', async () => {
    const line = "console.log(JSON.stringify({ reward: 0.5, feedback: 'from JavaScript' }))";
    const options = { command: [process.execPath, '-e', line], timeoutMs: 20_000 };
    expect(await judged(options, [request(1, 'x')])).toMatchObject([{ reward: 0.5, feedback: 'from JavaScript' }]);
  });

  test('shows code its own file, or the parts of its installation', () => {
    const home = mkdtempSync(join(tmpdir(), 'coppice-home-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    mkdirSync(join(home, 'bin'));
    const [script, installed] = [join(home, 'judge'), join(home, 'bin', 'judge')];
    for (const each of [script, installed]) writeFileSync(each, '#!/bin/sh\n', { mode: 0o755 });
    expect(neededPaths([script, '/no/such/file', home])).toEqual([script, home]);
    expect(neededPaths([installed])).toEqual(['bin', 'lib', 'lib64', 'conf'].map((each) => join(home, each)));
  });

  test('that is not there is refused when it is opened', () => {
    expect(() => new CommandVerifier({ command: ['no-such-program'] })).toThrow("command is 'no-such-program'");
  });

  test('that is not found once it starts is told as such, and not as an answer without memory', async () => {
    const [missing] = await judged(script('exec no-such-program'), [request(1, 'x')]);
    const message = expect.stringContaining('exit code 127, a program was not found');
    expect(missing).toMatchObject({ fault: { code: 'unavailable', message } });
  });

  test('is not run without bubblewrap, unless its operator says so, and what is open is then told', () => {
    const open = new CommandVerifier({ command: ['/bin/sh'], sandbox: 'limits' });
    expect([open.isContained, open.note]).toEqual([false, expect.stringContaining('NOT contained: network; files')]);
    vi.stubEnv('PATH', '/nowhere');
    // Before the hooks of the next file, which share this process.
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => new CommandVerifier({ command: ['/bin/sh'] })).toThrow(
      /code of answers is not run without bubblewrap \(bwrap\): it is not installed; install it, or set verifier.sandbox to 'limits'/,
    );
  });
});
