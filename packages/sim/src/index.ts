// The plug-in of the simulated engine and its verifier: both live in one simulated world, so the engine opens the verifier too.

import { type EngineKind, plainSection, real, registerPlugin } from '@coppice/core/config';
import { z } from 'zod';

const schema = z.strictObject({
  kind: z
    .literal('sim')
    .meta({ description: 'the simulated engine on the real clock: for trying out and for load tests' }),
  speed: real(1, 0.001, 10_000, 'factor', 'how much faster than the measured machine'),
});

const simulatedKind: EngineKind<z.output<typeof schema>> = {
  kind: 'sim',
  schema,
  verifiers: ['sim', 'command', 'none'],
  models: () => [
    {
      name: 'simulated',
      engine: { kind: 'sim' },
      verifier: { kind: 'sim' },
      program: 'auto',
      threshold: 0.65,
      budget: 128,
      examples: ['What is 17 times 23?', 'How many days are in a leap year?'],
    },
  ],
  async open({ speed }, { config }) {
    const { simulate } = await import('./open/simulated.ts');
    const { verifier, ...parts } = simulate(speed);
    return config.verifier.kind === 'sim' ? { ...parts, verifier } : parts;
  },
};

registerPlugin({
  name: '@coppice/sim',
  engines: [simulatedKind],
  verifiers: [
    {
      kind: 'sim',
      schema: plainSection('sim', 'of the simulated engine'),
      engine: 'sim',
      open: async () => ({}),
    },
  ],
});
