// The machine of a trial: P0's hardware (two GPUs a side, bare kernels as measured on an H200, or a roofline), or a machine measured by `npm run lab
// -- table`: one generator and one reward model as their servers answer, on a GPU that they share.

import { readFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
import { tableCost } from '@coppice/core/cost';
import type { SimEngine } from '@coppice/sim/engine';
import type { SimVerifier } from '@coppice/sim/verifier';
import { z } from 'zod';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { ContendedGpu } from './contended-gpu.ts';
import { embeddedOnTwoCores } from './embedded-machine.ts';
import { type EdgeMachine, edgeModels, edgeSequences } from './gpu.ts';
import { vllmCausalOnH200, vllmOnH200 } from './h200-vllm.ts';
import { costOf, type GpuName, hardware, kvTokensOf, type Setting } from './settings.ts';
import { evenSlowdown } from './slowdown.ts';

const positive = z.number().positive();
const times = z.array(z.tuple([positive, positive])).min(2);
const rising = z
  .array(positive)
  .min(1)
  .refine((all) => all.every((each, at) => at === 0 || each > all[at - 1]!), 'the values must rise');

const factor = z.number().min(1);
const grid = z.array(z.array(factor).min(1)).min(1);
const slowdownTable = z
  .object({ sequences: rising, passTokens: rising, generator: grid, rewardModel: grid })
  .refine(
    ({ sequences, passTokens, generator, rewardModel }) =>
      [generator, rewardModel].every(
        (rows) => rows.length === sequences.length && rows.every((row) => row.length === passTokens.length),
      ),
    'a row per sequences, a column per passTokens',
  );
/** Tables that were measured at one size have one pair of numbers. */
const slowdown = z.preprocess((value) => {
  const pair = z.object({ generator: z.number(), rewardModel: z.number() }).safeParse(value);
  return pair.success ? evenSlowdown(pair.data.generator, pair.data.rewardModel) : value;
}, slowdownTable);

/** What `table` writes. Unknown members are its raw readings; tables of before some member do without it. */
const machineSchema = z.object({
  name: z.string(),
  generator: z.object({
    contexts: z.array(positive).min(1),
    decode: z.array(z.tuple([positive, positive], positive)).min(2),
    prefill: times,
    joinMs: z.number().min(0).optional(),
    requestMs: z.number().min(0),
    kvTokens: positive,
    sequenceLimit: positive,
  }),
  rewardModel: z.object({
    pass: times,
    callMs: z.number().min(0).default(0),
    extraTokens: z.number().min(0).default(0),
    passTokens: positive,
    reusesPrefix: z.boolean(),
    kvTokens: positive,
  }),
  slowdown,
});

/** Machines that ship, by name. */
export const machines: Readonly<Record<string, MeasuredMachine>> = {
  'h200-vllm': vllmOnH200,
  'h200-vllm-causal': vllmCausalOnH200,
  embedded: embeddedOnTwoCores,
};

/** Reads a shipped machine by name, or one from a file. */
export function readMachine(file: string): MeasuredMachine {
  if (Object.hasOwn(machines, file)) return machines[file]!;
  const checked = machineSchema.safeParse(contentOf(file));
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0]!;
  return raise(
    'bad-setting',
    `--machine ${file} is not what npm run lab -- table writes: ${path.join('.')}: ${message}`,
  );
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return raise(
      'bad-setting',
      `--machine: cannot read ${file} as JSON; ${Object.keys(machines).join(', ')} ship with coppice`,
    );
  }
}

interface TrialPlace {
  readonly engine: ConstructorParameters<typeof SimEngine>[2];
  readonly verifier: ConstructorParameters<typeof SimVerifier>[2];
  /** GPUs a side. */
  readonly replicas: number;
}

interface PlaceSpec {
  readonly machine?: MeasuredMachine;
  /** How many of that machine; one unless given. */
  readonly gpus?: number;
  readonly edge?: EdgeMachine;
  readonly roofline?: GpuName;
  readonly size?: PlaceSize;
  readonly verifierReuses: boolean;
}

/** P0's hardware: GPUs a side, and sequences that each runs at a time. */
export interface PlaceSize {
  readonly replicas: number;
  readonly sequenceLimit: number;
}

export function placeOf(setting: Setting, spec: PlaceSpec): TrialPlace {
  if (spec.edge !== undefined) return edgePlace(spec.edge);
  return spec.machine === undefined ? paperPlace(setting, spec) : measuredPlace(spec.machine, spec.gpus);
}

function paperPlace(
  { generator, rewardModel }: Setting,
  { roofline, verifierReuses, size = hardware }: PlaceSpec,
): TrialPlace {
  const { replicas, sequenceLimit } = size;
  return {
    engine: {
      replicas,
      sequenceLimit,
      prefillTokens: 8192,
      cost: costOf(generator, roofline),
      kvTokens: kvTokensOf(generator),
    },
    verifier: {
      replicas,
      passTokens: 4096,
      reusesPrefix: verifierReuses,
      cost: costOf(rewardModel, roofline),
      kvTokens: kvTokensOf(rewardModel),
    },
    replicas,
  };
}

/** As many such machines as there are GPUs, each with both models; a search stays with one of each. */
function measuredPlace({ name, generator, rewardModel, slowdown }: MeasuredMachine, replicas = 1): TrialPlace {
  const gpus = Array.from({ length: replicas }, () => new ContendedGpu(slowdown));
  const { contexts, decode, prefill, joinMs, requestMs, kvTokens, sequenceLimit } = generator;
  const { pass, passTokens, reusesPrefix, callMs, extraTokens } = rewardModel;
  return {
    engine: {
      replicas,
      sequenceLimit,
      prefillTokens: 8192,
      kvTokens,
      requestMs,
      gpus,
      cost: tableCost({ name: `generator of ${name}`, contexts, decode, prefill, joinMs }),
    },
    verifier: {
      replicas,
      passTokens,
      reusesPrefix,
      callMs,
      extraTokens,
      kvTokens: rewardModel.kvTokens,
      gpus,
      cost: tableCost({ name: `reward model of ${name}`, contexts: [], decode: [], prefill: pass }),
    },
    replicas,
  };
}

/** Two processes on one GPU take turns. */
const turns = evenSlowdown(2, 2);

function edgePlace(machine: EdgeMachine): TrialPlace {
  const { generator, rewardModel, generatorTokens, verifierTokens } = edgeModels(machine);
  const gpus = [new ContendedGpu(turns, machine.alternates)];
  const scattered = machine.order === 'any';
  const sequences = { replicas: 1, sequenceLimit: edgeSequences, prefillTokens: 8192 };
  const { verifierReuses: reusesPrefix, looksAhead = true } = machine;
  const passes = { replicas: 1, passTokens: 4096, reusesPrefix, looksAhead };
  return {
    engine: { ...sequences, kvTokens: generatorTokens, scattered, gpus, cost: generator },
    verifier: { ...passes, kvTokens: verifierTokens, gpus, cost: rewardModel },
    replicas: 1,
  };
}
