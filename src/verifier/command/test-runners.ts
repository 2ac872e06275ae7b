// Ready processes that run tests against the code of an answer: one for Python, one for JavaScript. Each takes JSON (answer, tests) on its
// input and writes its judgement as the last line of its output: the share of assertions that hold, and what failed. The code under test
// runs in the same process as the tests, so that an answer made to deceive could forge a judgement; it cannot leave its sandbox.

export const testLanguages = ['python', 'javascript'] as const;
export type TestLanguage = (typeof testLanguages)[number];

/**
 * Every assertion of the tests is counted, those within functions included; one that fails does not end the others. The code is the last
 * block that defines something: an example of its use may stand behind it. Small models write a fence twice (a named one opens a
 * block even inside another), or the language's name on the line below.
 */
const python = `
import ast, json, os, re, sys
told = os.dup(1)
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1); os.dup2(null, 2)
asked = json.load(sys.stdin)
def code_of(answer):
    blocks, block = [], None
    for line in answer.split('\\n'):
        fence = re.match(r'\\s*\`\`\`+\\s*([\\w+-]*)', line)
        if fence is None:
            if block is not None: block.append(line)
        elif block is None or fence[1]:
            block = []; blocks.append(block)
        else: block = None
    for each in blocks:
        if each and each[0].strip().lower() in ('python', 'python3', 'py'): del each[0]
    texts = ['\\n'.join(each) for each in blocks if any(line.strip() for line in each)]
    defining = [each for each in texts if re.search(r'^\\s*(async def|def|class)\\s', each, re.M)]
    return (defining or texts or [answer])[-1]
code = code_of(asked['answer'])
counted, failures = [0, 0], []
def short(value):
    try: text = repr(value)
    except BaseException as error: text = type(error).__name__
    return text if len(text) <= 200 else text[:200] + '...'
def reason(error):
    return type(error).__name__ + (': ' + str(error)[:300] if str(error) else '')
def holds(source, left, right=None):
    counted[0] += 1
    try:
        if right is None: fine, got = left(), None
        else:
            got = left(); fine = got == right()
        if fine: counted[1] += 1
        else: failures.append(source + ('' if right is None else '  (it gave ' + short(got) + ')'))
    except BaseException as error: failures.append(source + '  (' + reason(error) + ')')
class Counted(ast.NodeTransformer):
    def visit_Assert(self, node):
        late = lambda body: ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)
        test, parts = node.test, [ast.Constant('assert ' + ast.unparse(node.test)[:300])]
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            parts += [late(test.left), late(test.comparators[0])]
        else: parts += [late(test)]
        return ast.copy_location(ast.Expr(ast.Call(ast.Name('__holds__', ast.Load()), parts, [])), node)
def judged():
    space = {'__name__': 'answer', '__holds__': holds}
    try: exec(compile(code, 'answer.py', 'exec'), space)
    except BaseException as error: return 0, 'The code does not run. ' + reason(error)
    try:
        tests = ast.fix_missing_locations(Counted().visit(ast.parse(asked['tests'])))
        exec(compile(tests, 'tests.py', 'exec'), space)
    except BaseException as error:
        counted[0] += 1; failures.append('The tests stopped: ' + reason(error))
    if counted[0] == 0: return 0, 'The tests assert nothing.'
    words = 'These tests failed:\\n' + '\\n'.join(failures[:3]) if failures else None
    return counted[1] / counted[0], words
reward, feedback = judged()
os.write(told, ('\\n' + json.dumps({'reward': reward, 'feedback': feedback, 'proof': asked['proof']}) + '\\n').encode())
os._exit(0)
`;

const javascript = `
const { readFileSync, writeSync } = require('node:fs');
const strict = require('node:assert/strict');
const vm = require('node:vm');
const { inspect } = require('node:util');
const asked = JSON.parse(readFileSync(0, 'utf8'));
const tell = (reward, feedback) => {
  writeSync(1, '\\n' + JSON.stringify({ reward, feedback, proof: asked.proof }) + '\\n');
  process.exit(0);
};
const blocks = [];
let block;
for (const line of asked.answer.split('\\n')) {
  const fence = /^\\s*\`\`\`+\\s*([\\w+-]*)/.exec(line);
  if (fence === null) block?.push(line);
  else if (block === undefined || fence[1] !== '') blocks.push((block = []));
  else block = undefined;
}
for (const each of blocks) if (/^\\s*(javascript|js)\\s*$/i.test(each[0] ?? '')) each.shift();
const texts = blocks.map((each) => each.join('\\n')).filter((each) => each.trim() !== '');
const defining = texts.filter((each) => /^\\s*(export\\s|async\\s|function\\b|class\\s|const\\s|let\\s|var\\s)/m.test(each));
const code = [asked.answer, ...texts, ...defining].at(-1);
let held = 0;
const failures = [];
const reason = (error) => String(error?.message ?? inspect(error)).split('\\n').slice(0, 4).join(' ').slice(0, 300);
const counting = (assertion) => (...given) => {
  try { assertion(...given); held += 1; } catch (error) { failures.push(reason(error)); }
};
const assert = counting(strict);
for (const [name, assertion] of Object.entries(strict)) if (typeof assertion === 'function') assert[name] = counting(assertion);
const silent = new Proxy({}, { get: () => () => {} });
const space = vm.createContext({ assert, console: silent, setTimeout, queueMicrotask, URL, structuredClone });
(async () => {
  try { vm.runInContext(code.replace(/^export (default )?/gm, ''), space, { filename: 'answer.js' }); }
  catch (error) { return tell(0, 'The code does not run. ' + reason(error)); }
  try { await vm.runInContext('(async () => {' + asked.tests + '\\n})()', space, { filename: 'tests.js' }); }
  catch (error) { failures.push('The tests stopped: ' + reason(error)); }
  const all = held + failures.length;
  if (all === 0) return tell(0, 'The tests assert nothing.');
  tell(held / all, failures.length === 0 ? null : 'These tests failed:\\n' + failures.slice(0, 3).join('\\n'));
})();
`;

/** `node` reserves far more addresses than it uses: its memory is bounded by its own limit, and addresses by a wide one. */
export const addressMiB: Readonly<Record<TestLanguage, (memoryMiB: number) => number>> = {
  python: (memoryMiB) => memoryMiB,
  javascript: (memoryMiB) => memoryMiB + 16_384,
};

export function runnerCommand(language: TestLanguage, program: string, memoryMiB: number): string[] {
  if (language === 'python') return [program, '-I', '-S', '-c', python];
  return [program, `--max-old-space-size=${Math.ceil(memoryMiB / 2)}`, '-e', javascript];
}
