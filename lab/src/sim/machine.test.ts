import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultError } from 'coppice';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { latenciesOf, yieldOf } from '../service/index.ts';
import { machines, readMachine } from './machine.ts';
import { evenSlowdown } from './slowdown.ts';
import { runTrial, type TrialResult, trialDefaults } from './trial.ts';

const machine: MeasuredMachine = {
  name: 'a machine',
  generator: {
    contexts: [176, 688],
    decode: [
      [1, 6, 6.2],
      [64, 7, 9],
      [256, 14, 20],
    ],
    prefill: [
      [64, 10],
      [4096, 110],
    ],
    requestMs: 5,
    kvTokens: 300_000,
    sequenceLimit: 512,
  },
  rewardModel: {
    pass: [
      [400, 20],
      [16_384, 400],
    ],
    callMs: 0,
    extraTokens: 0,
    passTokens: 16_384,
    reusesPrefix: false,
    kvTokens: 300_000,
  },
  slowdown: evenSlowdown(1, 1),
};

function trial(changes: Partial<MeasuredMachine>): TrialResult {
  const system = { ...trialDefaults, setting: 'math500/8b', requests: 12, rollouts: 4, budget: 8 } as const;
  const contender = { program: 'mcts', policy: 'positive' } as const;
  return runTrial({ ...system, contender, arrivals: { kind: 'backlog' }, machine: { ...machine, ...changes } });
}

describe('a trial on a measured machine', () => {
  it('has the same trees and other times when its parts are slower', () => {
    const fast = trial({});
    const slower = [
      trial({ slowdown: evenSlowdown(2, 1) }),
      trial({ slowdown: evenSlowdown(1, 2) }),
      trial({ generator: { ...machine.generator, requestMs: 50 } }),
      trial({ rewardModel: { ...machine.rewardModel, callMs: 50 } }),
      trial({ rewardModel: { ...machine.rewardModel, extraTokens: 500 } }),
    ];
    for (const slow of slower) {
      expect(yieldOf(slow)).toEqual(yieldOf(fast));
      expect(latenciesOf(slow).p50Ms).toBeGreaterThan(latenciesOf(fast).p50Ms);
    }
  });

  it('computes a path once where the reward model keeps prefixes', () => {
    const anew = trial({});
    const reused = trial({ rewardModel: { ...machine.rewardModel, reusesPrefix: true } });
    expect(reused.verifierBusy).toBeLessThan(anew.verifierBusy);
  });
});

describe('a file of a machine', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'machine-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const written = (content: string): string => {
    const file = join(folder, 'machine.json');
    writeFileSync(file, content);
    return file;
  };

  it('may be named where it ships', () => {
    expect(readMachine('h200-vllm')).toBe(machines['h200-vllm']);
  });

  it('is read as it was written, without its raw readings', () => {
    expect(readMachine(written(JSON.stringify({ ...machine, readings: {} })))).toEqual(machine);
  });

  it('may be of before slowdowns were read by size', () => {
    const old = { ...machine, slowdown: { generator: 2.5, rewardModel: 2 } };
    expect(readMachine(written(JSON.stringify(old))).slowdown).toEqual(evenSlowdown(2.5, 2));
  });

  it.each([
    ['nothing', /cannot read .* as JSON/],
    ['{}', /is not what npm run lab -- table writes: name/],
    [JSON.stringify({ ...machine, slowdown: { generator: 0.5, rewardModel: 1 } }), /slowdown.generator/],
    [JSON.stringify({ ...machine, generator: { ...machine.generator, decode: [] } }), /generator.decode/],
    [JSON.stringify({ ...machine, slowdown: { ...machine.slowdown, passTokens: [2, 1] } }), /values must rise/],
    [JSON.stringify({ ...machine, slowdown: { ...machine.slowdown, sequences: [1, 2] } }), /a row per sequences/],
  ])('is refused in one line: %s', (content, message) => {
    const file = content === 'nothing' ? join(folder, 'missing.json') : written(content);
    expect(() => readMachine(file)).toThrow(FaultError);
    expect(() => readMachine(file)).toThrow(message);
  });
});
