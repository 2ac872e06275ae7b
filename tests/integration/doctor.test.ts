// `coppice doctor` against servers that speak each protocol: what a stranger reads, and what is refused.

import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../packages/coppice/src/cli/commands/doctor/doctor.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { startEmbeddings } from '../support/embeddings-server.ts';

const open: TestServer[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of open.splice(0)) await server.close();
});

async function serve<Server extends TestServer>(server: Server): Promise<Server> {
  open.push(server);
  await server.listen();
  return server;
}

function questionFile(lines: readonly object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'doctor-')), 'questions.jsonl');
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  return file;
}

async function doctor(...args: string[]): Promise<{ readonly status: number; readonly text: string }> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const status = await run(args);
  return { status, text: lines.join('\n') };
}

describe('coppice doctor', () => {
  it('tells each dialect, its version and its model', async () => {
    const servers = [new VllmServer(), new SglangServer(), new LlamaTestServer(), new PlainServer()];
    const names = ['vllm 0.28.0', 'sglang 0.5.18', 'llama-server b10586-test', 'openai'];
    for (const [at, server] of servers.entries()) {
      await serve(server);
      const { status, text } = await doctor('--engine', server.url, '--seconds', '0');
      expect(text).toContain(`engine ${server.url}: ${names[at]}, model 'test-model'`);
      expect(status).toBe(0);
    }
  });

  it('says in one line that other users can read the journal of this folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'journal.db'), '', { mode: 0o644 });
    vi.stubEnv('COPPICE__JOURNAL__PATH', join(folder, 'journal.db'));
    const server = await serve(new PlainServer());
    const { text } = await doctor('--engine', server.url, '--seconds', '0');
    expect(text).toContain(`! other users of this machine can read ${join(folder, 'journal.db')}`);
    vi.unstubAllEnvs();
  });

  it('warns of a prefix cache that is off and of a short context', async () => {
    const server = await serve(new VllmServer({ prefixCaching: false, contextTokens: 1000, tokenDetails: false }));
    const { text } = await doctor('--engine', server.url, '--seconds', '0');
    expect(text).toContain('! its prefix cache is off');
    expect(text).toContain('! 1000 tokens of context');
    expect(text).toContain('--enable-prompt-tokens-details');
  });

  it('asks the model that judges by its name, where one server has both', async () => {
    const server = await serve(new VllmServer());
    const both = ['--engine', server.url, '--verifier', server.url, '--kind', 'math-shepherd', '--seconds', '0'];
    const wrong = await doctor(...both, '--set', 'verifier.model=verdict');
    expect([wrong.status, wrong.text]).toEqual([1, expect.stringContaining("'verdict'")]);
    expect((await doctor(...both, '--set', 'verifier.model=test-model')).text).toContain('math-shepherd');
  });

  it('warns of one SGLang that generates and scores, and of no other server', async () => {
    for (const server of [await serve(new SglangServer()), await serve(new VllmServer())]) {
      const both = ['--engine', server.url, '--verifier', server.url, '--kind', 'math-shepherd', '--seconds', '0'];
      const { text } = await doctor(...both);
      expect(text.includes('! one SGLang as generator and as reward model')).toBe(server instanceof SglangServer);
    }
  });

  it('measures a curve and names its knee', async () => {
    const server = await serve(new LlamaTestServer({ slots: 4 }));
    const { text } = await doctor('--engine', server.url, '--seconds', '1');
    expect(text).toMatch(/knee at [124] sequences/);
    expect(server.mostAtOnce).toBeLessThanOrEqual(4);
  });

  it('measures a vLLM as searches ask it, in whole answers beside the server alone, and names the flags that matter', async () => {
    const server = await serve(new VllmServer());
    const { text } = await doctor('--engine', server.url, '--seconds', '1');
    expect(text).toMatch(
      /\d\.\d\d of the server's own speed reaches coppice: \d+ of \d+ tokens per s in whole answers/,
    );
    expect(text).toContain('--stream-interval');
    const bodies = server.bodies('/v1/completions').filter((body) => body.max_tokens !== 1);
    const waves = bodies.filter(({ n }) => n === 4);
    expect(waves.length).toBeGreaterThan(0);
    expect([...waves].every((body) => !('logprobs' in body) && !('seed' in body))).toBe(true);
    expect(bodies.some(({ max_tokens, n = 1 }) => max_tokens === 512 && n === 1)).toBe(true);
  });

  it('examines the reward model by scoring right and wrong steps', async () => {
    const server = await serve(new VllmServer());
    const { text } = await doctor('--engine', server.url, '--verifier', server.url, '--seconds', '0');
    expect(text).toContain('! vLLM computes question and steps anew for every score');
    expect(text).toMatch(/right steps from wrong ones/);
    expect(text).toContain('aggregated by product: negative exits and the bound hold');
  });

  it('examines an embedding model by answers that say the same and that do not', async () => {
    const { url } = await serve(new PlainServer());
    const embeddings = await startEmbeddings((text) => (text.includes('disk') ? [1, 0.1] : [0, 1]));
    const examine = () => doctor('--engine', url, '--seconds', '0', '--embedder', embeddings.url);
    expect((await examine()).text).toMatch(
      /embedder at .*\n {2}\+ two answers that say the same are 1.00 near, two that do not 0.10/,
    );
    embeddings.how = 'fail';
    const { status, text } = await examine();
    expect([status, text.includes('"broken"')]).toEqual([1, true]);
    await embeddings.close();
    await expect(doctor('--set', 'embedder.model=m')).rejects.toThrow('belongs to --embedder URL, which is not given');
  });

  it('says whether a tree pays, with the reward model that a setting names', async () => {
    const server = await serve(new VllmServer());
    const file = questionFile([
      { question: 'How many eggs are in 3 boxes of 12?', answer: '36' },
      { question: 'How many legs have 4 cats?', answer: '#### 16' },
      { question: 'What is the meaning of it all?' },
    ]);
    const reward = ['--verifier', server.url, '--kind', 'math-shepherd', '--set', 'verifier.model=test-model'];
    const few = ['--questions', file, '--rollouts', '2', '--seconds', '0'];
    const { text } = await doctor('--engine', server.url, ...reward, ...few);
    expect(text).toContain('does a tree pay? 2 questions: questions.jsonl (of 3: the others have no known answer)');
    expect(text).toContain('2 questions answered by all');
    expect(text).toMatch(/\n {2}best-first, (safe|positive) +0\.0 %/);
    expect(text).toMatch(/\nnothing can be said: none of the 2 questions was answered right/);
    const { comparison } = JSON.parse((await doctor('--engine', server.url, ...reward, ...few, '--json')).text);
    expect(comparison).toMatchObject({ questions: 2, samples: 2, failed: 0, advice: { kind: 'unsuitable' } });
    expect(comparison.equalCost.length).toBe(3);
    await expect(doctor('--engine', server.url, ...few, '--set', 'verifier.model=m')).rejects.toThrow(
      "this one is 'confidence'",
    );
  });

  it('says what it cannot say without known answers, and where the answer lies', async () => {
    const server = await serve(new VllmServer());
    const file = questionFile([{ question: 'Why?' }]);
    const { status, text } = await doctor('--engine', server.url, '--seconds', '0', '--questions', file);
    expect(text).toContain('questions.jsonl has no known answers, so doctor cannot say how often the model is right');
    expect(status).toBe(0);
    expect((await doctor('--engine', server.url, '--seconds', '0')).text).toContain(
      'whether a tree pays on this model: --questions FILE',
    );
    await expect(doctor('--questions', 'no-such-file', '--seconds', '0')).rejects.toThrow('cannot read no-such-file');
  });

  it('tells what is wrong and fails, without the key', async () => {
    const server = await serve(new VllmServer({ apiKey: 'right-key' }));
    vi.stubEnv('DOCTOR_KEY', 'wrong-key-77');
    const { status, text } = await doctor('--engine', server.url, '--key-env', 'DOCTOR_KEY', '--seconds', '0');
    expect(status).toBe(1);
    expect(text).toContain('set apiKey');
    expect(text).not.toContain('wrong-key-77');
    await expect(doctor('--engine', server.url, '--key-env', 'NO_SUCH_KEY')).rejects.toThrow(
      /NO_SUCH_KEY, which is to hold a key, is not set/,
    );
    await expect(doctor('--kind', 'x')).rejects.toThrow(/--kind is 'x'/);
    await expect(doctor('--nonsense')).rejects.toThrow(/nonsense/);
  });

  it('prints one object with --json', async () => {
    const server = await serve(new PlainServer());
    const { text } = await doctor('--engine', server.url, '--seconds', '0', '--json');
    expect(JSON.parse(text).sections[0].findings.length).toBeGreaterThan(3);
  });
});
