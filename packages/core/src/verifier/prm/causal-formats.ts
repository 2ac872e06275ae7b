// Prompts of causal reward models by the format they were trained with. Verdicts and marker can be set.

import type { Aggregation } from '../../tree/aggregate.ts';
import type { Message, Prompt } from '../../tree/step.ts';
import { questionOf, type ScoredPath } from '../scorer.ts';

/** Of the shipped reward model (models/README.md): is this step right in itself, and does the path still lead to the answer. */
export const readings = {
  step: { good: '+', bad: '-', marker: '', aggregation: 'product' },
  promise: { good: '!', bad: '?', marker: '', aggregation: 'last' },
} as const;

type ReadingName = keyof typeof readings;

export interface CausalFormat {
  readonly name: CausalFormatName;
  readonly aggregation: Aggregation;
  render(path: ScoredPath): Prompt;
  readonly good: string;
  readonly bad: string;
}

export interface CausalVerdicts {
  readonly good?: string;
  readonly bad?: string;
  readonly marker?: string;
}

export interface CausalReading extends CausalVerdicts {
  readonly reading?: ReadingName;
}

export const causalFormatNames = ['math-shepherd', 'rlhflow', 'plain'] as const;
type CausalFormatName = (typeof causalFormatNames)[number];

export const causalFormats: Readonly<Record<CausalFormatName, (given?: CausalReading) => CausalFormat>> = {
  'math-shepherd': shepherdFormat,
  rlhflow: rlhflowFormat,
  plain: plainFormat,
};

/** Math-Shepherd: a tag closes each step. Its authors take the lowest score. */
function shepherdFormat({ good = '+', bad = '-', marker = ' ки' }: CausalVerdicts = {}): CausalFormat {
  const render = ({ prompt, steps }: ScoredPath): Prompt => {
    const text = steps.map((step) => step + marker).join('\n');
    return { kind: 'text', text: `${questionOf(prompt)} ${text}` };
  };
  return { name: 'math-shepherd', aggregation: 'minimum', render, good, bad };
}

/** RLHFlow: the user adds a step, the model answers with its verdict. */
function rlhflowFormat({ good = '+', bad = '-', marker = '' }: CausalVerdicts = {}): CausalFormat {
  const render = ({ prompt, steps }: ScoredPath): Prompt => {
    const messages = steps.flatMap((step, at): Message[] => {
      const content = (at === 0 ? `${questionOf(prompt)} ${step}` : step) + marker;
      const asked: Message = { role: 'user', content };
      return at === steps.length - 1 ? [asked] : [asked, { role: 'assistant', content: good }];
    });
    return { kind: 'chat', messages };
  };
  return { name: 'rlhflow', aggregation: 'product', render, good, bad };
}

/** Question and steps, a line each, as the shipped reward models read them. */
function plainFormat({ reading = 'step', ...given }: CausalReading = {}): CausalFormat {
  const { good, bad, marker, aggregation } = { ...readings[reading], ...given };
  const render = ({ prompt, steps }: ScoredPath): Prompt => {
    const lines = steps.map((step) => `${step}\n${marker}`).join('');
    return { kind: 'text', text: `${questionOf(prompt)}\n${lines}` };
  };
  return { name: 'plain', aggregation, render, good, bad };
}
