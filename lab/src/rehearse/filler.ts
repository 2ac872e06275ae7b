// Prompts of random words with a given number of tokens. No two share a beginning unless a trace says so, so that a server's cache hits
// are realistic. The server is asked once for the tokens of a word.

import { FaultError, Random } from '@coppice/core/base';
import type { Engine } from '@coppice/core/engine';
import type { Prompt } from '@coppice/core/tree';
import type { PromptBlocks } from '@coppice/sim/engine';
import { EngineProbe } from 'coppice/bench';

const vocabularyWords = 100_000;
const probedWords = 200;

export function fillerPrompt(name: string, words: number): Prompt {
  return { kind: 'text', text: fillerText(name, words) };
}

export function fillerText(name: string, words: number): string {
  const random = new Random('filler', name);
  return Array.from({ length: words }, () => ` w${random.integer(vocabularyWords)}`).join('');
}

/** Begins with blocks that prompts of the same salt may share, then has words of its own. */
export function blockPrompt(salt: string, { names, tokens }: PromptBlocks, own: string, size: PromptSize): Prompt {
  const whole = Math.min(names.length, Math.floor((size.tokens - 1) / tokens));
  const wordsFor = (wanted: number) => Math.max(1, Math.round(wanted / size.tokensPerWord));
  const shared = names.slice(0, whole).map((name, at) => fillerText(`${salt} block ${at} ${name}`, wordsFor(tokens)));
  return { kind: 'text', text: shared.join('') + fillerText(own, wordsFor(size.tokens - whole * tokens)) };
}

interface PromptSize {
  readonly tokens: number;
  readonly tokensPerWord: number;
}

export async function tokensPerWord(engine: Engine): Promise<number> {
  const search = 'words';
  const prompt = fillerPrompt(search, probedWords);
  const { steps, fault } = await new EngineProbe(engine).ask([{ search, prompt, maxTokens: 1, exact: true }]);
  if (fault !== undefined) throw new FaultError(fault);
  engine.release(search);
  const tokens = steps.reduce((sum, { usage }) => sum + usage.computedTokens + usage.cachedTokens, 0);
  // For servers that do not count: such words take three tokens in most vocabularies.
  return tokens > 0 ? tokens / probedWords : 3;
}
