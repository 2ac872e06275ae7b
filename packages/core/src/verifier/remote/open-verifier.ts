// Opens a remote verifier by the name of its reward model's kind.

import { raise } from '../../base/fault.ts';
import type { DialectName, ServerFacts } from '../../engine/remote/dialect/dialect.ts';
import { probe } from '../../engine/remote/dialect/probe.ts';
import { Connection } from '../../remote/connection.ts';
import type { Transport } from '../../remote/http-transport.ts';
import { JudgeScorer } from '../judge/judge-scorer.ts';
import { causalFormatNames, causalFormats } from '../prm/causal-formats.ts';
import { CausalScorer, noProbabilities } from '../prm/causal-scorer.ts';
import { HttpScorer } from '../prm/http-scorer.ts';
import { qwenScorer } from '../prm/qwen-scorer.ts';
import type { Scorer, ScoringServer } from '../scorer.ts';
import { RemoteVerifier, type RemoteVerifierOptions } from './remote-verifier.ts';

export const remoteVerifierKinds = ['qwen-prm', ...causalFormatNames, 'http', 'judge'] as const;
export type RemoteVerifierKind = (typeof remoteVerifierKinds)[number];

export interface OpenVerifierOptions extends RemoteVerifierOptions {
  readonly kind: RemoteVerifierKind;
  /** Kind `http` takes the address of the scorer itself. */
  readonly servers: readonly { readonly url: string; readonly apiKey?: string }[];
  readonly model?: string | undefined;
  readonly dialect?: DialectName | undefined;
  /** Prompt of a judge, in the place of the shipped one. */
  readonly promptFile?: string;
  readonly timeoutMs?: number;
  readonly transport?: (url: string) => Transport;
}

export async function openRemoteVerifier(options: OpenVerifierOptions): Promise<RemoteVerifier> {
  const { kind, servers, timeoutMs = 60_000 } = options;
  if (servers.length === 0) raise('bad-setting', 'servers is empty; give at least one url');
  const scorer = scorerOf(options);
  const open: ScoringServer[] = [];
  try {
    for (const server of servers) {
      const connection = new Connection({
        ...(kind === 'http' ? { ...server, url: addressOf(server.url).origin } : server),
        timers: options.timers,
        transport: options.transport?.(server.url),
      });
      open.push({ connection, facts: undefined, timeoutMs });
      open[open.length - 1] = { connection, facts: await factsOf(connection, options), timeoutMs };
    }
  } catch (error) {
    for (const { connection } of open) connection.close();
    throw error;
  }
  return new RemoteVerifier(scorer, open, options);
}

function scorerOf(options: OpenVerifierOptions): Scorer {
  switch (options.kind) {
    case 'qwen-prm':
      return qwenScorer;
    case 'math-shepherd':
    case 'rlhflow':
    case 'plain':
      return new CausalScorer(causalFormats[options.kind]);
    case 'judge':
      return new JudgeScorer(options.promptFile);
    case 'http': {
      const { pathname, search } = addressOf(options.servers[0]!.url);
      return new HttpScorer(pathname + search, options.model, options.aggregation ?? 'product');
    }
  }
}

async function factsOf(connection: Connection, options: OpenVerifierOptions): Promise<ServerFacts | undefined> {
  if (options.kind === 'http') return undefined;
  const { model, dialect } = options;
  const facts = await probe(connection, { generates: options.kind !== 'qwen-prm', model, dialect });
  if (options.kind === 'qwen-prm' && facts.dialect !== 'vllm') {
    const remedy = 'only vLLM serves Qwen2.5-Math-PRM (vllm serve … --runner pooling)';
    raise('unsupported', `${connection.url} is ${facts.dialect}; ${remedy}`);
  }
  if (facts.dialect === 'openai' && options.kind in causalFormats) {
    raise('unsupported', `${connection.url} ${noProbabilities}`);
  }
  return facts;
}

function addressOf(url: string): URL {
  return URL.parse(url) ?? raise('bad-setting', 'url is no address; it must be like http://127.0.0.1:9000/score');
}
