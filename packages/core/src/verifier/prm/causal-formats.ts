// What causal reward models are shown before their verdict on the last step, by the format they were trained with. The two
// verdicts and the marker of a format can be set: there are others than those of its authors.

import type { Aggregation } from '../../tree/aggregate.ts';
import type { Message, Prompt } from '../../tree/step.ts';
import { questionOf, type ScoredPath } from '../scorer.ts';
import { type ReadingName, readings } from './readings.ts';

export interface CausalFormat {
  readonly name: CausalFormatName;
  readonly aggregation: Aggregation;
  render(path: ScoredPath): Prompt;
  readonly good: string;
  readonly bad: string;
}

export interface CausalVerdicts {
  /** One token each. */
  readonly good?: string;
  readonly bad?: string;
  /** Closes a step. */
  readonly marker?: string;
}

export interface CausalReading extends CausalVerdicts {
  /** Of `plain` alone: the others were made for one. */
  readonly reading?: ReadingName;
}

export const causalFormatNames = ['math-shepherd', 'rlhflow', 'plain'] as const;
type CausalFormatName = (typeof causalFormatNames)[number];

export const causalFormats: Readonly<Record<CausalFormatName, (given?: CausalReading) => CausalFormat>> = {
  'math-shepherd': shepherdFormat,
  rlhflow: rlhflowFormat,
  plain: plainFormat,
};

/** Math-Shepherd: the steps follow the question, each closed by a tag. Its authors take the lowest score. */
function shepherdFormat({ good = '+', bad = '-', marker = ' ки' }: CausalVerdicts = {}): CausalFormat {
  const render = ({ prompt, steps }: ScoredPath): Prompt => {
    const text = steps.map((step) => step + marker).join('\n');
    return { kind: 'text', text: `${questionOf(prompt)} ${text}` };
  };
  return { name: 'math-shepherd', aggregation: 'minimum', render, good, bad };
}

/** RLHFlow: a dialogue in which the user adds a step and the model answers with its verdict. */
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

/** The question and the steps as they are, a line each, as the shipped reward models read them. */
function plainFormat({ reading = 'step', ...given }: CausalReading = {}): CausalFormat {
  const { good, bad, marker, aggregation } = { ...readings[reading], ...given };
  const render = ({ prompt, steps }: ScoredPath): Prompt => {
    const lines = steps.map((step) => `${step}\n${marker}`).join('');
    return { kind: 'text', text: `${questionOf(prompt)}\n${lines}` };
  };
  return { name: 'plain', aggregation, render, good, bad };
}
