// Made-up answers against all code that asks a server: whatever the answer, each request ends once, in a result or a fault. An uncaught error
// fails the test run.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FaultError } from '../../packages/core/src/base/fault.ts';
import { Random } from '../../packages/core/src/base/random.ts';
import { openEndpoint } from '../../packages/core/src/embedder/embeddings-endpoint.ts';
import type { EngineMessage } from '../../packages/core/src/engine/engine.ts';
import { isAnswer } from '../../packages/core/src/engine/engine.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import { openRemoteVerifier, type RemoteVerifierKind } from '../../packages/core/src/verifier/remote/open-verifier.ts';
import type { VerifierMessage } from '../../packages/core/src/verifier/verifier.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { MadeUpServer } from '../servers/made-up-server.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { startEmbeddings } from './embeddings-server.ts';
import { ManualTimers } from './manual-timers.ts';
import { generateRequest } from './requests.ts';

const servers: Readonly<Record<string, () => TestServer>> = {
  vllm: () => new VllmServer(),
  sglang: () => new SglangServer(),
  'llama-server': () => new LlamaTestServer(),
  openai: () => new PlainServer(),
};

const generating = /^\/(v1\/(chat\/)?completions|generate|completion)$/;
const scoring = /^\/(pooling|v1\/(chat\/)?completions|generative_scoring|v1\/score|completion|score|tokenize)$/;

/** Numbers of results, of each fault, and of answers made up. */
export interface MadeUpOutcome {
  /** All kinds by default. */
  readonly kinds?: readonly string[];
  readonly ends: Map<string, number>;
  answers: number;
}

interface Honest {
  readonly url: string;
  close(): Promise<void>;
}

type Trial = (count: number, seed: number, outcome: MadeUpOutcome) => Promise<void>;

export const trials: Readonly<Record<string, Trial>> = {
  ...Object.fromEntries(Object.keys(servers).map((name) => [`engine of ${name}`, generation(name)])),
  ...Object.fromEntries(Object.keys(servers).map((name) => [`opening ${name}`, opening(name)])),
  'scorer qwen-prm': scorer('qwen-prm', 'vllm'),
  'scorer rlhflow on vllm': scorer('rlhflow', 'vllm'),
  'scorer rlhflow on sglang': scorer('rlhflow', 'sglang'),
  'scorer rlhflow on llama-server': scorer('rlhflow', 'llama-server'),
  'scorer http': scorer('http', startOwnScorer, '/score'),
  judge: scorer('judge', 'openai'),
  embedder,
};

async function madeUp(
  honest: Honest,
  isSpoiled: (path: string) => boolean,
  seed: number,
  outcome: MadeUpOutcome,
  use: (url: string, made: () => number) => Promise<void>,
): Promise<void> {
  const server = await new MadeUpServer(honest.url, isSpoiled, new Random('made-up', seed), outcome.kinds).listen();
  const made = () => [...server.made.values()].reduce((sum, each) => sum + each, 0);
  try {
    await use(server.url, made);
  } finally {
    outcome.answers += made();
    await server.close();
    await honest.close();
  }
}

function tell({ ends }: MadeUpOutcome, end: string): void {
  ends.set(end, (ends.get(end) ?? 0) + 1);
}

/** Advances sockets and the clock: requests that hang are given up, and servers that were taken out are asked again. */
async function pass(timers: ManualTimers, holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => setImmediate(resolve));
    timers.advance(20);
  }
}

async function settled<Result>(timers: ManualTimers, promise: Promise<Result>): Promise<Result> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  promise.then(over, over);
  await pass(timers, () => isOver);
  return promise;
}

function generation(name: string): Trial {
  return async (count, seed, outcome) => {
    const honest = await servers[name]!().listen();
    await madeUp(
      honest,
      (path) => generating.test(path),
      seed,
      outcome,
      async (url, made) => {
        const timers = new ManualTimers();
        const dialect = name as 'vllm';
        const options = { servers: [{ url }], dialect, model: honest.model, timers, attempts: 1, patienceMs: 60_000 };
        // Opening asks vLLM for a token, and that answer may be made up.
        const open = () => settled(timers, openRemoteEngine(options)).catch(() => undefined);
        let opened = await open();
        while (opened === undefined) opened = await open();
        const answered = new Map<number, EngineMessage>();
        opened.connect((message) => {
          if (!isAnswer(message)) return;
          if (answered.has(message.request)) throw new Error(`request ${message.request} was answered twice`);
          answered.set(message.request, message);
        });
        const chance = new Random('asked', seed);
        for (let id = 1; made() < count; id += 1) {
          const needs = { logprobs: true, tokens: chance.integer(2) === 0, seed: true, pieces: true };
          const prompt = { kind: 'chat', messages: [{ role: 'user', content: 'How many?' }] } as const;
          const maxTokens = 1 + chance.integer(40);
          opened.generate([generateRequest(id, { prompt, maxTokens, delimiters: ['\n\n', '\n'], needs })]);
          await pass(timers, () => answered.has(id));
          const message = answered.get(id)!;
          if (message.type === 'fault') tell(outcome, message.fault.code);
          else if (message.type === 'step') {
            tell(outcome, 'step');
            const { text } = message.step;
            if (text.length > 256 + 64 * maxTokens && message.step.thought === undefined && name === 'openai')
              throw new Error(`${text.length} characters for ${maxTokens} tokens`);
          }
        }
        await opened.close();
      },
    );
  };
}

function opening(name: string): Trial {
  return async (count, seed, outcome) => {
    await madeUp(
      await servers[name]!().listen(),
      () => true,
      seed,
      outcome,
      async (url, made) => {
        while (made() < count) {
          const timers = new ManualTimers();
          const end = await settled(timers, openRemoteEngine({ servers: [{ url }], timers })).then(
            (engine) => engine.close().then(() => 'opened'),
            codeOf,
          );
          tell(outcome, end);
        }
      },
    );
  };
}

/** A scorer that gives every item the same reward. */
async function startOwnScorer(): Promise<Honest> {
  const server = createServer(async (request, response) => {
    // A look at its address has an empty body.
    const { items } = JSON.parse((await text(request)) || '{"items":[]}') as { readonly items: readonly unknown[] };
    response.end(JSON.stringify({ rewards: items.map(() => 0.5) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

function scorer(kind: RemoteVerifierKind, which: string | (() => Promise<Honest>), path = ''): Trial {
  return async (count, seed, outcome) => {
    const honest = await (typeof which === 'string' ? servers[which]!().listen() : which());
    await madeUp(
      honest,
      (asked) => scoring.test(asked),
      seed,
      outcome,
      async (url, made) => {
        while (made() < count) {
          const timers = new ManualTimers();
          const options = { kind, servers: [{ url: `${url}${path}` }], timers, attempts: 1, patienceMs: 60_000 };
          const verifier = await settled(timers, openRemoteVerifier(options)).catch((error: unknown) => {
            tell(outcome, codeOf(error));
            return undefined;
          });
          if (verifier === undefined) continue;
          const answered = new Map<number, VerifierMessage>();
          verifier.connect((message) => {
            if (message.type === 'score' || message.type === 'fault') answered.set(message.request, message);
          });
          const step = { text: '3 + 4 = 7.\n\n', tokens: 4, meanLogprob: -0.5, end: 'delimiter' } as const;
          const prompt = { kind: 'chat', messages: [{ role: 'user', content: 'How many?' }] } as const;
          const asked = { search: 's', prompt, parent: 0, path: [], index: 0, step, lane: 'primary' } as const;
          for (let id = 1; id <= 8 && made() < count; id += 1) {
            verifier.score([{ ...asked, id, priority: 0, step: { ...step, text: `${id} is right.\n\n` } }]);
            await pass(timers, () => answered.has(id));
            const message = answered.get(id)!;
            tell(outcome, message.type === 'fault' ? message.fault.code : 'score');
          }
          await verifier.close();
        }
      },
    );
  };
}

async function embedder(count: number, seed: number, outcome: MadeUpOutcome): Promise<void> {
  const honest = await startEmbeddings((text) => [text.length, 1, 2]);
  await madeUp(
    honest,
    () => true,
    seed,
    outcome,
    async (url, made) => {
      while (made() < count) {
        const timers = new ManualTimers();
        const opened = openEndpoint({ url, timeoutMs: 10_000, timers });
        let end: string | undefined;
        opened.connect((message) => {
          end = message.type === 'fault' ? message.fault.code : message.type;
        });
        opened.embed([{ id: 1, text: 'seven' }]);
        await pass(timers, () => end !== undefined);
        tell(outcome, end!);
        await opened.close();
      }
    },
  );
}

/** Only faults have a code. */
function codeOf(error: unknown): string {
  if (error instanceof FaultError) return error.fault.code;
  throw error;
}
