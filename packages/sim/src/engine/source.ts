// Steps of a simulated engine and rewards of a simulated verifier: a question model, or recorded trees. Both must be functions
// of the request alone, so that a child is the same under every schedule.

import type { GenerateRequest, PathStep } from '@coppice/core/engine';
import type { Prompt, Step } from '@coppice/core/tree';
import type { PromptBlocks } from './prefix-cache.ts';

export interface StepSource {
  /** It also draws answers whole. */
  readonly wholes?: boolean;
  promptTokens(prompt: Prompt): number;
  /** Missing where no two prompts begin alike. */
  promptBlocks?(prompt: Prompt): PromptBlocks | undefined;
  /** At most `maxTokens` long, at least one token. */
  draw(request: GenerateRequest): Step;
}

export interface RewardSource {
  promptTokens(prompt: Prompt): number;
  promptBlocks?(prompt: Prompt): PromptBlocks | undefined;
  /** From 0 to 1. */
  reward(prompt: Prompt, path: readonly PathStep[], step: Step): number;
}
