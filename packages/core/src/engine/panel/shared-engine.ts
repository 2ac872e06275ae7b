// An engine used by several runtimes. Requests and searches get numbers and names of their own here. Its owner closes it.

import { type Engine, type EngineMessage, isAnswer, type RequestId } from '../engine.ts';

interface Asker {
  readonly numbers: Map<RequestId, RequestId>;
  post: (message: EngineMessage) => void;
}

export class SharedEngine {
  readonly #engine: Engine;
  readonly #asked = new Map<RequestId, { readonly asker: Asker; readonly id: RequestId }>();
  #next = 1;
  #askers = 0;
  #isConnected = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  attach(): Engine {
    const engine = this.#engine;
    const asker: Asker = { numbers: new Map(), post: () => {} };
    // Two runtimes may have searches of one name.
    const mark = this.#askers === 0 ? '' : `${this.#askers}:`;
    this.#askers += 1;
    const { update } = engine;
    const numbersOf = (ids: readonly RequestId[]) => ids.flatMap((id) => asker.numbers.get(id) ?? []);
    return {
      get capabilities() {
        return engine.capabilities;
      },
      connect: (post) => {
        asker.post = post;
        this.#connect();
      },
      generate: (requests) => {
        const numbered = requests.map((request) => {
          return { ...request, id: this.#number(asker, request.id), search: mark + request.search };
        });
        // Two runtimes may use the same number for an expansion.
        const first = new Map(requests.map(({ id }, at) => [id, numbered[at]!.id]));
        engine.generate(
          numbered.map(({ expansion, ...request }) => {
            const own = expansion === undefined ? undefined : (first.get(expansion) ?? asker.numbers.get(expansion));
            return own === undefined ? request : { ...request, expansion: own };
          }),
        );
      },
      cancel: (ids) => engine.cancel(numbersOf(ids)),
      ...(update && {
        update: (id, urgency) => {
          for (const number of numbersOf([id])) update.call(engine, number, urgency);
        },
      }),
      release: (search) => engine.release(mark + search),
      load: () => engine.load(),
      close: async () => {},
    };
  }

  #number(asker: Asker, id: RequestId): RequestId {
    const number = this.#next;
    this.#next += 1;
    asker.numbers.set(id, number);
    this.#asked.set(number, { asker, id });
    return number;
  }

  #connect(): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#engine.connect((message) => {
      const asked = this.#asked.get(message.request);
      if (asked === undefined) return;
      if (isAnswer(message)) {
        this.#asked.delete(message.request);
        asked.asker.numbers.delete(asked.id);
      }
      asked.asker.post({ ...message, request: asked.id });
    });
  }
}
