// Answers that solve nothing and try to be paid: by objects that equal everything, by reading or replacing the tests, by speaking for them. Tests that
// run outside of the code's process pay none of them. A test that runs inside says so, and there alone a forgery can pay.

import { describe, expect, test } from 'vitest';
import { ranInside } from '../../packages/core/src/verifier/command/command-verifier.ts';
import { hasPython, judged, request, sandbox } from '../support/judged-answers.ts';

const pythonTests = `import math
assert f(3) == 41
assert math.isclose(f(5), 97)
assert f(7) in [113, 114]
assert not f(9) != 131
assert sorted([f(11), f(13)]) == [151, 173]
def check(candidate):
  assert abs(candidate(15) - 191) < 1e-6
check(f)`;

const agreeable = `class Same:
  def __eq__(self, other): return True
  def __ne__(self, other): return False
  def __lt__(self, other): return True
  __le__ = __gt__ = __ge__ = __contains__ = __lt__
  def __hash__(self): return 0
  def __float__(self): return 0.0
  def __sub__(self, other): return 0
  def __abs__(self): return 0`;

/** All that its process can find: frames, garbage, memory, open files, arguments, the processes above it. */
const theft = `import gc, glob, os, sys
found = []
def look(text):
  if isinstance(text, bytes): text = text.decode('latin1')
  if 'f(3) ==' in str(text).replace('look', ''): found.append(text)
for each in gc.get_objects():
  if isinstance(each, dict):
    for key in list(each):
      if isinstance(each[key], (str, bytes)) and key not in ('theft', 'source') and 'check(candidate)' in str(each[key]): found.append(each[key])
for path in glob.glob('/proc/*/cmdline') + glob.glob('/proc/*/environ') + glob.glob('/proc/*/mem'):
  try: look(open(path, 'rb').read(1 << 20))
  except (OSError, ValueError): pass
`;

const verdict = `b'{"reward": 1, "feedback": null}\\n'`;

const pythonForgeries: Readonly<Record<string, string>> = {
  'an object that equals everything': `${agreeable}\ndef f(n): return Same()`,
  'a number that equals everything':
    'class Same(int):\n  def __eq__(self, other): return True\n  def __ne__(self, other): return False\ndef f(n): return Same(0)',
  'a list that equals everything': 'class Same(list):\n  def __eq__(self, other): return True\ndef f(n): return Same()',
  'the proof in __main__': `import __main__, json, os
def f(n): return 0
asked = getattr(__main__, 'asked', {})
for fd in range(3, 10):
  try: os.write(fd, b'\\n' + json.dumps({'reward': 1, 'proof': asked.get('proof')}).encode() + b'\\n')
  except OSError: pass`,
  'a counter that counts for itself': `import __main__
__main__.counted = [1, 1]
__main__.holds = lambda *given: None
__main__.failures = []
def f(n): return 0`,
  'a verdict on every descriptor': `import os
for fd in range(64):
  try: os.write(fd, ${verdict})
  except OSError: pass
def f(n): return 0`,
  'a verdict in the place of a result': `import os
def f(n):
  for fd in range(3, 10):
    try: os.write(fd, ${verdict})
    except OSError: pass
  os._exit(0)`,
  'a good exit': 'import sys\nsys.exit(0)',
  'a good exit when it is called': 'import os\ndef f(n): os._exit(0)',
  'a verdict at its exit': `import atexit, os
@atexit.register
def last():
  for fd in range(64):
    try: os.write(fd, ${verdict})
    except OSError: pass
def f(n): return 0`,
  'its own json': `import json, sys
json.dumps = lambda *given, **named: '{"reward": 1, "feedback": null, "id": 1, "is": "function", "value": true}'
json.loads = lambda *given, **named: {'id': 1, 'name': 'f', 'given': [], 'named': {}}
def f(n): return 0`,
  'builtins of its own': `import builtins
builtins.abs = lambda value: 0
builtins.sorted = lambda values: [151, 173]
abs = builtins.abs
sorted = builtins.sorted
import math
math.isclose = lambda *given: True
def f(n): return 0`,
  'a traced judge': `import sys
def trace(frame, event, given):
  frame.f_globals['counted'] = [1, 1]
  return trace
sys.settrace(trace)
def f(n): return 0`,
  'what its process can find': `${theft}
def f(n): return 41 if found else 0`,
  'the death of other processes': `import os, signal
for pid in list(range(2, 400)) + [os.getppid()]:
  if pid != os.getpid():
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
def f(n): return 0`,
  'names of the tests': `check = lambda candidate: None
class AssertionError(Exception): pass
math = None
def f(n): return 0`,
  'an argument that is changed': 'def f(n, *more): globals()["f"] = lambda *given: None',
};

/** Replies of its own making to whatever the tests ask, from a writer that the runner uses. */
const replies = (change: string) => `import json
real = json.dumps
def dumps(value, *given, **named):
  if 'id' in value and 'is' not in value: value = {**value, ${change}}
  return real(value, *given, **named)
json.dumps = dumps
def f(n): return 0`;

const forgedReplies: Readonly<Record<string, string>> = {
  'a class that equals everything': `class Meta(type):
  def __eq__(self, other): return True
  def __ne__(self, other): return False
  __hash__ = type.__hash__
class Same(metaclass=Meta): pass
def f(n): return Same`,
  'a text that equals everything':
    'class Same(str):\n  def __eq__(self, other): return True\n  __hash__ = str.__hash__\ndef f(n): return Same()',
  'no number': 'def f(n): return float("nan")',
  'a number without end': 'def f(n): return 10 ** 200000',
  'numbers without end': 'def f(n):\n  at = 0\n  while True:\n    yield at\n    at += 1',
  'lists in lists': 'def f(n):\n  held = []\n  for _ in range(100000): held = [held]\n  return held',
  'calls of itself': 'def f(n): return f(n)',
  'the end of a loop': 'def f(n): raise StopIteration',
  'every number': replies("'value': {'range': [0, 10 ** 30, 1]}"),
  'two kinds at once': replies("'value': {'int': '0x29', 'set': []}"),
  'an error that is none': replies("'error': [['x'], {}]"),
  'an error that ends the tests': replies("'error': ['SystemExit', '0']"),
  'arguments that are none': replies("'after': 5"),
  'the end of an iterator': replies("'value': {'iterator': 0}, 'ended': True"),
  'numbers of the interpreter': `import ctypes
for each in range(100): ctypes.c_char.from_address(id(each) + 24).value = b')'
def f(n): return 41`,
  'modules of its own': `import sys, types
class Module(types.ModuleType):
  def __getattr__(self, name): return lambda *given, **named: True
for name in list(sys.modules): sys.modules[name] = Module(name)
def f(n): return 0`,
  'threads that speak for it': `import os, threading, time
def speak():
  while True:
    for fd in range(3, 6):
      try: os.write(fd, b'{"id": 1, "is": "value", "value": 41}\\n')
      except OSError: pass
    time.sleep(0.001)
threading.Thread(target=speak, daemon=True).start()
def f(n):
  time.sleep(0.05); return 0`,
};

/** Such tests once took an error of the code for the end of their own loop. */
const endedByErrors = `assert all(map(lambda n: f(n) == 3 * n + 1, range(20)))
assert next(map(f, [1]), 4) == 4
assert list(filter(f, [1, 2])) == []`;

describe('a forgery', () => {
  test.runIf(hasPython)('in Python is not paid', async () => {
    const all = { ...pythonForgeries, ...forgedReplies };
    const answers = Object.values(all).map((code, at) => request(at, code));
    const options = { command: 'python', tests: pythonTests, timeoutMs: 20_000, sandbox } as const;
    const given = await judged(options, answers);
    const names = Object.keys(all);
    expect(given.map((each, at) => [names[at], each.type === 'score' ? each.reward : -1])).toEqual(
      names.map((name) => [name, 0]),
    );
    const honest = 'def f(n): return {3: 41, 5: 97.0, 7: 113, 9: 131, 11: 151, 13: 173, 15: 191}[n]';
    expect(await judged(options, [request(1, honest)])).toMatchObject([{ reward: 1 }]);
  });

  test.runIf(hasPython)('by an error ends no loop of the tests', async () => {
    const code = forgedReplies['the end of a loop']!;
    const [given] = await judged({ command: 'python', tests: endedByErrors, sandbox }, [request(1, code)]);
    expect(given).toMatchObject({ reward: 0 });
  });

  test.runIf(hasPython)('of a name of Python that the tests use themselves is marked', async () => {
    const tests = 'assert set(max([1, 2], [3])) == set([5, 9])';
    const code = 'def max(*given): return []\ndef set(*given): return 0';
    const [given] = await judged({ command: 'python', tests, sandbox }, [request(1, code)]);
    expect(given).toMatchObject({ feedback: expect.stringContaining(ranInside) });
  });

  test.runIf(hasPython)('cannot move tests into its own process', async () => {
    const options = { command: 'python', timeoutMs: 20_000, sandbox, tests: 'assert f(3).upper() == "A"' } as const;
    const [forged] = await judged(options, [
      request(1, `${agreeable}\n  def upper(self): return Same()\ndef f(n): return Same()`),
    ]);
    expect(forged).toMatchObject({ reward: 0, feedback: expect.not.stringContaining(ranInside) });
  });
});
