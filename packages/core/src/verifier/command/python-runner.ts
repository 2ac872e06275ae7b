// The program that runs tests in Python against the code of an answer, each in a process of its own: they exchange plain values, so the code
// can give a wrong value and nothing else. Tests that need more run inside the code's process, which could forge their outcome; the tests
// alone decide that, never the code.

/** `code` executes the answer and answers calls, a line each; `tests` runs the tests against it; `inside` does both in one process. */
export type RunnerRole = 'code' | 'tests' | 'inside';

export function runnerCommand(program: string, role: RunnerRole): string[] {
  return [program, '-I', '-S', '-c', pythonRunner, role];
}

/**
 * Every assertion of the tests is counted, those within functions included; one that fails does not end the others. The code is the last
 * block that defines something: an example of its use may stand behind it. Small models write a fence twice (a named one opens a
 * block even inside another), or the language's name on the line below.
 */
const pythonRunner = String.raw`
import ast, builtins, collections, json, os, re, sys
os.closerange(4, 65536) # A server hands down what it was started with.
def opened():
    lines, to = os.fdopen(os.dup(0), 'rb'), os.dup(1)
    hush()
    return lines, to
def hush():
    null = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2): os.dup2(null, each)
def write(to, value):
    left = (json.dumps(value) + '\n').encode()
    while left: left = left[os.write(to, left):]
def short(value):
    try: text = repr(value)
    except BaseException as error: text = type(error).__name__
    return text if len(text) <= 200 else text[:200] + '...'
def reason(error):
    return type(error).__name__ + (': ' + str(error)[:300] if str(error) else '')
def code_of(answer):
    blocks, block = [], None
    for line in answer.split('\n'):
        fence = re.match(r'\s*\x60{3,}\s*([\w+-]*)', line)
        if fence is None:
            if block is not None: block.append(line)
        elif block is None or fence[1]:
            block = []; blocks.append(block)
        else: block = None
    for each in blocks:
        if each and each[0].strip().lower() in ('python', 'python3', 'py'): del each[0]
    texts = ['\n'.join(each) for each in blocks if any(line.strip() for line in each)]
    defining = [each for each in texts if re.search(r'^\s*(async def|def|class)\s', each, re.M)]
    return (defining or texts or [answer])[-1]
def run(answer, space):
    try: exec(compile(code_of(answer), 'answer.py', 'exec'), space)
    except BaseException as error: return 'The code does not run. ' + reason(error)

# Plain values: what is no None, truth, number, text or list is tagged. Tests' own values must be of exactly these types.
makers = {'int': lambda v: int(v, 16), 'tuple': lambda v: tuple(map(unpack, v)), 'set': lambda v: set(map(unpack, v)),
    'frozenset': lambda v: frozenset(map(unpack, v)), 'dict': lambda v: {unpack(key): unpack(value) for key, value in v},
    'bytes': bytes.fromhex, 'bytearray': bytearray.fromhex, 'complex': lambda v: complex(*v), 'range': lambda v: range(*v),
    'deque': lambda v: collections.deque(map(unpack, v))}
kinds = (bool, int, float, str, list, tuple, dict, set, frozenset, bytes, bytearray, complex, range, collections.deque)
# An iterator stays where it is made, under its number; elsewhere each value is asked for.
iterators = []
class Remote:
    def __init__(self, at): self.at = at
    def __iter__(self): return self
    def __next__(self): return Remote.next(self.at)
makers['iterator'] = Remote
class Opaque:
    def __init__(self, name): self.name = name
    def __repr__(self): return '<' + self.name + '>'
class Unplain(Exception): pass
def pack(value, exactly):
    for kind in kinds:
        if type(value) is kind or not exactly and isinstance(value, kind): break
    else:
        if value is None: return None
        if type(value) is Opaque: raise TypeError('it gave ' + repr(value))
        if type(value) is Remote: return {'iterator': value.at}
        if exactly or not hasattr(value, '__iter__'): raise Unplain(type(value).__name__)
        if hasattr(value, '__len__'): return pack(list(value), False)
        iterators.append(iter(value))
        return {'iterator': len(iterators) - 1}
    every = lambda values: [pack(each, exactly) for each in values]
    if kind is int: return int(value) if abs(value) < 1 << 64 else {'int': hex(value)}
    if kind in (bool, float, str): return kind(value)
    if kind is list: return every(value)
    if kind is dict: return {'dict': [every(each) for each in value.items()]}
    if kind in (bytes, bytearray): return {kind.__name__: value.hex()}
    if kind is complex: return {'complex': [value.real, value.imag]}
    if kind is range: return {'range': [value.start, value.stop, value.step]}
    return {kind.__name__: every(value)}
def unpack(value):
    if isinstance(value, list): return [unpack(each) for each in value]
    if not isinstance(value, dict): return value
    (kind, held), = value.items()
    return makers[kind](held) if kind in makers else Opaque(str(held))

def serve():
    lines, to = opened()
    space = {'__name__': 'answer'}
    makers['iterator'] = lambda at: iterators[at]
    write(to, {'broken': run(json.loads(lines.readline())['answer'], space)})
    def told(value):
        try: return pack(value, False)
        except BaseException: return {'opaque': type(value).__name__}
    for line in lines:
        asked, reply = json.loads(line), {}
        name = asked.get('name')
        if 'next' in asked:
            try: reply['value'] = told(next(iterators[asked['next']]))
            except StopIteration: reply['ended'] = True
            except BaseException as error: reply['error'] = [type(error).__name__, str(error)[:300]]
        elif 'given' not in asked:
            reply = {'is': 'missing' if name not in space else 'function' if callable(space[name]) else 'value', 'value': told(space.get(name))}
        else:
            given = unpack(asked['given'])
            try: reply['value'] = told(space[name](*given, **{key: unpack(each) for key, each in asked['named'].items()}))
            except BaseException as error: reply['error'] = [type(error).__name__, str(error)[:300]]
            after = told(given)
            if after != asked['given']: reply['after'] = after
        try: write(to, {'id': asked['id'], **reply})
        except (ValueError, RecursionError): write(to, {'id': asked['id'], 'value': {'opaque': 'too deep'}})

counted, failures = [0, 0], []
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
def judged(tree, space):
    space['__holds__'] = holds
    try: exec(compile(ast.fix_missing_locations(Counted().visit(tree)), 'tests.py', 'exec'), space)
    except BaseException as error:
        counted[0] += 1; failures.append('The tests stopped: ' + reason(error))
    if counted[0] == 0: return {'reward': 0, 'feedback': 'The tests assert nothing.'}
    words = 'These tests failed:\n' + '\n'.join(failures[:3]) if failures else None
    return {'reward': counted[1] / counted[0], 'feedback': words}

# The answer's names in the tests: those that neither they nor Python define. One of Python's only where there are no others.
def names_of(tree):
    loaded, bound = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name): (loaded if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): bound.add(node.name)
        elif isinstance(node, ast.arg): bound.add(node.arg)
        elif isinstance(node, ast.alias): bound.add((node.asname or node.name).split('.')[0])
        elif isinstance(node, ast.ExceptHandler): bound.add(node.name)
    own = loaded - set(dir(builtins)) - bound
    return (own or loaded - bound), (loaded - set(dir(builtins)) if own else loaded)
plain_modules = set('bisect cmath collections copy functools heapq itertools json math operator random re statistics string time typing'.split())
# Tests that use objects of the answer, its classes of errors, what it prints, or values that are not plain. A capital that begins a name
# begins a class, unless what it gives is only compared with a value of the tests (a function can be called so too).
def need_inside(tree, own):
    if len(own) > 1 and own <= set(dir(builtins)): return True
    nodes = list(ast.walk(tree))
    plain = {name for kind in kinds for name in dir(kind)}
    is_own = lambda node: any(isinstance(each, ast.Name) and each.id in own for each in ast.walk(node))
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    calls = lambda node: isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in own | given
    sides = [[node.left, *node.comparators] for node in nodes if isinstance(node, ast.Compare)]
    compared = [side for each in sides if sum(map(is_own, each)) == 1 for side in each]
    kept = [(target.id, node.value) for node in nodes if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)]
    made = {name for name, value in kept if calls(value)}
    def root(node):
        while isinstance(node, ast.AST) and not isinstance(node, ast.Name): node = getattr(node, 'value', getattr(node, 'func', None))
        return getattr(node, 'id', None)
    foreign = {(each.asname or each.name).split('.')[0] for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for each in node.names}
    for name, value in kept:
        if root(value) in foreign: foreign.add(name)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if getattr(node.value, 'id', None) in own or node.attr == 'seed' or node.attr not in plain and root(node) not in foreign: return True
        elif isinstance(node, ast.Call):
            name = getattr(node.func, 'id', None)
            if calls(node) and name[0].isupper() and node not in compared: return True
            if calls(node.func) or name in made or name in ('isinstance', 'issubclass') and is_own(node.args[-1]): return True
        elif isinstance(node, ast.ExceptHandler) and node.type is not None and is_own(node.type): return True
        elif isinstance(node, ast.ClassDef) and any(map(is_own, node.bases)): return True
        elif isinstance(node, ast.With) and any(map(is_own, node.items)) or isinstance(node, ast.Await): return True
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            if not {(getattr(node, 'module', None) or each.name).split('.')[0] for each in node.names} <= plain_modules: return True
def renewed(old, new):
    if type(old) is not type(new): return new
    if type(old) is list: old[:] = [renewed(*pair) for pair in zip(old, new)] + new[len(old):]
    elif type(old) in (dict, set): old.clear(); old.update(new)
    elif type(old) is bytearray: old[:] = new
    else: return new
    return old
def test():
    lines, to = opened()
    asked = json.loads(os.fdopen(os.dup(3), 'rb').readline())
    left, asking = [asked['outputKiB'] * 1024], [0]
    def finish(verdict): write(3, verdict); os._exit(0)
    def said():
        line = lines.readline(left[0] + 1)
        left[0] -= len(line)
        if left[0] < 0: finish({'over': True})
        if not line.endswith(b'\n'): finish({'ended': True})
        return json.loads(line)
    def ask(**request):
        asking[0] += 1
        try: write(to, {'id': asking[0], **request})
        except OSError: finish({'ended': True})
        reply = said()
        if not isinstance(reply, dict) or reply.get('id') != asking[0]: raise ValueError('its process wrote something else')
        return reply
    def value_of(reply):
        if 'error' in reply: raise raised(*reply['error'])
        return unpack(reply['value'])
    def follow(at):
        reply = ask(next=at)
        if reply.get('ended') is True: raise StopIteration
        return value_of(reply)
    Remote.next = follow
    def stand_in(name):
        def call(*given, **named):
            try: packed = {'given': [pack(each, True) for each in given], 'named': {key: pack(each, True) for key, each in named.items()}}
            except Unplain: finish({'inside': True})
            reply = ask(name=name, **packed)
            for old, new in zip(given, reply.get('after', [])): renewed(old, unpack(new))
            return value_of(reply)
        call.__name__ = name
        return call
    # One that ends loops would end those of the tests, and what they compare in them.
    def raised(name, text):
        kind = getattr(builtins, name, None)
        try: return kind(text) if issubclass(kind, Exception) and name not in ('StopIteration', 'StopAsyncIteration') else RuntimeError(name + ': ' + text)
        except TypeError: return RuntimeError(name + ': ' + text)
    try: tree = ast.parse(asked['tests'])
    except BaseException as error: finish({'reward': 0, 'feedback': 'The tests do not run. ' + reason(error)})
    try: broken = said()['broken']
    except Exception as error: broken = 'The code does not run. ' + reason(error)
    if broken is not None: finish({'reward': 0, 'feedback': str(broken)[:400]})
    own, names = names_of(tree)
    if need_inside(tree, own): finish({'inside': True})
    space = {'__name__': 'tests'}
    for name in sorted(names):
        try: told = ask(name=name)
        except ValueError: continue
        if told.get('is') == 'function': space[name] = stand_in(name)
        elif told.get('is') == 'value': space[name] = unpack(told['value'])
    finish(judged(tree, space))

def inside():
    asked = json.loads(sys.stdin.read())
    to, space = os.dup(1), {'__name__': 'answer'}
    hush()
    broken = run(asked['answer'], space)
    verdict = {'reward': 0, 'feedback': broken} if broken else judged(ast.parse(asked['tests']), space)
    os.write(to, b'\n')
    write(to, {**verdict, 'proof': asked.get('proof')})
    os._exit(0)
{'code': serve, 'tests': test, 'inside': inside}[sys.argv[1] if len(sys.argv) > 1 else 'inside']()
`;
