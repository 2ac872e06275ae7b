// Siblings of one expansion in one request to vLLM: the same children as alone, each ending by itself, each charged for its
// own tokens; and servers that refuse parts of what they are asked.

import { afterEach, describe, expect, it } from 'vitest';
import type { GenerateRequest, StepNeeds } from '../../packages/core/src/engine/engine.ts';
import { turnIn } from '../../packages/core/src/tree/readings/agent-turn.ts';
import { Vocabulary } from '../servers/model.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer, type VllmSettings } from '../servers/vllm-server.ts';
import { openBench, type RemoteBench } from './remote-bench.ts';

const least: StepNeeds = { logprobs: false, tokens: false, seed: false };
const seeded: StepNeeds = { ...least, seed: true };

let bench: RemoteBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

async function open(settings: VllmSettings = {}): Promise<RemoteBench & { server: VllmServer }> {
  const server = await new VllmServer(settings).listen();
  bench = await openBench([server]);
  server.seen.length = 0;
  return { ...bench, server };
}

/** Four children of one expansion, seeds counted on. */
function family(
  { request }: RemoteBench,
  expansion: number,
  changes: Partial<GenerateRequest> = {},
): GenerateRequest[] {
  return [0, 1, 2, 3].map((index) => request({ index, seed: 100 * expansion + index, expansion, ...changes }));
}

const textOf = (bench: RemoteBench, id: number): string => {
  const answer = bench.answer(id);
  if (answer?.type !== 'step') throw new Error(JSON.stringify(answer));
  return answer.step.text;
};

describe('siblings on vLLM', () => {
  it('go as one request that asks for nothing that nobody reads', async () => {
    const opened = await open();
    const children = family(opened, 1, { needs: least });
    opened.engine.generate(children);
    await opened.finish(children);
    const [body, ...more] = opened.server.bodies('/v1/completions');
    expect(more).toEqual([]);
    expect(body).toMatchObject({ n: 4, stream: false, return_token_ids: true });
    expect(Object.keys(body!)).not.toContain('seed');
    expect(Object.keys(body!)).not.toContain('logprobs');
    expect(opened.inbox.filter(({ type }) => type === 'token')).toEqual([]);
  });

  it('that are turns of an agent go as one chat, and its count of the prompt is told once', async () => {
    const server = new VllmServer();
    server.drawTurn = ({ seed }) => ({ calls: [{ name: 'f', arguments: { seed } }] });
    await server.listen();
    bench = await openBench([server]);
    server.seen.length = 0;
    const prompt = { kind: 'chat', messages: [{ role: 'user', content: 'q' }], turn: { tools: [] } } as const;
    const children = family(bench, 1, { needs: seeded, prompt, maxTokens: 64 });
    bench.engine.generate(children);
    await bench.finish(children);
    expect(server.seen.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
    expect(server.seen[0]?.body).toMatchObject({ n: 4, seed: 100, stream: false });
    const seeds = children.map(({ id }) => JSON.parse(turnIn(textOf(bench!, id))!.calls[0]!.arguments).seed);
    expect(seeds).toEqual([100, 101, 102, 103]);
    const usages = children
      .map(({ id }) => bench!.answer(id))
      .flatMap((each) => (each && 'usage' in each ? each.usage! : []));
    const counted = Math.ceil(JSON.stringify(prompt.messages).length / 4);
    expect(usages.map(({ computedTokens, cachedTokens }) => computedTokens + cachedTokens)).toEqual(
      Array(4).fill(counted),
    );
    expect(usages.at(-1)?.computedTokens).toBe(counted);
  });

  it.each([64, 2048])('are the same children as alone, the prompt counted once (%d tokens)', async (maxTokens) => {
    const opened = await open();
    const shared = family(opened, 1, { needs: seeded, maxTokens });
    opened.engine.generate(shared);
    await opened.finish(shared);
    const alone = family(opened, 1, { needs: seeded, search: 'again' });
    for (const child of alone) {
      opened.engine.generate([child]);
      await opened.finish([child]);
    }
    expect(alone.map(({ id }) => textOf(opened, id))).toEqual(shared.map(({ id }) => textOf(opened, id)));
    const usages = shared.map(({ id }) => opened.answer(id)!).map((each) => 'usage' in each && each.usage!);
    const prompt = (opened.server.bodies('/v1/completions')[0]!.prompt as number[]).length;
    for (const { id } of shared) {
      const answer = opened.answer(id);
      if (answer?.type !== 'step') throw new Error('no step');
      expect(answer.usage.generatedTokens).toBe(answer.step.tokenIds!.length);
    }
    expect(usages.reduce((sum, each) => sum + (each ? each.computedTokens : 0), 0)).toBe(prompt);
  });

  it('do not share where seeds count and do not follow each other, nor across expansions, nor at temperature 0', async () => {
    const opened = await open();
    const scattered = family(opened, 1, { needs: seeded }).map((each) => ({ ...each, seed: each.seed * 2 }));
    const strands = [5, 6, 7].flatMap((expansion) => family(opened, expansion, { needs: least }).slice(0, 1));
    const greedy = family(opened, 8, { needs: least, sampling: { temperature: 0 } });
    const requests = [...scattered, ...strands, ...greedy];
    opened.engine.generate(requests);
    await opened.finish(requests);
    expect(opened.server.bodies('/v1/completions').map(({ n }) => n)).toEqual(requests.map(() => 1));
    expect(opened.server.bodies('/v1/completions').every(({ stream }) => stream === false)).toBe(true);
  });

  it('end one by one where they are long, and one that was cancelled is charged at its own end', async () => {
    const opened = await open();
    const gates = new Map<number, () => void>();
    opened.server.pace = (token) =>
      token < 3 ? Promise.resolve() : new Promise((resolve) => gates.set(gates.size, () => resolve()));
    const children = family(opened, 1, { needs: least, maxTokens: 2048 });
    opened.engine.generate(children);
    await opened.until(() => gates.size === 4);
    opened.engine.cancel([children[0]!.id]);
    expect(opened.answer(children[0]!.id)).toBeUndefined();
    expect(opened.server.openStreams).toBe(1);
    opened.server.pace = () => Promise.resolve();
    gates.get(2)!();
    await opened.until(() => opened.answer(children[2]!.id) !== undefined);
    expect(opened.answer(children[1]!.id)).toBeUndefined();
    expect(opened.engine.load().runningSequences).toBe(3);
    for (const gate of gates.values()) gate();
    await opened.finish(children);
    const charged = opened.answer(children[0]!.id);
    expect(charged).toMatchObject({ type: 'fault', fault: { code: 'cancelled' } });
    expect(charged?.usage?.generatedTokens).toBeGreaterThan(3);
    expect(opened.engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('are aborted when all are cancelled, and charged for the time that long ones ran where no token was seen', async () => {
    const opened = await open();
    const before = family(opened, 1, { needs: least, maxTokens: 2048 });
    opened.engine.generate(before);
    await opened.until(() => before.every(({ id }) => opened.answer(id) !== undefined), 5);
    opened.server.pace = () => new Promise(() => {});
    const children = family(opened, 2, { needs: least, maxTokens: 2048 });
    opened.engine.generate(children);
    await opened.until(() => opened.server.generating === 4);
    opened.timers.advance(5000);
    opened.engine.cancel(children.map(({ id }) => id));
    await opened.until(() => opened.server.openStreams === 0);
    for (const { id } of children) {
      const answer = opened.answer(id);
      expect(answer).toMatchObject({ type: 'fault', fault: { code: 'cancelled' } });
      expect(answer?.usage?.generatedTokens).toBeGreaterThan(0);
    }
  });
});

describe('siblings in one piece', () => {
  it('are those that are neither long nor read as they grow', async () => {
    const opened = await open();
    const whole = family(opened, 1, { needs: seeded });
    const long = family(opened, 2, { needs: seeded, maxTokens: 2048 });
    const watched = family(opened, 3, { needs: { ...seeded, tokens: true } });
    const requests = [...whole, ...long, ...watched];
    opened.engine.generate(requests);
    await opened.finish(requests);
    expect(requests.map(({ id }) => opened.answer(id)?.type)).toEqual(requests.map(() => 'step'));
    const bodies = opened.server.bodies('/v1/completions');
    expect(bodies.map(({ n, stream, stream_interval: every }) => [n, stream, every])).toEqual([
      [4, false, undefined],
      [4, true, 256],
      [4, true, undefined],
    ]);
  });

  it('are all answered at the end, those that were cancelled with their own tokens', async () => {
    const opened = await open();
    const gates: (() => void)[] = [];
    opened.server.pace = (token) =>
      token < 3 ? Promise.resolve() : new Promise((resolve) => gates.push(() => resolve()));
    const children = family(opened, 1, { needs: seeded });
    opened.engine.generate(children);
    await opened.until(() => gates.length === 4);
    opened.engine.cancel([children[1]!.id]);
    expect(opened.answer(children[1]!.id)).toBeUndefined();
    expect(opened.server.openStreams).toBe(1);
    opened.server.pace = () => Promise.resolve();
    for (const gate of gates) gate();
    await opened.finish(children);
    const [first, dropped, ...others] = children.map(({ id }) => opened.answer(id)!);
    expect(dropped).toMatchObject({ type: 'fault', fault: { code: 'cancelled' } });
    expect([first, ...others].map((each) => each?.type)).toEqual(['step', 'step', 'step']);
    const prompt = (opened.server.bodies('/v1/completions')[0]!.prompt as number[]).length;
    const usages = [first, dropped, ...others].flatMap((each) => (each && 'usage' in each && each.usage) || []);
    expect(usages.reduce((sum, each) => sum + each.computedTokens, 0)).toBe(prompt);
    expect(usages.every(({ generatedTokens }) => generatedTokens > 3)).toBe(true);
    expect(opened.engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('are aborted when all are cancelled, and charged for the time they ran', async () => {
    const opened = await open();
    const before = family(opened, 1, { needs: seeded });
    opened.engine.generate(before);
    await opened.until(() => before.every(({ id }) => opened.answer(id) !== undefined), 5);
    opened.server.pace = () => new Promise(() => {});
    const children = family(opened, 2, { needs: seeded });
    opened.engine.generate(children);
    await opened.until(() => opened.server.generating === 4);
    opened.timers.advance(5000);
    opened.engine.cancel(children.map(({ id }) => id));
    await opened.until(() => opened.server.openStreams === 0);
    for (const { id } of children) {
      const answer = opened.answer(id);
      expect(answer).toMatchObject({ type: 'fault', fault: { code: 'cancelled' } });
      expect(answer?.usage?.generatedTokens).toBeGreaterThan(0);
    }
    expect(opened.engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('time a decode step by the longest of them', async () => {
    class OneLong extends VllmServer {
      protected override draw(...[prompt, seed, temperature, mischief]: Parameters<VllmServer['draw']>) {
        return super.draw(prompt, seed, temperature, mischief).slice(0, seed === 102 ? 8 : 2);
      }
    }
    const server = await new OneLong().listen();
    bench = await openBench([server]);
    const { timers, engine, finish } = bench;
    server.pace = async (token) => {
      if (token > 0) timers.advance(10);
    };
    const children = family(bench, 1, { needs: seeded });
    engine.generate(children);
    await finish(children);
    const passedMs = 10 * (7 + 1 + 1 + 1);
    expect(engine.load().stepMs).toBeCloseTo(passedMs / 8, 6);
  });

  it.each([{}, { ignoresSiblings: true }])('%o leave out token ids that nothing continues', async (settings) => {
    const opened = await open(settings);
    const children = family(opened, 1, { needs: { ...seeded, ids: false } });
    opened.engine.generate(children);
    await opened.finish(children, 20);
    const steps = children.map(({ id }) => opened.answer(id)).flatMap((each) => (each?.type === 'step' ? each : []));
    expect(steps.map(({ step }) => step.tokenIds)).toEqual(children.map(() => undefined));
    for (const { step, usage } of steps) expect(usage.generatedTokens).toBe(step.tokens);
    const counted = steps.reduce((sum, { step }) => sum + step.tokens, 0);
    expect(Math.abs(counted - 4 * 9)).toBeLessThanOrEqual(2);
    expect(opened.server.bodies('/v1/completions').every(({ return_token_ids: ids }) => ids === false)).toBe(true);
  });

  it('are all drawn again when their answer is cut', async () => {
    const opened = await open();
    let first = true;
    opened.server.mischief = () => {
      const mischief = first ? ({ type: 'cut', afterTokens: 2 } as const) : ({ type: 'none' } as const);
      first = false;
      return mischief;
    };
    const children = family(opened, 1, { needs: seeded });
    opened.engine.generate(children);
    await opened.finish(children, 100);
    expect(children.map(({ id }) => opened.answer(id)?.type)).toEqual(children.map(() => 'step'));
    expect(opened.server.bodies('/v1/completions').map(({ n }) => n)).toEqual([4, 4]);
  });

  it('leave one that is blank behind, which is drawn again alone', async () => {
    class OneBlank extends VllmServer {
      protected override draw(...[prompt, seed, temperature, mischief]: Parameters<VllmServer['draw']>) {
        return super.draw(prompt, seed, temperature, seed === 102 ? { type: 'blank' } : mischief);
      }
    }
    const server = await new OneBlank().listen();
    bench = await openBench([server]);
    server.seen.length = 0;
    const children = family(bench, 1, { needs: seeded });
    bench.engine.generate(children);
    await bench.finish(children);
    for (const { id } of children) expect(textOf(bench, id).trim()).not.toBe('');
    expect(server.bodies('/v1/completions').map(({ n, stream }) => [n, stream])).toEqual([
      [4, false],
      [1, false],
    ]);
    expect(bench.engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });
});

describe('a sibling that is drawn again', () => {
  /** The first child's first draw is blank, at once; everything else stands still behind its second token. */
  class BlankServer extends VllmServer {
    readonly gates: (() => void)[] = [];
    override pace = (token: number): Promise<void> =>
      token < 2 ? Promise.resolve() : new Promise((resolve) => this.gates.push(resolve));

    protected override draw(...[prompt, seed, temperature, mischief]: Parameters<VllmServer['draw']>) {
      return super.draw(prompt, seed, temperature, seed === 100 ? { type: 'blank' } : mischief);
    }

    goOn(): void {
      this.pace = () => Promise.resolve();
      for (const gate of this.gates) gate();
    }
  }

  async function openBlank() {
    const server = await new BlankServer().listen();
    bench = await openBench([server]);
    server.seen.length = 0;
    const [first, second] = family(bench, 1, { needs: seeded, maxTokens: 2048 });
    return { ...bench, server, first: first!, second: second! };
  }

  it('is not waited for in its old request, which ends when its last other child is cancelled', async () => {
    const { engine, server, first, second, until, answer, finish } = await openBlank();
    engine.generate([first, second]);
    await until(() => server.openStreams === 2);
    engine.cancel([second.id]);
    expect(answer(second.id)).toMatchObject({ type: 'fault', fault: { code: 'cancelled' } });
    await until(() => server.openStreams === 1);
    expect(answer(first.id)).toBeUndefined();
    server.goOn();
    await finish([first]);
    expect(answer(first.id)?.type).toBe('step');
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('leaves no cancelled sibling running behind it', async () => {
    const { engine, server, first, second, until, answer, finish } = await openBlank();
    const [held, pace] = [Promise.withResolvers<void>(), server.pace];
    server.pace = (token) => (token === 0 ? held.promise : pace(token));
    engine.generate([first, second]);
    await until(() => server.generating === 2);
    engine.cancel([second.id]);
    expect(answer(second.id)).toBeUndefined();
    server.pace = pace;
    held.resolve();
    await until(() => answer(second.id) !== undefined);
    expect(answer(first.id)).toBeUndefined();
    await until(() => server.openStreams === 1);
    server.goOn();
    await finish([first]);
    expect(answer(first.id)?.type).toBe('step');
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });
});

describe('a single sequence that nobody watches', () => {
  it('comes whole from vLLM and SGLang', async () => {
    for (const server of [new VllmServer(), new SglangServer()]) {
      await server.listen();
      bench = await openBench([server]);
      const one = bench.request({ needs: least });
      bench.engine.generate([one]);
      await bench.finish([one]);
      expect(server.seen.at(-1)!.body).toMatchObject({ stream: false });
      expect(bench.answer(one.id)).toMatchObject({ type: 'step' });
      await bench.close();
      bench = undefined;
    }
  });

  it('is tried again when its answer is cut', async () => {
    const opened = await open();
    let first = true;
    opened.server.mischief = () => {
      const mischief = first ? ({ type: 'cut', afterTokens: 2 } as const) : ({ type: 'none' } as const);
      first = false;
      return mischief;
    };
    const one = opened.request({ needs: least });
    opened.engine.generate([one]);
    await opened.finish([one], 100);
    expect(opened.answer(one.id)?.type).toBe('step');
  });
});

describe('a server that refuses', () => {
  it.each([
    [{ refuses: ['n'] as const }, 64],
    [{ ignoresSiblings: true }, 64],
    [{ refuses: ['n'] as const }, 2048],
    [{ ignoresSiblings: true }, 2048],
  ])('%o, asked for %d tokens, gets siblings singly from then on', async (settings, maxTokens) => {
    const opened = await open(settings);
    for (const expansion of [1, 2, 3]) {
      const children = family(opened, expansion, { needs: seeded, maxTokens });
      opened.engine.generate(children);
      await opened.finish(children, 20);
      expect(children.map(({ id }) => opened.answer(id)?.type)).toEqual(children.map(() => 'step'));
    }
    const asked = opened.server.bodies('/v1/completions').map(({ n }) => n);
    expect(asked.filter((n) => n === 4).length).toBe(1);
    expect(opened.events).toEqual([
      { type: 'replica-refuses', url: opened.server.url, reason: 'refuses n: siblings go as single requests' },
    ]);
  });

  it('log probabilities gives steps without them, and says so once', async () => {
    const opened = await open({ refuses: ['logprobs'] });
    const children = family(opened, 1);
    opened.engine.generate(children);
    await opened.finish(children);
    for (const { id } of children) expect(opened.answer(id)).toMatchObject({ type: 'step', step: { meanLogprob: 0 } });
    expect(opened.engine.capabilities.logprobs).toBe(false);
    expect(opened.events.map(({ type }) => type)).toEqual(['replica-refuses']);
  });
});

describe('two replicas', () => {
  it('of which one dies in the middle of shared requests lose nothing and double nothing', async () => {
    const vocabulary = new Vocabulary();
    const servers = [new VllmServer({ vocabulary }), new VllmServer({ vocabulary })];
    for (const server of servers) await server.listen();
    bench = await openBench(servers);
    const opened = bench;
    servers[0]!.mischief = () => ({ type: 'die', afterTokens: 4 });
    const children = Array.from({ length: 12 }, (_, at) =>
      family(opened, at + 1, { needs: seeded, search: `search-${at}` }),
    ).flat();
    opened.engine.generate(children);
    await opened.finish(children, 20);
    expect(children.map(({ id }) => opened.answer(id)?.type)).toEqual(children.map(() => 'step'));
    expect(opened.events.map(({ type }) => type)).toEqual(['replica-down']);
  });

  it('of different speed share the work by what each can take', async () => {
    const vocabulary = new Vocabulary();
    const [slow, fast] = [new VllmServer({ vocabulary }), new VllmServer({ vocabulary })];
    for (const server of [slow, fast]) await server.listen();
    bench = await openBench([slow, fast], { inFlight: 8 });
    const opened = bench;
    slow.pace = () => new Promise((resolve) => setTimeout(resolve, 2));
    const open = new Set<GenerateRequest[]>();
    for (let search = 1; search <= 60; search += 1) {
      const children = family(opened, search, { needs: least, search: `search-${search}` });
      open.add(children);
      opened.engine.generate(children);
      const isDone = (each: GenerateRequest[]): boolean => each.every(({ id }) => opened.answer(id) !== undefined);
      await opened.until(() => open.size < 4 || [...open].some(isDone));
      for (const each of [...open].filter(isDone)) open.delete(each);
    }
    await opened.finish([...open].flat());
    expect(fast.tokensWritten).toBeGreaterThan(1.5 * slow.tokensWritten);
  });
});
