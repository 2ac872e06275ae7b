import { describe, expect, test } from 'vitest';
import { good, hasPython, judged, python, request, step } from '../../../tests/support/judged-answers.ts';
import { CommandVerifier } from './command-verifier.ts';

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

test('tests in JavaScript count every assertion too', async () => {
  const used = 'Use it so:\n```js\nadd(1, 2);\n```';
  const [right, part, ...odd] = await judged(
    {
      command: 'javascript',
      tests: 'assert.equal(add(1, 2), 3); assert.deepEqual([add(0, 0)], [0]);',
      timeoutMs: 8000,
    },
    [
      request(1, '```js\nexport function add(a, b) { return a + b; }\n```'),
      request(2, 'const add = (a, b) => a + b || 1;'),
      request(3, `\`\`\`\n\`\`\`js\nconst add = (a, b) => a + b;\n\`\`\`\n${used}`),
    ],
  );
  expect(odd).toMatchObject([{ reward: 1 }]);
  expect(right).toMatchObject({ reward: 1 });
  expect(part).toMatchObject({ reward: 0.5, feedback: expect.stringContaining('These tests failed:') });
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

  test('that is not there is refused when it is opened', () => {
    expect(() => new CommandVerifier({ command: ['no-such-program'] })).toThrow("command is 'no-such-program'");
  });

  test('that cannot be contained is said to be so', () => {
    const open = new CommandVerifier({ command: ['/bin/sh'], sandbox: 'limits' });
    expect([open.isContained, open.note]).toEqual([false, expect.stringContaining('NOT contained: network; files')]);
  });
});
