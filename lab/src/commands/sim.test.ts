import { FaultError } from 'coppice';
import { describe, expect, it } from 'vitest';
import { run } from './sim.ts';

describe('npm run lab -- sim refuses in one line', () => {
  it.each([
    [['--policy', 'fastest'], /--policy is 'fastest'; it must be one of/],
    [['--setting', 'gsm8k'], /setting is 'gsm8k'/],
    [['--load', '1'], /load is '1'/],
    [['--seeds', '0'], /--seeds is 0; it must be a whole number from 1/],
    [['--seed', 'x'], /seed is 'x'/],
    [['--requests', '100'], /--requests is 100; it must be a whole number from 130/],
    [['--experiment', 'p3', '--requests', '0'], /--requests is 0; it must be a whole number from 1/],
    [['--experiment', 'p4', '--requests', '4'], /--requests has no meaning with --experiment p4/],
    [['--budget', '-1'], /--budget is -1; it must be a whole number from 8/],
    [['--policy', 'boost:beta'], /knob is 'beta'; write NAME=VALUE/],
    [['--policy', 'boost:gate=-1'], /gate is -1/],
    [['--policy', 'boost:gamma=1'], /no option 'gamma'/],
    [['--policy', 'boost:selection=half'], /selection is 'half'; it must be one of puct, uct/],
    [['--policy', 'best-of-n:selection=puct'], /no option 'selection'/],
    [['--policy', 'greedy+positive'], /policy is 'greedy\+positive'/],
    [['--base', 'nothing'], /policy is 'nothing'/],
    [['--experiment', 'p1', '--policy', 'beam'], /--policy is 'beam'; --experiment p1 has self-consistency, vanilla/],
    [['--experiment', 'p9'], /experiment is 'p9'/],
    [['--ablate', 'safest'], /--ablate is 'safest'; it must be one of vanilla/],
    [['--policy', 'safe:negativeExit=strict'], /'safe' gives up on no question/],
    [['--threshold', '1.5'], /--threshold is 1.5/],
    [['--threshold', 'NaN'], /threshold is 'NaN'/],
    [['--rollouts', '0'], /--rollouts is 0; it must be a whole number from 1 to 100000 \(rollouts\)/],
    [['--roofline', 'h300'], /roofline is 'h300'/],
    [['--machine', 'h200-vllm', '--roofline', 'h200'], /--machine says its own times/],
    [
      ['--machine', 'nowhere.json'],
      /--machine: cannot read nowhere.json as JSON; h200-vllm, h200-vllm-causal, embedded ship with/,
    ],
    [['--policy', 'safe:negativeExit=strict'], /'safe' gives up on no question/],
    [['--nonsense'], /nonsense/],
    [['surplus'], /surplus/],
  ])('%j', async (args, message) => {
    const refused = await run(args).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FaultError);
    const { fault } = refused as FaultError;
    expect(fault.code).toBe('bad-setting');
    expect(fault.message).toMatch(message);
    expect(fault.message).not.toContain('\n');
  });
});
