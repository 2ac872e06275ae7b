// Prompts of so many tokens in words that mean nothing. No two questions share a beginning, so that a server finds in its
// cache what it would find there in earnest. How many tokens a word takes is asked of the server, once.

import { FaultError } from '../../base/fault.ts';
import { Random } from '../../base/random.ts';
import { type Engine, type GenerateRequest, isAnswer } from '../../engine/engine.ts';
import { rootKey } from '../../tree/keys.ts';
import type { Prompt } from '../../tree/step.ts';

const vocabularyWords = 100_000;
const probedWords = 200;

export function fillerPrompt(name: string, words: number): Prompt {
  const random = new Random('filler', name);
  const text = Array.from({ length: words }, () => ` w${random.integer(vocabularyWords)}`).join('');
  return { kind: 'text', text };
}

/** Tokens per word of such prompts on the engine's servers. Connects the engine to itself. */
export async function tokensPerWord(engine: Engine): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  engine.connect((message) => {
    if (!isAnswer(message)) return;
    if (message.type === 'fault') return reject(new FaultError(message.fault));
    const { computedTokens, cachedTokens } = message.usage;
    resolve((computedTokens + cachedTokens) / probedWords);
  });
  engine.generate([probe()]);
  const ratio = await promise;
  engine.release(probeSearch);
  // A server that does not count: words of this kind take three tokens in most vocabularies.
  return ratio > 0 ? ratio : 3;
}

const probeSearch = 'words';

function probe(): GenerateRequest {
  return {
    id: 0,
    search: probeSearch,
    parent: rootKey,
    path: [],
    index: 0,
    sampling: { temperature: 1 },
    seed: 1,
    prompt: fillerPrompt(probeSearch, probedWords),
    needs: { logprobs: false, tokens: false, seed: false },
    delimiters: [],
    maxTokens: 1,
    exact: true,
    lane: 'primary',
    priority: 0,
  };
}
