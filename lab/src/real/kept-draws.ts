// An engine that draws nothing twice: a request for what another search was given before (the same prompt, path, index and sampling) gets that step.
// So two searches are held against each other on the same samples, by an engine that obeys no seed too. Usage is told as if it had been
// drawn: a search costs what it asks for. Never shares what is still on its way: searches run one after the other.

import { isAnswer } from '@coppice/core/engine';
import type { Engine, EngineMessage, GenerateRequest } from 'coppice';

type StepMessage = Extract<EngineMessage, { readonly type: 'step' }>;

export function keepDraws(engine: Engine): Engine {
  const kept = new Map<string, StepMessage>();
  const asked = new Map<number, string>();
  let post: (message: EngineMessage) => void = () => {};
  return {
    get capabilities() {
      return engine.capabilities;
    },
    connect(tell) {
      post = tell;
      engine.connect((message) => {
        if (isAnswer(message)) {
          const name = asked.get(message.request);
          asked.delete(message.request);
          if (name !== undefined && message.type === 'step') kept.set(name, message);
        }
        tell(message);
      });
    },
    generate(requests) {
      const fresh: GenerateRequest[] = [];
      for (const request of requests) {
        const known = kept.get(nameOf(request));
        if (known !== undefined) {
          post({ ...known, request: request.id });
          continue;
        }
        asked.set(request.id, nameOf(request));
        fresh.push(request);
      }
      if (fresh.length > 0) engine.generate(fresh);
    },
    cancel: (ids) => engine.cancel(ids.filter((id) => asked.has(id))),
    release: (search) => engine.release(search),
    load: () => engine.load(),
    close: () => engine.close(),
  };
}

function nameOf({ prompt, path, index, sampling, maxTokens, delimiters }: GenerateRequest): string {
  const words = path.map(({ step }) => [step.text, step.turn]);
  return JSON.stringify([prompt, words, index, sampling, maxTokens, delimiters]);
}
