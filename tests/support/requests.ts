// One engine request with defaults for all fields that a test does not set.

import type { GenerateRequest } from '../../packages/core/src/engine/engine.ts';

export function generateRequest(id: number, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    id,
    search: 'search',
    prompt: { kind: 'text', text: 'Once' },
    parent: 0,
    path: [],
    index: id,
    sampling: { temperature: 1 },
    seed: id,
    delimiters: ['\n'],
    maxTokens: 8,
    lane: 'primary',
    priority: 0,
    ...changes,
  };
}
