// Tests on the user's server, with any model: the protocol, the cache, aborts, priorities and, if a scorer is named too, its scores.
// Figures are printed beside the verdicts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run as rehearse } from '../../lab/src/commands/rehearse.ts';
import type { GenerateRequest } from '../../packages/core/src/engine/engine.ts';
import { probe } from '../../packages/core/src/engine/remote/dialect/probe.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import { Connection } from '../../packages/core/src/remote/connection.ts';
import { nodeKey, rootKey } from '../../packages/core/src/tree/keys.ts';
import { engineConformance } from './conformance.ts';
import { OwnEngine, requestOf, runningOn } from './own-engine.ts';
import { scoresAgree } from './own-scorer.ts';

export interface OwnServer {
  readonly name: string;
  readonly url: string | undefined;
  /** A causal reward model behind the same kind of server. */
  readonly scorer?: string | undefined;
  /** Most sequences that it runs, if it does not report that itself. */
  readonly running?: number;
}

export function ownServer({ name, url, scorer, running = 1024 }: OwnServer): void {
  if (url === undefined) {
    describe.skip(`a ${name} of yours: none is named`, () => it('is not tried', () => {}));
    return;
  }
  engineConformance(`a ${name} of yours`, async () => {
    const engine = await openRemoteEngine({ servers: [{ url }] });
    const content = 'Tom has 3 boxes of 4 apples and eats 2. How many are left? Think step by step.';
    return {
      engine,
      work: () => new Promise((resolve) => setTimeout(resolve, 2)),
      close: () => engine.close(),
      prompt: { kind: 'chat', messages: [{ role: 'user', content }] },
      delimiters: ['\n\n'],
      maxTokens: 128,
    };
  });
  describe(`a ${name} of yours`, { timeout: 120_000 }, () => {
    wireTests(url);
    queueTests(url, running);
    it.skipIf(scorer === undefined)('scores steps as the next token of the same model would', () =>
      scoresAgree(scorer!),
    );
    // One SGLang cannot do both: docs/remote-engines.md says why.
    it.skipIf(name === 'SGLang' && (scorer ?? url) === url)(
      'holds a rehearsal of three searches, with a reward model',
      () => rehearsed(url, scorer ?? url),
    );
  });
}

function wireTests(url: string): void {
  it('writes as many tokens as it is told to, for siblings in one request as well', async () => {
    const own = await OwnEngine.open(url);
    const answers = await own.answers([0, 1, 2, 3].map((id) => requestOf(id, { expansion: 7 })));
    await own.close();
    expect(answers.map(({ request }) => request).sort()).toEqual([0, 1, 2, 3]);
    for (const { step, usage } of answers) {
      expect(step.tokens).toBe(32);
      expect(usage.generatedTokens).toBe(32);
      expect(step.meanLogprob).toBeLessThan(0);
    }
  });

  it('finds what lies above a step in its cache, at every node of a tree', async () => {
    const own = await OwnEngine.open(url);
    const children = await own.answers([0, 1, 2, 3].map((id) => requestOf(id)));
    const below = children.flatMap(({ step }, at): GenerateRequest[] => {
      const key = nodeKey(rootKey, step);
      return [0, 1, 2, 3].map((index) => requestOf(10 + 4 * at + index, { parent: key, path: [{ key, step }] }));
    });
    const usages = (await own.answers(below)).map(({ usage }) => usage);
    await own.close();
    const cached = usages.reduce((sum, each) => sum + each.cachedTokens, 0);
    const prompts = usages.reduce((sum, each) => sum + each.cachedTokens + each.computedTokens, 0);
    console.log(`of ${prompts} prompt tokens of 16 nodes, ${cached} were cached: ${(cached / prompts).toFixed(3)}`);
    for (const { cachedTokens } of usages) expect(cachedTokens).toBeGreaterThan(16);
  });
}

function queueTests(url: string, unsaid: number): void {
  it('stops at once what is cancelled', async () => {
    const connection = new Connection({ url });
    const facts = await probe(connection);
    const own = await OwnEngine.open(url);
    const requests = Array.from({ length: 32 }, (_, id) => requestOf(id, { maxTokens: 3000 }));
    own.send(requests);
    while ((await runningOn(connection, facts.dialect)) < requests.length) await pause(10);
    const startMs = performance.now();
    own.cancel(requests);
    while ((await runningOn(connection, facts.dialect)) > 0) await pause(10);
    const elapsedMs = performance.now() - startMs;
    console.log(`${requests.length} sequences cancelled: none runs after ${elapsedMs.toFixed(0)} ms`);
    await own.close();
    connection.close();
    // SGLang notices a closed connection only after two to four seconds; less shows that it got the abort.
    expect(elapsedMs).toBeLessThan(1500);
  });

  it('lets an urgent step overtake those that wait at the server', async () => {
    const connection = new Connection({ url });
    const facts = await probe(connection);
    expect(facts.priorityOrder).not.toBe('none');
    const most = facts.sequenceLimit ?? unsaid;
    const own = await OwnEngine.open(url, most + 64);
    // They end one after another, so that places become free one by one.
    const filling = Array.from({ length: most }, (_, at) => requestOf(100 + at, { maxTokens: 300 + 4 * (at % 100) }));
    own.send(filling);
    const latestMs = performance.now() + 3000;
    while ((await runningOn(connection, facts.dialect)) < most && performance.now() < latestMs) await pause(20);
    const [waiting, urgent] = [Array.from({ length: 32 }, (_, id) => requestOf(id)), requestOf(50, { priority: 1000 })];
    own.send(waiting);
    await pause(50);
    own.send([urgent]);
    const before = await own.orderOf([...waiting, urgent]);
    own.cancel(filling);
    await own.close();
    connection.close();
    console.log(`urgent: answered as number ${before.indexOf(50) + 1} of ${before.length}`);
    expect(before.indexOf(50)).toBeLessThan(16);
  });
}

async function rehearsed(url: string, verifier: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'own-server-'));
  const servers = ['--engine', url, '--verifier', verifier, '--kind', 'math-shepherd'];
  const size = ['--policy', 'positive', '--requests', '3', '--rollouts', '2', '--seconds', '60', '--anyway'];
  try {
    expect(await rehearse([...servers, ...size, '--out', join(folder, 'out.jsonl')])).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
