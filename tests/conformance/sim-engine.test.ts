import { profileOf } from '../../src/bench/simulated/profiles.ts';
import { llama8b } from '../../src/cost/h200.ts';
import { tableCost } from '../../src/cost/table.ts';
import { QuestionModel } from '../../src/engine/sim/question-model.ts';
import { SimEngine } from '../../src/engine/sim/sim-engine.ts';
import { World } from '../../src/engine/sim/world.ts';
import { engineConformance } from './engine.ts';

engineConformance('sim', async () => {
  const world = new World();
  const options = {
    cost: tableCost(llama8b.points),
    replicas: 2,
    sequenceLimit: 4,
    kvTokens: 6000,
    prefillTokens: 2048,
  };
  const engine = new SimEngine(world, new QuestionModel(profileOf('math500/8b')), options);
  return {
    engine,
    prompt: { kind: 'text', text: 'question 1' },
    delimiters: ['\n\n'],
    maxTokens: 512,
    // A few steps at a time, so that a cancel finds work under way.
    work: async () => world.run(() => {}, { untilMs: world.nowMs + 40 }),
    close: () => engine.close(),
  };
});
