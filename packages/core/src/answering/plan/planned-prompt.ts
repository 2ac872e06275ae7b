// The prompt of a model: the question in its form with the operator's advice on steps, and the words before an answer that is held to a schema.

import { asksForNumber } from '../../answer/asked.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import type { Prompt } from '../../tree/step.ts';
import { readPrompts } from '../prompts.ts';
import { lastAsked, wantsAdvice } from '../question.ts';
import { refuseSetting } from './refusal.ts';
import type { PlannedModel, PlannedShape, Wish, WishedShape } from './search-plan.ts';

/** The model's own form of what was asked, or the conversation as it came with the operator's advice on steps. */
export function promptFor(prompt: Prompt, wish: Wish, model: PlannedModel): Prompt {
  if (agentTurn(prompt)) return prompt;
  if (model.form === undefined) return wish.effort === 'none' ? prompt : advise(prompt, adviceFor(prompt, wish, model));
  const formed = model.form(prompt);
  return 'reason' in formed ? refuseSetting('invalid', 'question', `cannot be answered: ${formed.reason}`) : formed;
}

/** The operator's words; where there are none, how to give a short answer, unless the answer is to have a shape of its own. */
function adviceFor(prompt: Prompt, { shape }: Wish, { config }: PlannedModel): string {
  const { stepPrompt, engine } = config;
  if (stepPrompt !== undefined) return stepPrompt;
  if (engine.kind === 'sim' || shape !== undefined || !wantsAdvice(prompt)) return '';
  return readPrompts(['answer'], config).answer ?? '';
}

/** A task that a model was trained on marks its answers, and a number is found in any text. Tests judge code, whatever it says. */
export function hasMark(asked: Prompt, { form, config }: PlannedModel): true | undefined {
  if (agentTurn(asked)) return true;
  const isNumber = config.verifier.kind !== 'command' && asksForNumber(lastAsked(asked));
  return form !== undefined || isNumber ? true : undefined;
}

function advise(prompt: Prompt, advice: string): Prompt {
  if (advice === '' || prompt.kind === 'text') return prompt;
  const [first, ...rest] = prompt.messages;
  if (first?.role !== 'system')
    return { kind: 'chat', messages: [{ role: 'system', content: advice }, ...prompt.messages] };
  return { kind: 'chat', messages: [{ role: 'system', content: `${first.content}\n\n${advice}` }, ...rest] };
}

/**
 * A path is searched in the model's own words; where the model has ended its answer, or a path has one step left, the next step is
 * the answer, held to the schema. Without search (no `searched` model) it is the one step that there is, and needs no words before it.
 */
export function shapeOf(wished: WishedShape, searched: ModelConfig | undefined, maxTokens: number): PlannedShape {
  const { schema, about, isCall } = wished;
  const prompt = isCall === undefined ? 'shape' : 'call';
  const { [prompt]: words = '' } = searched === undefined ? {} : readPrompts([prompt], searched);
  return { schema, words: words.replace('{schema}', () => JSON.stringify(about)), maxTokens, isCall };
}
