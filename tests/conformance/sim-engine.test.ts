import { profileOf } from '../../lab/src/service/profiles.ts';
import { tableCost } from '../../packages/core/src/cost/table.ts';
import type { Engine, GenerateRequest } from '../../packages/core/src/engine/engine.ts';
import { panelEngine } from '../../packages/core/src/engine/panel/panel-engine.ts';
import { SharedEngine } from '../../packages/core/src/engine/panel/shared-engine.ts';
import type { EngineHarness } from '../../packages/core/src/testing/index.ts';
import { llama8b } from '../../packages/sim/src/engine/h200.ts';
import { QuestionModel } from '../../packages/sim/src/engine/questions/question-model.ts';
import { SimEngine } from '../../packages/sim/src/engine/sim-engine.ts';
import { World } from '../../packages/sim/src/engine/world.ts';
import { engineConformance } from '../support/conformance.ts';

engineConformance('sim', () => simulated((engine) => engine));

/** A member of a panel, behind an engine that two runtimes share. */
engineConformance('sim, in a panel', () =>
  simulated((engine) => {
    const shared = new SharedEngine(engine);
    shared.attach();
    const panel = panelEngine('own', shared.attach(), new Map([['member', { engine: shared.attach(), budget: 3 }]]));
    const toMember = (requests: readonly GenerateRequest[]) =>
      panel.generate(requests.map((request) => ({ ...request, model: 'member' })));
    return new Proxy(panel, {
      get(target, name) {
        if (name === 'generate') return toMember;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }),
);

async function simulated(wrapped: (engine: Engine) => Engine): Promise<EngineHarness> {
  const world = new World();
  const options = {
    cost: tableCost(llama8b),
    replicas: 2,
    sequenceLimit: 4,
    kvTokens: 6000,
    prefillTokens: 2048,
  };
  const sim = new SimEngine(world, new QuestionModel(profileOf('math500/8b')), options);
  const engine = wrapped(sim);
  return {
    engine,
    prompt: { kind: 'text', text: 'question 1' },
    delimiters: ['\n\n'],
    maxTokens: 512,
    // A few steps at a time, so that a cancel finds work under way.
    work: async () => world.run(() => {}, { untilMs: world.nowMs + 40 }),
    close: () => sim.close(),
  };
}
