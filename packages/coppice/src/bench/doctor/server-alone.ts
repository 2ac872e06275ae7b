// Asks a server for whole answers without coppice, by single plain requests, as many in flight as is said.

import { dialects, render, type ServerFacts } from '@coppice/core/engine';
import type { Connection } from '@coppice/core/remote';
import type { Prompt } from '@coppice/core/tree';

export interface PlainServer {
  readonly connection: Connection;
  readonly facts: ServerFacts;
}

/** Only servers that give whole answers can be asked plainly. */
export function givesWhole({ dialect }: ServerFacts): boolean {
  return dialects[dialect].givesWhole;
}

interface PlainLoad {
  readonly prompts: readonly Prompt[];
  readonly inFlight: number;
  readonly maxTokens: number;
  /** Ends it: what is in flight is given up. */
  readonly signal: AbortSignal;
  /** Counts what the answers bring. */
  readonly totals: { tokens: number };
}

export async function askPlainly({ connection, facts }: PlainServer, load: PlainLoad): Promise<void> {
  const { prompts, inFlight, maxTokens, signal, totals } = load;
  const dialect = dialects[facts.dialect];
  const tokenIds = await Promise.all(prompts.map((prompt) => render(prompt, { connection, dialect, facts })));
  let asked = 0;
  const one = async (at: number): Promise<void> => {
    const call = {
      name: `doctor-${String(at).padStart(6, '0')}-${performance.now().toFixed(3)}`,
      prompt: prompts[at % prompts.length]!,
      tokenIds: tokenIds[at % prompts.length]!,
      pathText: '',
      siblings: 1,
      sampling: { temperature: 1 },
      seed: undefined,
      logprobs: false,
      delivery: 'whole',
      stops: [],
      maxTokens,
      lane: 'primary',
      priority: 0,
    } as const;
    const { path, body } = dialect.encode(call, facts);
    const answer = await connection.json('POST', path, body, { timeoutMs: 120_000, signal });
    for (const { tokenIds: ids = [] } of dialect.decode(answer, call)) totals.tokens += ids.length;
  };
  const strand = async (): Promise<void> => {
    while (!signal.aborted) {
      asked += 1;
      await one(asked);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: inFlight }, strand));
  const failed = ended.find((each) => each.status === 'rejected');
  if (!signal.aborted && failed !== undefined) throw failed.reason;
}
