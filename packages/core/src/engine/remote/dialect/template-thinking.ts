// Renders one message to learn whether the chat template begins the thinking, and whether a switch changes it.

import type { Connection } from '../../../remote/connection.ts';
import { thinkingSwitch, usualTags } from '../../../tree/readings/thinking.ts';
import type { Prompt } from '../../../tree/step.ts';
import type { TemplateThinking } from '../../engine.ts';
import type { ServerFacts } from './dialect.ts';
import { dialects } from './dialects.ts';
import { type Renderer, render, sameTokens, type Tokens, tokenize } from './render.ts';

export async function templateThinking(
  connection: Connection,
  facts: ServerFacts,
): Promise<TemplateThinking | undefined> {
  const dialect = dialects[facts.dialect];
  if (dialect.render === undefined || dialect.tokenize === undefined) return undefined;
  const renderer: Renderer = { connection, dialect, facts };
  try {
    const usual = await render(asked(undefined), renderer);
    const off = await render(asked(false), renderer);
    const begins = await tokenize(usualTags.open, renderer);
    const on = sameTokens(usual, off) ? await render(asked(true), renderer) : usual;
    return { opens: endsWith(usual, begins) || endsWith(usual.slice(0, -1), begins), switches: !sameTokens(on, off) };
  } catch {
    return undefined;
  }
}

function asked(thinks: boolean | undefined): Prompt {
  const messages = [{ role: 'user', content: 'a' }] as const;
  return { kind: 'chat', messages, ...(thinks === undefined ? {} : { template: thinkingSwitch(thinks) }) };
}

/** A template may write one line end behind the tag. */
function endsWith(tokens: Tokens, end: Tokens): boolean {
  const from = tokens.length - end.length;
  return from >= 0 && end.every((token, at) => tokens[from + at] === token);
}
