// Records an engine's and a verifier's output bit by bit: every step by its path and seed, every reward by its path. Two runs of
// the same search are compared draw by draw, since an unchanged answer may hide a near miss.

import type { Engine, EngineMessage, RequestId, Verifier, VerifierMessage } from 'coppice';

/** Draws and rewards that both runs have, and how many of them differ. */
export interface ComparedBits {
  readonly compared: number;
  readonly other: number;
}

export class DrawnBits {
  readonly #places = new Map<RequestId, string>();
  #said = new Map<string, string>();

  /** The engine, overheard. */
  engine(engine: Engine): Engine {
    return {
      ...wayOf(engine),
      capabilities: engine.capabilities,
      connect: (post) => engine.connect(this.#hearing(post, stepBits)),
      generate: (requests) => {
        for (const { id, search, parent, seed } of requests) this.#places.set(id, `${search} ${parent} ${seed}`);
        engine.generate(requests);
      },
      load: () => engine.load(),
    };
  }

  verifier(verifier: Verifier): Verifier {
    return {
      ...wayOf(verifier),
      capabilities: verifier.capabilities,
      connect: (post) => verifier.connect(this.#hearing(post, rewardBits)),
      score: (requests) => {
        for (const { id, search, parent, step } of requests) this.#places.set(id, `${search} ${parent} ${step.text}`);
        verifier.score(requests);
      },
      load: () => verifier.load(),
    };
  }

  /** What was said since the last time. */
  take(): ReadonlyMap<string, string> {
    const said = this.#said;
    this.#said = new Map();
    return said;
  }

  #hearing<Message extends { readonly request: RequestId }>(
    post: (message: Message) => void,
    bitsOf: (message: Message) => string | undefined,
  ) {
    return (message: Message): void => {
      const bits = bitsOf(message);
      const place = this.#places.get(message.request);
      if (bits !== undefined && place !== undefined) this.#said.set(place, bits);
      post(message);
    };
  }
}

/** What goes through as it is. */
function wayOf(server: Pick<Engine, 'cancel' | 'update' | 'release' | 'close'>) {
  return {
    cancel: (requests: readonly RequestId[]) => server.cancel(requests),
    update: (...changed: Parameters<NonNullable<Engine['update']>>) => server.update?.(...changed),
    release: (search: string) => server.release(search),
    close: () => server.close(),
  };
}

function stepBits(message: EngineMessage): string | undefined {
  if (message.type !== 'step') return undefined;
  const { text, tokenIds = [], logprobs = [] } = message.step;
  return `${text} ${tokenIds.join()} ${logprobs.join()}`;
}

function rewardBits(message: VerifierMessage): string | undefined {
  return message.type === 'score' ? String(message.reward) : undefined;
}

export function compareBits(one: ReadonlyMap<string, string>, two: ReadonlyMap<string, string>): ComparedBits {
  const places = [...one.keys()].filter((place) => two.has(place));
  return { compared: places.length, other: places.filter((place) => one.get(place) !== two.get(place)).length };
}
