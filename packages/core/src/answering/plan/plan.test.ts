import { describe, expect, it } from 'vitest';
import { printExample } from '../../../../coppice/src/cli/terminal/print-config.ts';
import { shippedDefaults } from '../../../../llama/src/open/default-models.ts';
import { checkConfig, loadConfig, type PlainTree } from '../../config/load.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { askedQuestion } from '../question.ts';
import { escalatedPlan, makePlan } from './plan.ts';
import { actingThreshold, usualSearch } from './planned-search.ts';
import { Refusal } from './refusal.ts';
import type { PlannedModel, PlanRequest, SearchPlan, Wish } from './search-plan.ts';
import { buildSearch } from './search-request.ts';

const { limits } = checkConfig({ models: [{ name: 'x', engine: { kind: 'sim' } }] });

function modelOf(settings: PlainTree = {}, aggregation: Aggregation | 'none' = 'product'): PlannedModel {
  const { models } = checkConfig({ models: [{ name: 'm', engine: { kind: 'sim' }, ...settings }] });
  const verifier = aggregation === 'none' ? {} : { verifier: { capabilities: { aggregation } } };
  return { config: models[0]!, engine: { capabilities: {} }, ...verifier };
}

function requestOf(wish: Wish, model = modelOf(), successor?: PlannedModel): PlanRequest {
  const server = { limits, maxPriority: 0, defaultDeadlineMs: 1000, seed: 7 };
  return { ...server, question: askedQuestion('q'), wish, speaker: 'body', model, successor };
}

function asked(question: string, wish: Wish = {}, model = modelOf()): PlanRequest {
  return { ...requestOf(wish, model), question: askedQuestion(question) };
}

function refusal(request: PlanRequest): Refusal {
  try {
    makePlan(request);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a plan', () => {
  it('for the model that takes over, and for a batch, keeps what its request fixed', () => {
    const request = requestOf({ onUnaccepted: 'escalate', priority: -3 }, modelOf(), modelOf({ name: 'big' }));
    expect(escalatedPlan(makePlan(request), request)).toMatchObject({ model: 'big', priority: -3 });
    expect(makePlan({ ...requestOf({}), idle: true }).idle).toBe(true);
  });

  it('of samples at a price has the price of its effort, and is judged where there is a verifier', () => {
    const prices = (['minimal', 'low', 'medium', 'high', 'xhigh'] as const).map(
      (effort) => makePlan(requestOf({ program: 'auto', effort })).price!,
    );
    expect(prices.map((price) => price / prices[2]!)).toEqual([4, 2, 1, 1 / 4, 1 / 16]);
    expect(makePlan(requestOf({ program: 'auto', effort: 'max' })).price).toBe(prices[4]);
    const judged = makePlan(requestOf({ program: 'auto' }));
    const blind = makePlan(requestOf({ program: 'auto' }, modelOf({}, 'none')));
    expect([judged.scoring, blind.scoring]).toEqual(['verifier', 'self-consistency']);
    expect(judged.policyOptions).toMatchObject({ positiveExit: 'off', boundPrune: 'off' });
    for (const plan of [judged, blind]) {
      const { program } = buildSearch(JSON.parse(JSON.stringify(plan)));
      expect(program).toMatchObject({ name: 'auto', needsVerifier: false });
    }
    expect(makePlan(requestOf({ program: 'mcts' })).price).toBeUndefined();
    expect(makePlan(requestOf({ program: 'auto', answers: 2 })).price).toBeUndefined();
    // A path of a model that thinks is so much longer: a sample costs as much of its budget.
    const thinking = modelOf({ maxThinkingTokens: 7500 });
    const { price, tokenBudget } = makePlan(requestOf({ program: 'auto' }, thinking));
    expect([price! / prices[2]!, tokenBudget]).toEqual([expect.closeTo(1 / 4), 16 * 10_000]);
  });

  it('accepts by a score where a checker gives it, or where the threshold was named', () => {
    const accepts = (wish: Wish, model = modelOf(), prompt = 'q') =>
      makePlan({ ...requestOf(wish, model), question: askedQuestion(prompt) }).accepts;
    const checking: PlannedModel = { ...modelOf(), verifier: { capabilities: { aggregation: 'last', exact: true } } };
    expect(makePlan(requestOf({}))).toMatchObject({ threshold: 0.9, accepts: 'never' });
    expect(accepts({ threshold: 0.9 })).toBe('named');
    const acting = (wish: Wish) => actingThreshold(makePlan(requestOf(wish)));
    expect([acting({ program: 'auto' }), acting({ program: 'mcts' }), acting({ threshold: 0.7 })]).toEqual([
      null,
      0.9,
      0.7,
    ]);
    expect(accepts({}, modelOf({ threshold: 0.9 }))).toBe('named');
    expect(accepts({}, checking)).toBe('checked');
    const lines = modelOf({ check: 'lines' });
    expect([accepts({}, lines), accepts({}, lines, 'make 24 from 4 7 8 8')]).toEqual(['never', 'checked']);
    expect(makePlan(requestOf({ effort: 'none' })).accepts).toBeUndefined();
  });

  it('takes tests of a client only where the operator has switched that on', () => {
    const tests = 'assert add(1, 2) == 3';
    const command = { kind: 'command', language: 'python' };
    for (const model of [modelOf(), modelOf({ verifier: command })]) {
      expect(refusal(requestOf({ tests }, model))).toMatchObject({
        setting: 'coppice.tests',
        message:
          "bad-setting: 'coppice.tests' is not taken by 'm': its operator has not switched tests of clients on (verifier.clientTests)",
      });
      expect(makePlan({ ...requestOf({ tests }, model), speaker: 'code' }).tests).toBe(tests);
    }
    const open = modelOf({ verifier: { ...command, clientTests: true } });
    expect(makePlan(requestOf({ tests }, open)).tests).toBe(tests);
  });

  it('tells a chat model how to give a short answer, behind the words of the client, unless client or configuration say otherwise', () => {
    const remote = { engine: { kind: 'openai', urls: ['http://127.0.0.1:1/v1'] } };
    const sent = (content: string, { system = '', wish = {} as Wish, settings = {} as PlainTree } = {}) => {
      const asked = requestOf(wish, modelOf({ ...remote, ...settings }));
      const first = system === '' ? [] : [{ role: 'system' as const, content: system }];
      const prompt = { kind: 'chat' as const, messages: [...first, { role: 'user' as const, content }] };
      const plan = makePlan({ ...asked, question: { prompt, title: 't' } });
      return plan.prompt.kind === 'chat' ? plan.prompt.messages.map((message) => message.content) : [];
    };
    const advice = 'Please reason step by step, and put your final answer within \\boxed{}.';
    const sum = 'What is 17 * 23?';
    expect(sent(sum)).toEqual([advice, sum]);
    expect(sent(sum, { system: 'Be kind.' })).toEqual([`Be kind.\n\n${advice}`, sum]);
    expect(sent(sum, { system: 'Answer with the number only.' })).toEqual(['Answer with the number only.', sum]);
    expect(sent(sum, { settings: { stepPrompt: '' } })).toEqual([sum]);
    expect(sent(sum, { settings: { stepPrompt: 'In steps.' } })).toEqual(['In steps.', sum]);
    expect(sent(sum, { wish: { effort: 'none' } })).toEqual([sum]);
    expect(sent('Write a poem about 3 stars.')).toEqual(['Write a poem about 3 stars.']);
    expect(sent(sum, { settings: { engine: { kind: 'sim' } } })).toEqual([sum]);
  });

  it('takes the prompts of its program, and refuses a probe that the engine cannot answer', () => {
    expect(makePlan(requestOf({ program: 'chain' })).prompts).toMatchObject({ probe: 'The final answer is' });
    expect(makePlan(requestOf({})).prompts).toBeUndefined();
    expect(refusal(requestOf({ program: 'chain', chain: { probe: 'entropy' } })).message).toMatch(
      /is 'entropy'; the engine of model 'm' tells none/,
    );
    expect(refusal(requestOf({ program: 'mcts', chain: { probe: 'off' } })).message).toMatch(
      /'coppice.chain' has options of 'chain'; the program is 'mcts'/,
    );
  });

  it('buys what the effort says, and no more than the limits', () => {
    const bought = (effort?: Wish['effort']) => makePlan(requestOf({ program: 'mcts', effort }));
    expect(bought()).toMatchObject({ rollouts: 16, tokenBudget: 40_000 });
    expect(bought('high')).toMatchObject({ rollouts: 64, tokenBudget: 160_000 });
    expect(bought('max').rollouts).toBe(bought('xhigh').rollouts);
    expect(refusal(requestOf({ rollouts: 257 })).message).toMatch(/is 257; at most 256 is allowed \(limits.rollouts\)/);
  });

  it('buys as many draws for a tree that grows draw by draw: a rollout of k steps at each node is k paths', () => {
    const drawn = modelOf({ program: 'best-first', branching: 8 });
    expect(makePlan(requestOf({}, drawn))).toMatchObject({ rollouts: 128, tokenBudget: 40_000 });
    expect(makePlan(requestOf({ branching: 4 }, drawn)).rollouts).toBe(64);
    expect(makePlan(requestOf({ program: 'mcts' }, drawn)).rollouts).toBe(16);
    expect(makePlan(requestOf({ rollouts: 16 }, drawn)).rollouts).toBe(16);
    expect(makePlan(requestOf({ program: 'best-of-n' }, drawn)).rollouts).toBe(16);
    expect(refusal(requestOf({ rollouts: 2049 }, drawn)).message).toMatch(/is 2049; at most 2048 is allowed/);
  });

  it('of a shipped model draws step by step and ends a path at its first false line, where scores are bounds', () => {
    const [config] = checkConfig({
      models: [{ name: 's', engine: { kind: 'llama' }, verifier: { kind: 'prm' } }],
    }).models;
    const shipped = (aggregation: Aggregation) => ({
      config: config!,
      engine: { capabilities: {} },
      verifier: { capabilities: { aggregation } },
    });
    expect(makePlan(requestOf({}, shipped('product')))).toMatchObject({
      program: 'best-first',
      policyOptions: { boundPrune: 'threshold' },
      policy: 'safe',
    });
    expect(makePlan(requestOf({}, shipped('mean')))).toMatchObject({
      policyOptions: { boundPrune: 'off' },
      policy: 'safe',
    });
    expect(refusal(requestOf({ boundPrune: 'best' }, shipped('mean'))).message).toMatch(/bound-best/);
  });

  it('is announced as it is made: the program that really runs, and who judges its answers', () => {
    for (const model of [modelOf(), modelOf({}, 'none'), modelOf({ verifier: { kind: 'confidence' } }, 'mean')]) {
      const { program, policy, scoring, aggregation } = makePlan(asked('What is 17 * 23?', {}, model));
      expect(usualSearch(model)).toMatchObject({ program, policy, scoring, aggregation });
    }
    const unjudged = { program: 'auto', scoring: 'self-consistency' };
    expect(usualSearch(modelOf({}, 'none'))).toMatchObject(unjudged);
    expect(usualSearch(modelOf({ threshold: 0.9 }, 'none')).program).toBe('self-consistency');
    expect(usualSearch(modelOf({ verifier: { kind: 'confidence' } }, 'mean')).scoring).toBe('self-consistency');
    expect(makePlan(requestOf({ program: 'greedy' })).scoring).toBe('none');
    const rebase = modelOf({ program: 'rebase', policy: 'boost' });
    const again = { ...rebase, config: Object.assign({}, rebase.config, { firstPaths: 2 }) };
    expect(usualSearch(again).policy).toBe(makePlan(requestOf({}, again)).policy);
  });

  it('takes the same sizes everywhere: a beam is worth two rollouts', () => {
    const widths = (['mcts', 'beam', 'dvts', 'rebase', 'best-of-n', 'self-consistency', 'greedy'] as const).map(
      (program) => {
        const { policy, ...plan } = makePlan(requestOf({ program, rollouts: 16 }));
        expect(policy).toBe('safe');
        return buildSearch({ ...plan, policy }).program.naturalWidth;
      },
    );
    expect(widths).toEqual([1, 8, 8, 16, 16, 16, 1]);
  });

  it('keeps the knobs of its model, and takes those of one search from the client and those of an experiment', () => {
    const model = modelOf({ mcts: { prior: 'draws' } });
    const plan = makePlan(requestOf({ internal: { order: 'sjf', certain: 'lead', exploration: 2 } }, model));
    expect(plan.policyOptions).toMatchObject({ order: 'sjf', certain: 'lead', gate: 1 });
    expect(plan.programOptions).toMatchObject({ prior: 'draws', exploration: 2, selection: 'puct' });
    expect(makePlan(requestOf({ program: 'beam' }, model)).programOptions).not.toHaveProperty('prior');
  });

  it('ends no path by itself that does not win where paths vote or several answers are wanted', () => {
    const prunes = (wish: Wish) => makePlan(requestOf(wish, modelOf({ choose: 'best' }))).policyOptions.boundPrune;
    expect(prunes({})).toBe('best');
    expect([prunes({ choose: 'vote' }), prunes({ answers: 3 })]).toEqual(['off', 'off']);
    expect(prunes({ answers: 3, boundPrune: 'best' })).toBe('best');
  });

  it('without a verifier is of a program that needs none', () => {
    const named = requestOf({}, modelOf({ program: 'mcts' }, 'none'));
    expect(makePlan(named)).toMatchObject({ program: 'self-consistency' });
  });
});

describe('a plan that names no program', () => {
  const [sum, poem] = ['What is 17 * 23?', 'Write a poem about 3 stars.'];
  const blind = modelOf({}, 'none');
  const judge = { kind: 'judge', urls: ['http://127.0.0.1:1/v1'] };
  const command = { kind: 'command', language: 'python', clientTests: true };

  it.each<[string, PlanRequest, Partial<SearchPlan>]>([
    [
      'grows a tree where a checker judges lines',
      asked(poem, {}, modelOf({ check: 'lines' })),
      { program: 'best-first' },
    ],
    ['… or answers exactly', asked(sum, {}, exactly()), { program: 'best-first', policy: 'safe', threshold: 0.9 }],
    [
      '… but draws until one passes where whole answers are checked',
      asked(sum, {}, exactly('last')),
      { program: 'best-of-n', programOptions: { window: 1 }, maxDepth: 1 },
    ],
    ['… or where it names a rule', asked(sum, { threshold: 0.8 }), { program: 'mcts', threshold: 0.8 }],
    ['… or its model does', asked(sum, {}, modelOf({ policy: 'boost' })), { program: 'mcts', policy: 'boost' }],
    [
      'takes the first answer that passes tests',
      asked(poem, { tests: 'assert f(1) == 2' }, modelOf({ verifier: command }, 'last')),
      { program: 'best-of-n', programOptions: { window: 1 }, rollouts: 16, threshold: 1, maxDepth: 1 },
    ],
    ['lets short answers vote', asked(sum), { program: 'auto', rollouts: 16, scoring: 'verifier' }],
    ['… without a judge too', asked(sum, {}, blind), { program: 'auto', scoring: 'self-consistency' }],
    ['… and whatever is compared by meaning', asked(poem, {}, comparing()), { program: 'auto', maxDepth: 40 }],
    [
      'takes the best of a few texts by their scores',
      asked(poem, {}, modelOf({ verifier: judge })),
      { program: 'best-of-n', choose: 'best', rollouts: 4, programOptions: { window: 0 } },
    ],
    ['… of more for more effort', asked(poem, { effort: 'high' }, modelOf({ verifier: judge })), { rollouts: 16 }],
    [
      'gives one text where nothing could choose, at the temperature of the client',
      asked(poem, { temperature: 0.3, effort: 'high', maxTokens: 900 }, blind),
      { mode: 'direct', rollouts: 1, stepTokens: 900, scoring: 'none', sampling: { temperature: 0.3 } },
    ],
    [
      '… and if the model only trusts itself',
      asked(poem, {}, modelOf({ verifier: { kind: 'confidence' } })),
      { mode: 'direct' },
    ],
    [
      '… or as many as are asked for',
      asked(poem, { answers: 3 }, blind),
      { mode: 'search', rollouts: 3, maxDepth: 1, delimiters: [] },
    ],
    ['… judged where the client wants that', asked(poem, { onUnaccepted: 'refuse' }, blind), { mode: 'search' }],
  ])('%s', (_, request, expected) => {
    const plan = makePlan(request);
    expect(plan).toMatchObject({ mode: 'search', ...expected });
    expect(() => buildSearch(JSON.parse(JSON.stringify(plan)))).not.toThrow();
  });

  function exactly(aggregation: Aggregation = 'product'): PlannedModel {
    return { ...modelOf(), verifier: { capabilities: { aggregation, exact: true } } };
  }

  function comparing(): PlannedModel {
    return { ...blind, embedder: { name: 'e' } };
  }

  it('spends no more than its own budget on one text', () => {
    expect(makePlan(asked(poem, { tokenBudget: 50 }, blind))).toMatchObject({ tokenBudget: 50, stepTokens: 50 });
  });

  it('has a program of its own by name, auto included', () => {
    expect(makePlan(asked(poem, { program: 'auto' }, blind))).toMatchObject({ mode: 'search', program: 'auto' });
    const drawn = modelOf({ program: 'best-first', threshold: 0.8 });
    expect(makePlan(asked(sum, { policy: 'positive' }, drawn)).program).toBe('best-first');
  });
});

describe('a plan is refused, by the name of the setting,', () => {
  it.each<[string, Wish, PlannedModel, RegExp]>([
    ['coppice.policy', { program: 'best-of-n', policy: 'boost' }, modelOf(), /negative-selective.*best-of-n/],
    [
      'coppice.policy',
      { internal: { negativeExit: 'strict' } },
      modelOf(),
      /'safe' gives up on no question.*take policy 'boost'/,
    ],
    ['coppice.policy', { policy: 'boost' }, modelOf({}, 'mean'), /'product' or 'minimum', not 'mean'/],
    ['coppice.bound_prune', { boundPrune: 'best' }, modelOf({}, 'sum'), /not 'sum'/],
    ['coppice.program', { program: 'mcts' }, modelOf({}, 'none'), /needs a verifier; model 'm' has none/],
    [
      'coppice.mcts',
      { program: 'beam', mcts: { prior: 'draws' } },
      modelOf(),
      /has options of 'mcts'; the program is 'beam'/,
    ],
    ['temperature', { program: 'greedy', temperature: 1 }, modelOf(), /'greedy' has none/],
    ['coppice.speculate', { speculate: 4 }, modelOf(), /is 4; at most 0 is allowed \(speculate of model 'm'\)/],
    ['coppice.rollouts', { effort: 'none', rollouts: 2 }, modelOf(), /no meaning/],
    ['coppice.priority', { priority: 1 }, modelOf(), /at most 0 is allowed \(the key's priority\)/],
    ['coppice.on_unaccepted', { onUnaccepted: 'escalate' }, modelOf(), /no escalateTo/],
  ])('%s', (setting, wish, model, reason) => {
    const refused = refusal(requestOf(wish, model));
    expect(refused.setting).toBe(setting);
    expect(refused.fault.message).toMatch(reason);
  });

  it('before it runs where the model that would take over could not take it; it needs no verifier', () => {
    const wish: Wish = { onUnaccepted: 'escalate' };
    expect(makePlan(requestOf(wish, modelOf(), modelOf({ name: 'big' }, 'none')))).toMatchObject(wish);
    const strict = { ...wish, policy: 'positive+strict' } as const;
    expect(refusal(requestOf(strict, modelOf(), modelOf({ name: 'big' }, 'last'))).fault.message).toMatch(
      /model 'big' could not take over: .*'last'/,
    );
  });
});

describe('a plan made anew for the model that takes over', () => {
  const big = modelOf(
    {
      name: 'big',
      branching: 2,
      threshold: 0.7,
      delimiters: ['\n'],
      stepTokens: 99,
      sampling: { temperature: 0.3, topP: 0.5 },
      policy: 'positive',
    },
    'minimum',
  );

  it('has that model’s ways and the wishes and limits of the client', () => {
    const small = modelOf({ escalateTo: undefined, sampling: { topP: 0.9 } });
    const request = requestOf({ onUnaccepted: 'escalate', maxTokens: 50, rollouts: 9, minP: 0.1 }, small, big);
    const first = { ...makePlan(request), deadlineMs: 321 };
    expect(escalatedPlan(first, request)).toMatchObject({
      model: 'big',
      aggregation: 'minimum',
      policy: 'positive',
      branching: 2,
      threshold: 0.7,
      delimiters: ['\n'],
      sampling: { temperature: 0.3, topP: 0.5, minP: 0.1 },
      rollouts: 9,
      stepTokens: 50,
      maxTokens: 50,
      onUnaccepted: 'best',
      deadlineMs: 321,
      seed: first.seed,
    });
  });
});

describe('serve without a file', () => {
  it('does what its printed example says', () => {
    const file = { name: 'example', text: printExample(shippedDefaults()) };
    const base = { models: shippedDefaults() };
    expect(loadConfig({ base, file })).toEqual(loadConfig({ base }));
    expect(loadConfig({ base }).models[0]).toMatchObject({
      budget: 32,
      branching: 8,
      choose: 'vote',
      check: 'lines',
    });
  });
});

describe('a turn of an agent', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const prompt = { kind: 'chat', messages: [{ role: 'user', content: 'q' }], turn: { tools } } as const;
  const turnOf = (settings: PlainTree, wish: Wish = {}, turns = true) => {
    const model = modelOf({ embedder: { url: 'http://127.0.0.1:1' }, ...settings });
    const able = { ...model, engine: { capabilities: { turns } }, embedder: { name: 'e' } };
    return { ...requestOf(wish, able), question: { prompt, title: 'q' } };
  };

  it.each([
    [{}, 'auto', 'verifier'],
    [{ verifier: { kind: 'confidence' }, program: 'mcts', recordTokens: 'on' }, 'auto', 'self-consistency'],
    [{ verifier: { kind: 'prm', urls: ['http://127.0.0.1:1'] } }, 'auto', 'self-consistency'],
    [{ verifier: { kind: 'prm', urls: ['http://127.0.0.1:1'], format: 'http' } }, 'auto', 'verifier'],
    [{ verifier: { kind: 'command', language: 'python' } }, 'auto', 'self-consistency'],
  ])('is drawn whole by a vote, judged by what can read calls: %j', (settings, program, scoring) => {
    const plan = makePlan(turnOf(settings));
    expect(plan).toMatchObject({ prompt, program, scoring, maxDepth: 1, delimiters: [], marked: true });
    expect([plan.thinking, plan.groupSimilarity, plan.recordTokens]).toEqual([undefined, undefined, undefined]);
    expect(plan.prompts?.repair).toContain('{turn}');
  });

  it('needs an engine that draws them, and a program that does', () => {
    expect(refusal(turnOf({}, {}, false))).toMatchObject({ kind: 'unsupported', setting: 'tools' });
    expect(refusal(turnOf({}, { program: 'mcts' }))).toMatchObject({ setting: 'coppice.program' });
    expect(refusal(turnOf({}, { recordTokens: 'on' }))).toMatchObject({ setting: 'coppice.record_tokens' });
  });
});
