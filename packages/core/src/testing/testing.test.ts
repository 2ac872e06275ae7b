// The suites themselves: a part that breaks its contract fails the case that is about it, and no other.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createBeam } from '../../../papers/src/levels/beam.ts';
import { fault } from '../base/fault.ts';
import { optionsOfPart } from '../base/part.ts';
import type { Embedder } from '../embedder/embedder.ts';
import type { Engine, EngineMessage } from '../engine/engine.ts';
import type { ExitRule, PruneRule } from '../exit/exit.ts';
import { exitParts } from '../exit/exits.ts';
import { pruneParts } from '../exit/prune-bound.ts';
import type { Journal, TextKeeping } from '../journal/journal.ts';
import { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';
import type { Program } from '../program/program.ts';
import type { Step } from '../tree/step.ts';
import { confidence } from '../verifier/confidence/confidence-verifier.ts';
import { makeVerifier } from '../verifier/definition.ts';
import type { Verifier, VerifierMessage } from '../verifier/verifier.ts';
import {
  type ConformanceCase,
  embedderCases,
  engineCases,
  exitCases,
  journalCases,
  programCases,
  prove,
  pruneCases,
  replicaListCases,
  verifierCases,
} from './index.ts';

async function failing(cases: readonly ConformanceCase[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of cases) await run().catch(() => failed.push(name));
  return failed;
}

/** A part with some of its members replaced. */
function changed<Part extends object>(part: Part, change: Partial<Part>): Part {
  return new Proxy(part, {
    get: (target, key) => {
      const value: unknown = Reflect.get(key in change ? change : target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const prompt = { kind: 'text', text: 'Once' } as const;
const can = { seeded: true, logprobs: false, streams: false, priorities: false, countsCache: false };
const idle = { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined, healthy: true };

/** Its steps are two tokens: the seed, or the depth where it is greedy. */
function tinyEngine(change: Partial<Engine> = {}, spoil: (message: EngineMessage) => EngineMessage[] = (one) => [one]) {
  let post: (message: EngineMessage) => void = () => {};
  const engine: Engine = {
    capabilities: { name: 'tiny', ...can, contextTokens: undefined },
    connect: (to) => {
      post = to;
    },
    generate: (requests) => {
      for (const { id, path, seed, sampling, delimiters, maxTokens } of requests) {
        const tokens = Math.min(2, maxTokens);
        const end = tokens < 2 ? 'length' : delimiters.length === 0 || path.length > 2 ? 'eos' : 'delimiter';
        const said = `${sampling.temperature === 0 ? path.length : seed}`;
        const step = { text: end === 'delimiter' ? `${said}\n` : said, tokens, meanLogprob: 0, end } as const;
        const usage = { computedTokens: 1, cachedTokens: 0, generatedTokens: tokens };
        for (const each of spoil({ type: 'step', request: id, step, usage })) post(each);
      }
    },
    cancel: () => {},
    release: () => {},
    load: () => idle,
    close: async () => {},
    ...change,
  };
  const work = async () => {};
  return engineCases(async () => ({ engine, prompt, delimiters: ['\n'], maxTokens: 9, work, close: engine.close }));
}

describe('the engine suite', () => {
  it('holds an engine that keeps the contract, and finds one that does not', async () => {
    expect(await failing(tinyEngine())).toEqual([]);
    expect(await failing(tinyEngine({ load: () => ({ ...idle, waitingSequences: 1 }) }))).toEqual([
      'is idle when everything is answered',
    ]);
    const capabilities = { name: 'tiny', ...can, logprobs: true, contextTokens: undefined };
    expect(await failing(tinyEngine({ capabilities }))).toEqual([
      'tells log probabilities where it says so, and none otherwise',
    ]);
    const doubled = await failing(tinyEngine({}, (message) => [message, message]));
    expect(doubled).toContain('answers every request exactly once');
    expect(doubled).not.toContain('is deterministic when greedy');
    const unkept = (message: EngineMessage) =>
      message.type === 'step' ? [{ ...message, step: { ...message.step, text: message.step.text.trim() } }] : [message];
    expect(await failing(tinyEngine({}, unkept))).toEqual([
      'ends a step at a delimiter, which it keeps, or at the end of the answer',
    ]);
  });
});

it('gives up an engine that says nothing', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 50_000;
    return nowMs;
  });
  const [first] = tinyEngine({ generate: () => {} });
  await expect(first!.run()).rejects.toThrow(/^requests 1, 2, .* have no answer after 120 s of silence$/);
});

describe('the verifier suite', () => {
  const steps = ['one\n', 'two\n', 'three\n', 'four\n'].map(
    (text): Step => ({ text, tokens: 1, meanLogprob: -0.5, end: 'delimiter' }),
  );
  const casesOf = (spoil: (message: VerifierMessage) => VerifierMessage[]) =>
    verifierCases(async () => {
      const verifier = makeVerifier(confidence);
      const spoilt = changed<Verifier>(verifier, {
        connect: (post) =>
          verifier.connect((message) => {
            for (const each of spoil(message)) post(each);
          }),
      });
      return { verifier: spoilt, prompt, steps, work: setImmediate, close: () => verifier.close() };
    });

  it('holds a verifier that keeps the contract, and finds one that does not', async () => {
    expect(await failing(casesOf((one) => [one]))).toEqual([]);
    const doubled = await failing(casesOf((one) => [one, one]));
    expect(doubled).toContain('answers every request exactly once, with a reward from 0 to 1');
    expect(doubled).toContain('answers what was cancelled at most once, and what is unknown not at all');
    const wordless = casesOf((one) => [one.type === 'score' ? { ...one, feedback: '' } : one]);
    expect(await failing(wordless)).toEqual(['says why in words, or not at all, and the same of a step that it knows']);
  });
});

describe('the journal suite', () => {
  const restart = { 'what was accepted and appended is there after a restart': 'nothing outlives the process' };
  const casesOf = (change: Partial<Journal>) => {
    const open = (texts: TextKeeping) => changed<Journal>(new SqliteJournal({ path: ':memory:', texts }), change);
    return journalCases(() => ({ open }), restart);
  };

  it('finds a journal that does not keep the contract', async () => {
    expect(await failing(casesOf({ requestCancel: async () => true }))).toEqual([
      'what is unknown is undefined, empty or false, never an error',
      'a search ends once, and an ended one cannot be claimed or cancelled',
      'cancel requests stay with the record',
    ]);
    const deaf = await failing(casesOf({ listen: () => {} }));
    expect(deaf).toContain('a listener hears of every entry once it can be read');
  });
});

describe('the program suite', () => {
  const beam = (change: Partial<Program>) =>
    programCases(() => changed(createBeam({ beams: 3, candidates: 3 }), change));

  it('finds a program that does not keep the contract, with the seed', async () => {
    expect(await failing(beam({}))).toEqual([]);
    const forgetful = beam({ answer: () => undefined });
    expect(await failing(forgetful)).toContain('comes to an end with an answer and no strand left open');
    await expect(prove(forgetful)).rejects.toThrow(/no strand left open: seed \d+, width \d: /);
    const greedy = beam({ foresee: (tree) => [{ node: tree.best ?? tree.root, indices: [0], sampling: {} as never }] });
    expect(await failing(greedy)).toEqual(['foresees without touching the tree']);
  });
});

describe('the other suites', () => {
  it('find a list of replicas that has one twice', async () => {
    const cases = replicaListCases(async () => {
      let urls: string[] = [];
      let broken = false;
      return {
        list: {
          name: 'list',
          read: async () => {
            if (broken) throw new Error('broken');
            return urls;
          },
        },
        put: async (addresses) => {
          urls = addresses.map((address) => `http://${address}:8000`);
        },
        spoil: async () => {
          broken = true;
        },
        close: async () => {},
      };
    });
    expect(await failing(cases)).toEqual([
      'gives each once',
      'fails with one line that names it where it is gone',
      'fails with one line that names it where it is nonsense',
    ]);
  });

  it('find an embedder that knows one text', async () => {
    const cases = embedderCases(async () => {
      let post: Parameters<Embedder['connect']>[0] = () => {};
      const embedder: Embedder = {
        name: 'odd',
        connect: (to) => {
          post = to;
        },
        embed: (requests) => {
          for (const { id, text } of requests)
            post(
              text === ''
                ? { type: 'fault', request: id, fault: fault('internal', 'empty') }
                : { type: 'vector', request: id, vector: [1, 2], tokens: 1 },
            );
        },
        load: () => ({ healthy: true, waiting: 0, texts: 0, failed: 0 }),
        close: async () => {},
      };
      return { embedder, behave: () => {}, rest: () => {}, said: [], close: async () => {} };
    });
    const failed = await failing(cases);
    expect(failed).toContain('gives the same text the same vector, whatever it is asked with');
    expect(failed).toContain('takes odd texts: empty, of every alphabet, and far too long');
    expect(failed).not.toContain('answers every request once, with a vector of one length and the tokens that it took');
  });
});

describe('a case', () => {
  const open = (closed: string[]) => async () => ({
    list: { name: 'list', read: () => Promise.reject(new Error('broken')) },
    put: async () => {},
    spoil: async () => {},
    close: async () => {
      closed.push('closed');
      throw new Error('cannot be closed');
    },
  });

  it('closes what it opened, and tells why it failed rather than what closing said', async () => {
    const closed: string[] = [];
    await expect(replicaListCases(open(closed))[0]!.run()).rejects.toThrow('broken');
    expect(closed).toEqual(['closed']);
  });

  it('is skipped with its reason, and only under a name that is there', async () => {
    const cases = replicaListCases(open([]), { 'gives each once': 'it has no names' });
    expect(cases[1]).toMatchObject({ name: 'gives each once (it has no names)', skip: 'it has no names' });
    expect(cases).toHaveLength(5);
    await cases[1]!.run();
    expect(() => replicaListCases(open([]), { 'gives each twice': 'why' })).toThrow(
      /'gives each twice'.*gives each once/s,
    );
  });

  it('is named where it failed, by one error for all of them', async () => {
    const cases = replicaListCases(open([]), { 'gives each once': 'it has no names' });
    const error = await prove(cases).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).message).toMatch(
      /^4 of 5 cases failed:\n- gives the roots of all servers, and follows: broken\n/,
    );
    await prove([{ name: 'nothing', run: async () => {} }]);
  });
});

describe('the suites of rules', () => {
  const exit = (check: ExitRule['check']) => failing(exitCases(() => ({ name: 'own', check })));
  const prune = (judge: PruneRule['judge']) => failing(pruneCases(() => ({ name: 'own', judge })));
  const [changes, keeps] = ['changes nothing in the tree', 'keeps nothing'].map((name) =>
    expect.stringContaining(name),
  );
  const says = expect.stringContaining('evidence that a log can hold');
  const done = { kind: 'certain', rule: 'own', evidence: {} } as const;

  it('pass our own rules', async () => {
    for (const part of exitParts()) await prove(exitCases(() => part.make(optionsOfPart(part, {}))));
    for (const part of pruneParts) await prove(pruneCases(() => part.make(optionsOfPart(part, {}))));
    expect(
      await prune(({ tree: { best } }) => best && (({ score }) => (score < best.score ? { score } : undefined))),
    ).toEqual([]);
  });

  it('find an exit that there is not, and evidence that is no number', async () => {
    expect(await exit(() => ({ ...done, kind: 'bored' as 'certain' }))).toEqual([says]);
    expect(await exit(({ tree }) => ({ ...done, evidence: { mean: tree.closed.completed / 0 } }))).toEqual([says]);
    expect(await prune(() => () => ({ score: Number.NaN }))).toEqual([says]);
  });

  it('find a rule that changes the tree, or remembers', async () => {
    const rollback = ({ tree }: { tree: object }) => (Object.assign(tree, { tokens: 0 }) ? undefined : done);
    expect(await exit(rollback)).toEqual([changes]);
    let seen = 0;
    expect(await exit(() => ({ ...done, evidence: { seen: ++seen } }))).toEqual([keeps]);
    expect(await prune(() => () => ({ seen: ++seen }))).toEqual([keeps]);
  });

  it('say after which event a rule throws', async () => {
    const cases = exitCases(() => ({
      name: 'own',
      check: ({ tree }) => (tree.root.children[0]!.score > 2 ? done : undefined),
    }));
    await expect(prove(cases)).rejects.toThrow(/mcts, after event 1: /);
  });
});
