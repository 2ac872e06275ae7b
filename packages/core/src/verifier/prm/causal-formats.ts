// Prompts of causal reward models by the format they were trained with.

import type { Aggregation } from '../../tree/aggregate.ts';
import type { Message, Prompt } from '../../tree/step.ts';
import { questionOf, type ScoredPath } from '../scorer.ts';

/** Format of the shipped reward model (models/README.md): is this step right in itself. */
export const stepReading = { good: '+', bad: '-', marker: '', aggregation: 'product' } as const;

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

export const causalFormatNames = ['math-shepherd', 'rlhflow', 'plain'] as const;
type CausalFormatName = (typeof causalFormatNames)[number];

export const causalFormats: Readonly<Record<CausalFormatName, CausalFormat>> = {
  /** A tag closes each step. The authors take the lowest score. */
  'math-shepherd': {
    name: 'math-shepherd',
    aggregation: 'minimum',
    good: '+',
    bad: '-',
    render: ({ prompt, steps }) => {
      const text = steps.map((step) => `${step} ки`).join('\n');
      return { kind: 'text', text: `${questionOf(prompt)} ${text}` };
    },
  },
  /** The user adds a step, the model answers with its verdict. */
  rlhflow: {
    name: 'rlhflow',
    aggregation: 'product',
    good: '+',
    bad: '-',
    render: ({ prompt, steps }) => {
      const messages = steps.flatMap((step, at): Message[] => {
        const asked: Message = { role: 'user', content: at === 0 ? `${questionOf(prompt)} ${step}` : step };
        return at === steps.length - 1 ? [asked] : [asked, { role: 'assistant', content: '+' }];
      });
      return { kind: 'chat', messages };
    },
  },
  /** Question and steps, a line each, as the shipped reward models read them. */
  plain: {
    name: 'plain',
    ...stepReading,
    render: ({ prompt, steps }) => ({ kind: 'text', text: `${questionOf(prompt)}\n${steps.join('\n')}\n` }),
  },
};
