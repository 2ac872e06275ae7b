// vLLM's POST /tokenize, which SGLang serves too: from a prompt to its tokens by the model's own template, and from a text
// to its tokens with nothing added.

import type { Prompt } from '../../../tree/step.ts';
import type { RenderStep, ServerFacts, WireRequest } from './dialect.ts';

export function renderByTokenize(prompt: Prompt, { model }: ServerFacts): readonly RenderStep[] {
  const body =
    prompt.kind === 'text'
      ? { model, prompt: prompt.text, add_special_tokens: true }
      : { model, ...templateFields(prompt) };
  return [() => ({ path: '/tokenize', body })];
}

export function tokenizeText(content: string, { model }: ServerFacts): WireRequest {
  return { path: '/tokenize', body: { model, prompt: content, add_special_tokens: false } };
}

/** A last message of the assistant is a beginning to continue, not a turn to answer. */
export function templateFields({ messages, template }: Extract<Prompt, { kind: 'chat' }>) {
  const open = messages.at(-1)?.role === 'assistant';
  return { messages, add_generation_prompt: !open, continue_final_message: open, chat_template_kwargs: template };
}
