// No reader of a text that a model, a client or a server wrote takes more than linear time: four times the text, about four times the work. Work is
// processor time of this thread, the least of several runs, with room for a collection of garbage. What is found here once becomes a line of
// `found`. Readers never throw either, however deep brackets lie.

import { describe, expect, test } from 'vitest';
import { canonical } from '../../packages/core/src/answer/canonical.ts';
import { turnMeaning } from '../../packages/core/src/answer/turns.ts';
import { FaultError } from '../../packages/core/src/base/fault.ts';
import { OutputItems } from '../../packages/gateway/src/dialects/responses/output-items.ts';
import { joinTurns } from '../../packages/gateway/src/dialects/responses/response-turns.ts';
import { schemaGrammar } from '../../packages/llama/src/grammar/schema-grammar.ts';
import { hostileText, kinds } from '../support/hostile-texts.ts';
import { type TextReader, textReaders } from '../support/text-readers.ts';

const sizes = { short: 4000, long: 16_000, longest: 64_000 };
/** Of a text that is four times as long: so many times the work, and milliseconds on top. */
const allowed = { times: 10, ms: 60 };

/** The least of several runs, in milliseconds of processor time: what else the machine does is not in it. */
function workOf(read: TextReader, text: string, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least > allowed.ms / 4; run += 1) {
    const before = process.threadCpuUsage();
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
    }
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Undefined where the work grows with the text; else how much it was. */
function growthOf(read: TextReader, textOf: (length: number) => string): string | undefined {
  const { short, long, longest } = sizes;
  let before = workOf(read, textOf(short), 3);
  for (const length of [long, longest]) {
    const work = workOf(read, textOf(length), 3);
    if (work > allowed.times * before + allowed.ms) return `${before} ms, and ${work} ms of ${length} characters`;
    before = work;
  }
  return undefined;
}

/** One of so many kinds, others for each reader and each seed. */
const share = 601;
const seed = Number(process.env.SEED ?? 0);

describe('time grows with the text and no faster', () => {
  test.each([...textReaders.keys()])('%s', (name) => {
    const read = textReaders.get(name)!;
    const first = ([...textReaders.keys()].indexOf(name) + 50 * seed) % share;
    const slow: string[] = [];
    for (let kind = first; kind < kinds; kind += share) {
      const growth = growthOf(read, (length) => hostileText(kind, length));
      if (growth !== undefined) slow.push(`${JSON.stringify(hostileText(kind, 40))}: ${growth}`);
    }
    expect(slow).toEqual([]);
  });

  const numbered = (count: number, textOf: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => textOf(at)).join('');

  /** Texts that once took seconds or for ever, by the reader that did. */
  const found: [string, (length: number) => string][] = [
    ['falseEquation', (length) => '1 '.repeat(length / 2)],
    ['falseEquation', (length) => `${'1 = 1 '.repeat(length / 6)}x`],
    ['falseEquation', (length) => `1=1${' '.repeat(length)}x`],
    ['falseEquation', (length) => `${'1/3+1/7+1/11+1/13+'.repeat(length / 18)}1=2`],
    ['falseEquation', (length) => `${'1/7919+1/7907+1/7901+1/7883+1/7879+1=2 x '.repeat(length / 42)}`],
    ['falseEquation', (length) => `${'1.01*'.repeat(length / 5)}1=2`],
    ['falseEquation', (length) => '1%\\frac{1}{7}=2-'.repeat(length / 15)],
    ['falseEquation', (length) => '3 hour feet $ apples ('.repeat(length / 22).replace(/.$/, '=')],
    ['falseEquation', (length) => '\\text{ of 5 '.repeat(length / 12)],
    ['falseEquation', (length) => `${'9^{99}*'.repeat(length / 7)}1=(((`],
    ['evaluate', (length) => `${'1/7+'.repeat(length / 4)}1`],
    ['evaluate', (length) => '('.repeat(length)],
    ['evaluate', (length) => '\\sin'.repeat(length / 4)],
    ['evaluate', (length) => '9'.repeat(length)],
    ['canonical of its end', (length) => '\\pm'.repeat(length / 3)],
    ['canonical of its end', (length) => '(9^{99}/7^{99})*'.repeat(length / 16)],
    ['canonical of its end', (length) => '((2/3)^{900})^{1}+'.repeat(length / 18)],
    ['parseSudoku', (length) => `sudoku${' '.repeat(length)}x`],
    ['parseLedger', (length) => `ledger${' '.repeat(length)}x`],
    ['parseLedger', (length) => `ledger 1:${' '.repeat(length)}+1\n.`],
    ['parseLedger', (length) => `ledger 1: +1${' '.repeat(length)}x`],
    ['word-problem.recognise', (length) => 'how many '.repeat(length / 9)],
    ['countdown.check', (length) => `${' '.repeat(length)}x`],
    ['countdown.check', (length) => `${'1'.repeat(length)}x`],
    ['asksForNumber', (length) => 'find '.repeat(length / 5)],
    ['asksForNumber', (length) => `what is 1${' '.repeat(length)}x`],
    ['asksForShortAnswer', (length) => `$${'+'.repeat(length)}`],
    ['asksForShortAnswer', (length) => `$${'x '.repeat(length / 2)}`],
    ['writtenCalls of words', (length) => `5 =${' '.repeat(length)}{`],
    ['writtenCalls of words', (length) => `5${' '.repeat(length / 2)},${' '.repeat(length / 2)}[`],
    ['readingFor', (length) => `\\boxed{${'ab-'.repeat(length / 3)}}`],
    ['extractAnswer', (length) => `answer to the a${'_'.repeat(length)}!`],
    ['extractAnswer', (length) => '\\boxed{'.repeat(length / 7)],
    ['lastNumber', (length) => `1${','.repeat(length)}2`],
    ['ranksOn', (length) => 'vllm:num_requests_running{\r'.repeat(length / 9)],
    ['piecesOf others', (length) => 'a'.repeat(length)],
    ['PassedReader of a stream', (length) => numbered(length / 32, (at) => `data: {"usage":{"n${at}":1}}\n\n`)],
  ];
  test.each(found)('%s, a text that was slow once: %#', (name, textOf) => {
    expect(growthOf(textReaders.get(name)!, textOf)).toBeUndefined();
  });

  test('a schema of many members', () => {
    const schemaOf = (members: number) => {
      const names = Array.from({ length: members }, (_, at) => `m${at}`);
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
      return { type: 'object', properties, required: names };
    };
    expect(
      growthOf(
        (text) => schemaGrammar(schemaOf(text.length / 4)),
        (length) => 'm'.repeat(length),
      ),
    ).toBeUndefined();
  });

  test('calls of a conversation, and of an answer with as many tools', () => {
    const made = ({ length }: string) =>
      Array.from({ length: length / 8 }, (_, at) => ({ type: 'function', name: `f${at}` }));
    const join = (text: string) =>
      joinTurns(made(text).map((call) => ({ role: 'assistant', content: null, tool_calls: [call] })));
    const answer = (text: string) => {
      const items = new OutputItems('srch_1', made(text));
      for (const { name } of made(text)) items.call({ name, arguments: '{}' });
    };
    for (const read of [join, answer]) expect(growthOf(read, (length) => 'm'.repeat(length))).toBeUndefined();
  });

  type Schemas = (names: readonly string[]) => object;
  const defaults: Schemas = (names) => ({
    properties: Object.fromEntries(names.map((name) => [name, { default: 1 }])),
  });

  test.each<[string, Schemas, 'one' | 'many', 'one' | 'many']>([
    ['defaults in many calls', defaults, 'many', 'one'],
    [
      'references to many defaults',
      (names) => ({ $defs: { all: defaults(names) }, allOf: names.map(() => ({ $ref: '#/$defs/all' })) }),
      'one',
      'one',
    ],
    ['alternatives in many calls', (names) => ({ anyOf: names.map(() => ({ type: 'null' })) }), 'many', 'one'],
    ['parts in many calls', (names) => ({ allOf: names.map(() => ({ type: 'object' })) }), 'many', 'one'],
    ['parts for many arguments', (names) => ({ allOf: names.map(() => ({})) }), 'one', 'many'],
  ])('a schema with many %s', (_, schemaOf, calls, given) => {
    const read: TextReader = ({ length }) => {
      const names = Array.from({ length: length / 8 }, (_, at) => `m${at}`);
      const written = JSON.stringify(Object.fromEntries((given === 'one' ? ['a'] : names).map((name) => [name, 1])));
      const made = Array(calls === 'one' ? 1 : names.length).fill({ name: 'f', arguments: written });
      return turnMeaning({ calls: made }, [{ name: 'f', parameters: schemaOf(names) }]);
    };
    expect(growthOf(read, (length) => 'm'.repeat(length))).toBeUndefined();
  });

  /** So many answers with forty powers each, never read before, and each so many times. */
  const named = (exponent: number, times: number) => {
    seen += 1;
    const answers = Array.from({ length: 64 }, (_, at) => `${`(7/9)^{${exponent}},`.repeat(38)}${seen * 64 + at}`);
    for (let time = 0; time < times; time += 1) for (const each of answers) canonical(each);
  };
  let seen = 0;
  const within = (work: number, of: number) => expect(work).toBeLessThan(allowed.times * of + allowed.ms);

  test('large values in answers', () => {
    const work = (exponent: number) => workOf(() => named(exponent, 1), '', 3);
    within(work(900), work(9));
  });

  test('answers that are counted again and again', () => {
    const work = (times: number) => workOf(() => named(900, times), '', 3);
    within(work(20), work(1));
  });
});
