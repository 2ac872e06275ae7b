// The thinking of a model before it answers: what its template says, what was asked for, and the bound that an effort buys. A plan
// has it for every model that takes conversations: one that writes no tags has nothing to do with it.

import type { LimitsConfig } from '../../config/schema.ts';
import type { ThinkingPlan } from '../../runtime/search/request.ts';
import { thinkingSwitch } from '../../tree/readings/thinking.ts';
import type { Prompt } from '../../tree/step.ts';
import { readPrompts } from '../prompts.ts';
import { effortOf } from './planned-budget.ts';
import { refuseSetting } from './refusal.ts';
import type { PlannedModel, Wish } from './search-plan.ts';

/** Tokens of a limited path that are kept for the answer: at most half of it. */
const keptForAnswer = 1024;
/** Share of a context that is kept for prompt and answer. */
const keptOfContext = 0.25;
/** A step inside the thinking: what a crash costs at most, and where rules may end a path. A chain of 20,000 tokens is 20 of them. */
const thinkingStepTokens = 1024;

export function thinkingPlan(
  wish: Wish,
  model: PlannedModel,
  limits: LimitsConfig,
  prompt: Prompt,
): ThinkingPlan | undefined {
  if (model.form !== undefined) return undefined;
  const { config, engine } = model;
  const [open, close] = config.thinkingTags as [string, string];
  const isContinued = prompt.kind === 'chat' && prompt.messages.at(-1)?.role === 'assistant';
  const isOn = (wish.thinking ?? config.thinking) !== 'off';
  const prompts = readPrompts(['thinking-end'], config);
  return {
    open,
    close,
    opened: prompt.kind === 'chat' && !isContinued && isOn && engine.capabilities.thinking?.opens === true,
    delimiters: [],
    stepTokens: thinkingStepTokens,
    maxTokens: longestThinking(wish, model, limits),
    lastWords: prompts['thinking-end'] ?? '',
  };
}

/** The least of what was asked for or an effort buys, of what the answer leaves of a path, and of what the context holds. */
function longestThinking(wish: Wish, { config, engine }: PlannedModel, limits: LimitsConfig): number {
  const { maxTokens = Number.POSITIVE_INFINITY, effort } = wish;
  const { contextTokens = Number.POSITIVE_INFINITY } = engine.capabilities;
  const bought = effortOf(limits, effort).thinkingTokens;
  const ofPath = maxTokens - Math.min(keptForAnswer, Math.ceil(maxTokens / 2));
  const asked = wish.maxThinkingTokens ?? config.maxThinkingTokens ?? bought;
  return Math.max(1, Math.min(asked, ofPath, roomOfContext(contextTokens)));
}

function roomOfContext(contextTokens: number): number {
  return Math.floor(contextTokens * (1 - keptOfContext));
}

/** Said once, when a model is opened whose context holds less thinking than its configuration allows. */
export function thinkingWarning({ config, engine }: Pick<PlannedModel, 'config' | 'engine'>): string | undefined {
  const { maxThinkingTokens: allowed = 0 } = config;
  const { contextTokens = Number.POSITIVE_INFINITY } = engine.capabilities;
  const room = roomOfContext(contextTokens);
  if (allowed <= room) return undefined;
  const setting = config.engine.kind === 'llama' ? ' (engine.contextTokens, or what the model was trained for)' : '';
  return `maxThinkingTokens is ${allowed}; the context of ${contextTokens} tokens${setting} leaves ${room} for thinking`;
}

/** True where the model is known to think before its first answer: its budget must pay for that. */
export function isKnownToThink({ config, engine }: PlannedModel, wish: Wish): boolean {
  if ((wish.thinking ?? config.thinking) === 'off') return false;
  const { opens = false, switches = false } = engine.capabilities.thinking ?? {};
  return opens || switches || (wish.maxThinkingTokens ?? config.maxThinkingTokens) !== undefined;
}

/** The prompt with the template's switch set as asked for. */
export function switchedPrompt(prompt: Prompt, wish: Wish, { config, engine }: PlannedModel): Prompt {
  const wanted = wish.thinking ?? config.thinking;
  if (wanted === 'auto' || prompt.kind === 'text') return prompt;
  if (engine.capabilities.thinking?.switches !== true) {
    const what = `is '${wanted}'; the chat template of model '${config.name}' has no switch for it (enable_thinking), as far as its server tells; leave it at auto`;
    return refuseSetting('unsupported', 'thinking', what);
  }
  return { ...prompt, template: thinkingSwitch(wanted === 'on') };
}
