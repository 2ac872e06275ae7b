// The program that runs tests in JavaScript (test-runners.ts), with the roles of that for Python: `code`, `tests`, `inside`.

/** Every assertion is counted; one that fails does not end the others. Which block is the code: as in Python. */
export const javascriptRunner = String.raw`
const { readFileSync, readSync, writeSync } = require('node:fs');
const strict = require('node:assert/strict');
const vm = require('node:vm');
const { inspect, types } = require('node:util');
const codeOf = (answer) => {
  const blocks = [];
  let block;
  for (const line of answer.split('\n')) {
    const fence = /^\s*\x60{3,}\s*([\w+-]*)/.exec(line);
    if (fence === null) block?.push(line);
    else if (block === undefined || fence[1] !== '') blocks.push((block = []));
    else block = undefined;
  }
  for (const each of blocks) if (/^\s*(javascript|js)\s*$/i.test(each[0] ?? '')) each.shift();
  const texts = blocks.map((each) => each.join('\n')).filter((each) => each.trim() !== '');
  const defining = texts.filter((each) => /^\s*(export\s|async\s|function\b|class\s|const\s|let\s|var\s)/m.test(each));
  return [answer, ...texts, ...defining].at(-1).replace(/^export (default )?/gm, '');
};
const reason = (error) => String(error?.message ?? inspect(error)).split('\n').slice(0, 4).join(' ').slice(0, 300);
const silent = new Proxy({}, { get: () => () => {} });
const run = (answer, space) => {
  try { vm.runInContext(codeOf(answer), space, { filename: 'answer.js' }); return null; }
  catch (error) { return 'The code does not run. ' + reason(error); }
};
const spaceOf = (more) => vm.createContext({ console: silent, setTimeout, queueMicrotask, URL, structuredClone, ...more });
const write = (to, value) => {
  let left = Buffer.from(JSON.stringify(value) + '\n');
  while (left.length > 0) {
    try { left = left.subarray(writeSync(to, left)); }
    catch (error) { if (error.code !== 'EAGAIN') throw error; pause(); }
  }
};
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);

// Plain values: what is no null, truth, text, list or finite number is tagged.
class Unplain extends Error {}
class Opaque { constructor(name) { this.opaque = name; } }
const pack = (value) => {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value === undefined) return { undefined: 0 };
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? '-0' : String(value) };
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (Array.isArray(value)) return Array.from(value, pack);
  if (types.isMap(value)) return { map: [...value].map(pack) };
  if (types.isSet(value)) return { set: [...value].map(pack) };
  if (types.isDate(value)) return { date: Number(value) };
  const above = typeof value === 'object' && !(value instanceof Opaque) && !types.isProxy(value) ? Object.getPrototypeOf(value) : value;
  if (above === null || (above !== value && Object.getPrototypeOf(above) === null))
    return { object: Object.entries(value).map(([key, each]) => [key, pack(each)]) };
  if (value instanceof Opaque) throw new TypeError('it gave ' + value.opaque);
  throw new Unplain(typeof value === 'function' ? 'a function' : 'an object of a class');
};
const makers = {
  undefined: () => undefined,
  number: Number,
  bigint: BigInt,
  map: (held) => new Map(held.map(unpack)),
  set: (held) => new Set(held.map(unpack)),
  date: (held) => new Date(held),
  object: (held) => Object.fromEntries(held.map(([key, each]) => [key, unpack(each)])),
};
const unpack = (value) => {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== 'object' || value === null) return value;
  const [[kind, held]] = Object.entries(value);
  return Object.hasOwn(makers, kind) ? makers[kind](held) : new Opaque(String(held));
};

const serve = async () => {
  const told = (value) => {
    try { return pack(value); } catch (error) { return { opaque: error instanceof Unplain ? error.message : 'a value that does not end' }; }
  };
  let space;
  for await (const line of require('node:readline').createInterface({ input: process.stdin })) {
    const { id, name, given, answer } = JSON.parse(line);
    if (answer !== undefined) { space = spaceOf({}); write(1, { broken: run(answer, space) }); continue; }
    let [found, reply] = [undefined, {}];
    try { found = vm.runInContext(name, space); } catch { reply.is = 'missing'; }
    if (given === undefined) { write(1, { id, is: typeof found === 'function' ? 'function' : 'value', value: told(found), ...reply }); continue; }
    const values = unpack(given);
    let later = false;
    try {
      const value = found(...values);
      later = types.isPromise(value);
      reply = { later, value: told(later ? await value : value) };
    } catch (error) { reply = { later, error: [String(error?.name), reason(error)] }; }
    write(1, { id, after: told(values), ...reply });
  }
};

let held = 0;
const [failures, pending] = [[], []];
const counting = (assertion) => (...given) => {
  const missed = (error) => void failures.push(reason(error));
  try {
    const result = assertion(...given);
    if (!types.isPromise(result)) return void (held += 1);
    pending.push(result.then(() => { held += 1; }, missed));
    return pending.at(-1);
  } catch (error) { missed(error); }
};
const assert = counting(strict);
for (const [name, assertion] of Object.entries(strict)) if (typeof assertion === 'function') assert[name] = counting(assertion);
const judged = async (begin) => {
  try { await begin(); await Promise.all(pending); } catch (error) { failures.push('The tests stopped: ' + reason(error)); }
  const all = held + failures.length;
  if (all === 0) return { reward: 0, feedback: 'The tests assert nothing.' };
  return { reward: held / all, feedback: failures.length === 0 ? null : 'These tests failed:\n' + failures.slice(0, 3).join('\n') };
};

const test = async () => {
  const finish = (verdict) => { write(3, verdict); process.exit(0); };
  const lineOf = (from, most, over) => {
    const parts = [];
    for (let bytes = 0; ; ) {
      const part = Buffer.alloc(65536);
      let length;
      try { length = readSync(from, part); } catch (error) { if (error.code !== 'EAGAIN') length = 0; else { pause(); continue; } }
      if (length === 0) finish({ ended: true });
      bytes += length;
      if (bytes > most) over();
      parts.push(part.subarray(0, length));
      if (part[length - 1] === 10) return Buffer.concat(parts);
    }
  };
  const { tests, outputKiB } = JSON.parse(lineOf(3, Infinity));
  let [left, asking] = [outputKiB * 1024, 0];
  const said = () => {
    const line = lineOf(0, left, () => finish({ over: true }));
    left -= line.length;
    return JSON.parse(line);
  };
  const ask = (request) => {
    asking += 1;
    try { write(1, { id: asking, ...request }); } catch { finish({ ended: true }); }
    const reply = said();
    if (reply?.id !== asking) throw new Error('its process wrote something else');
    return reply;
  };
  let broken;
  try { broken = said().broken; } catch (error) { broken = 'The code does not run. ' + reason(error); }
  if (broken !== null) finish({ reward: 0, feedback: String(broken).slice(0, 400) });
  const kept = [...tests.matchAll(/(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+)?\w+\(/g)].map(([, name]) => name);
  if (/\w\([^()]*\)\s*\(|instanceof\s|\bconsole\b/.test(tests) || kept.some((name) => new RegExp('\\b' + name + '\\(').test(tests))) finish({ inside: true });
  const inside = () => finish({ inside: true });
  const call = (name, given) => {
    let packed;
    try { packed = given.map(pack); } catch (error) { if (error instanceof Unplain) inside(); throw error; }
    const reply = ask({ name, given: packed });
    const after = unpack(reply.after ?? []);
    for (const [at, old] of given.entries()) renew(old, after[at]);
    const result = () => { if (reply.error !== undefined) throw raised(reply.error); return unpack(reply.value); };
    return reply.later ? (async () => result())() : result();
  };
  const renew = (old, now) => {
    if (Array.isArray(old) && Array.isArray(now)) old.splice(0, old.length, ...now);
    else if (old instanceof Map && now instanceof Map) { old.clear(); for (const [key, each] of now) old.set(key, each); }
    else if (old instanceof Set && now instanceof Set) { old.clear(); for (const each of now) old.add(each); }
    else if (old?.constructor === Object && now?.constructor === Object) { for (const key of Object.keys(old)) delete old[key]; Object.assign(old, now); }
  };
  const raised = ([name, text]) => {
    const Kind = globalThis[name];
    return Kind?.prototype instanceof Error ? new Kind(text) : Object.assign(new Error(text), { name });
  };
  const known = new Map(Object.entries({ assert, console: silent }));
  const standIn = (name) => {
    const { is, value } = ask({ name });
    if (is === 'missing') return undefined;
    return is === 'value' ? unpack(value) : new Proxy(function () {}, { apply: (_, __, given) => call(name, given), construct: inside, get: inside });
  };
  const scope = new Proxy({}, {
    has: (_, name) => typeof name === 'string' && (known.has(name) || !(name in globalThis)) && name !== 'scope',
    get: (_, name) => {
      if (typeof name !== 'string') return undefined;
      if (!known.has(name)) known.set(name, standIn(name));
      if (known.get(name) === undefined) throw new ReferenceError(name + ' is not defined');
      return known.get(name);
    },
  });
  finish(await judged(() => new Function('scope', 'with (scope) { return (async () => {' + tests + '\n})() }')(scope)));
};

const inside = async () => {
  const asked = JSON.parse(readFileSync(0, 'utf8'));
  const space = spaceOf({ assert });
  const broken = run(asked.answer, space);
  const begin = () => vm.runInContext('(async () => {' + asked.tests + '\n})()', space, { filename: 'tests.js' });
  writeSync(1, '\n');
  write(1, { ...(broken === null ? await judged(begin) : { reward: 0, feedback: broken }), proof: asked.proof });
  process.exit(0);
};
({ code: serve, tests: test, inside })[process.argv[1] ?? 'inside']();
`;
