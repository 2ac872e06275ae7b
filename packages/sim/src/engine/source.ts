// The source of a simulated engine's steps and a simulated verifier's rewards: a question model, or recorded trees. Both are functions
// of the request alone, so that a child is the same under every schedule.

import type { GenerateRequest, PathStep } from '@coppice/core/engine';
import type { Prompt, Step } from '@coppice/core/tree';
import type { PromptBlocks } from './prefix-cache.ts';

export interface StepSource {
  /** True if it also draws whole answers. */
  readonly wholes?: boolean;
  promptTokens(prompt: Prompt): number;
  /** Missing if no two prompts share a beginning. */
  promptBlocks?(prompt: Prompt): PromptBlocks | undefined;
  /** Draws 1 to `maxTokens` tokens. */
  draw(request: GenerateRequest): Step;
}

export interface RewardSource {
  promptTokens(prompt: Prompt): number;
  promptBlocks?(prompt: Prompt): PromptBlocks | undefined;
  /** From 0 to 1. */
  reward(prompt: Prompt, path: readonly PathStep[], step: Step): number;
}
