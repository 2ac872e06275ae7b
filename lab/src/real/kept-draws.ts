// An engine that draws nothing twice: a request that equals an earlier one of another search (the same prompt, path, index and sampling) gets
// that step. So two searches can be compared on the same samples, even on an engine without seeds. Usage is reported as if the step had been
// drawn: a search costs what it asks for. Shares no step that is still in flight: searches run one after the other.

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
