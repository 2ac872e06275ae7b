// The configuration section of an embedded engine.

import type { Knobs } from '@coppice/core/base';
import { fieldsOf } from '@coppice/core/config';
import { z } from 'zod';
import { gpuNames } from '../gpu/gpu-names.ts';

const engineKnobs = {
  contextTokens: {
    default: 8192,
    low: 64,
    high: 10_000_000,
    whole: true,
    unit: 'tokens',
    why: 'cells of each cache, shared by all branches',
  },
  kvBytes: {
    low: 1,
    high: 2 ** 50,
    whole: true,
    unit: 'bytes',
    why: 'memory of generator and reward model together, split at the start by what each costs here (4 s); goes before contextTokens',
  },
  threads: {
    low: 1,
    high: 256,
    whole: true,
    unit: 'threads',
    why: 'for the computation of each model; where unset a generator alone takes what a trial at the start found fastest, beside a reward model one each',
  },
  gpu: {
    default: 'auto',
    values: gpuNames,
    unit: 'library',
    why: 'what the embedded engine computes on: auto takes a GPU where the package for one is installed and a trial succeeds',
  },
} as const satisfies Knobs;

export const embeddedSection = z.strictObject({
  kind: z
    .literal('llama')
    .meta({ description: 'the embedded engine: a GGUF file, or a model that ships with coppice' }),
  model: z.string().min(1).default('sapling').meta({ description: 'name of a shipped model, or path of a GGUF file' }),
  draft: z.string().min(1).optional().meta({
    description:
      'a small model of the same vocabulary, by name or path: drafts tokens where a trial at start says that it pays',
  }),
  ...fieldsOf(engineKnobs),
});

export type EmbeddedSection = z.output<typeof embeddedSection>;
