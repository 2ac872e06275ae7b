// Counts a client's prompt in the engine's own tokens: computed plus cached tokens of a request, less those of its path. Wraps an engine
// and changes no message.

import { type Engine, type EngineMessage, isAnswer, type RequestId } from '@coppice/core/engine';

interface Asked {
  readonly search: string;
  readonly pathTokens: number;
}

export function meterPrompts(engine: Engine, onPrompt: (search: string, tokens: number) => void): Engine {
  const asked = new Map<RequestId, Asked>();
  const read = (message: EngineMessage): void => {
    if (!isAnswer(message)) return;
    const request = asked.get(message.request);
    asked.delete(message.request);
    if (request === undefined || message.type !== 'step') return;
    const { computedTokens, cachedTokens } = message.usage;
    const prompt = computedTokens + cachedTokens - request.pathTokens;
    if (prompt > 0) onPrompt(request.search, prompt);
  };
  return {
    capabilities: engine.capabilities,
    connect: (post) =>
      engine.connect((message) => {
        read(message);
        post(message);
      }),
    generate: (requests) => {
      for (const { id, search, path } of requests) {
        asked.set(id, { search, pathTokens: path.reduce((sum, { step }) => sum + step.tokens, 0) });
      }
      engine.generate(requests);
    },
    cancel: (requests) => engine.cancel(requests),
    update: (request, urgency) => engine.update?.(request, urgency),
    release: (search) => engine.release(search),
    load: () => engine.load(),
    close: () => engine.close(),
  };
}
