// What is run when nobody says otherwise. Seeds from 900 are for fitting the question profiles, those from 800 for
// choosing knobs; what a report quotes comes from the seeds from 1, which decided nothing.

import { rows, settingNames } from 'coppice/internals';
import { certaintyRows } from './p1.ts';

export interface Preset {
  readonly settings: readonly string[];
  readonly rows: readonly string[];
  readonly base: string;
  readonly seed: number;
  readonly seeds: number;
  readonly requests: number;
  readonly loads: readonly string[];
}

const canonical = { settings: settingNames, rows, base: 'positive', seed: 1 } as const;

/** One knob at a time, the others as they are. */
const turns = [
  ...['first=boost', 'beta=0', 'beta=8', 'gate=0', 'gate=2', 'gate=4', 'lambda=1', 'preemption=eager'],
  ...['progress=open', 'firstDepthCut=0.4', 'firstDepthCut=0.85'],
  ...['boundPrune=threshold', 'boundPrune=best', 'chancePrune=0.05'],
];

export const presets = {
  /** Ends within two minutes on two cores. */
  default: { ...canonical, seeds: 2, requests: 144, loads: ['1p'] },
  /** What lab/docs/experiments/p0.md reports. */
  full: { ...canonical, seeds: 2, requests: 256, loads: ['0.6v', '1p', '2p'] },
  knobs: {
    settings: ['math500/8b', 'amc23/14b'],
    rows: ['boost', ...turns.map((turn) => `boost:${turn}`)],
    base: 'boost',
    seed: 801,
    seeds: 2,
    requests: 300,
    loads: ['1p'],
  },
  /** What every search has to beat: samples without a tree, each with the exits it can use. */
  programs: {
    ...canonical,
    rows: ['greedy', 'self-consistency', 'best-of-n', 'best-of-n+positive', ...rows],
    seeds: 2,
    requests: 256,
    loads: ['1p'],
  },
  /** Exits of certainty at P1's caps (p1.ts has the rows); what lab/docs/experiments/p1.md reports. */
  p1: {
    ...canonical,
    settings: ['math500/8b', 'amc23/8b'],
    rows: certaintyRows,
    seeds: 3,
    requests: 160,
    loads: [],
  },
  /** Deadlines kept by rate and order (../service-levels); part of p1 at its full size. */
  'p1-levels': {
    ...canonical,
    settings: ['math500/8b'],
    rows: ['self-consistency', 'vanilla'],
    seeds: 1,
    requests: 600,
    loads: [],
  },
  /** Speculation, one search at a time; what lab/docs/experiments/p3.md reports. */
  p3: {
    ...canonical,
    settings: ['math500/8b', 'amc23/14b'],
    seeds: 1,
    requests: 130,
    loads: [],
    rows: [
      ...['vanilla', 'positive', 'vanilla:expansion=lazy', 'positive:expansion=lazy', 'rest', 'rstar'],
      ...['beam', 'dvts', 'rebase', 'ets'],
    ],
  },
  /** Goodput on P4's GPU (p4.ts has the rows), on seeds that nothing was chosen on; what lab/docs/experiments/p4.md reports. */
  p4: { ...canonical, rows: [], seed: 101, seeds: 3, requests: 12, loads: [] },
  /** Speculation in settings drawn at random; what lab/docs/experiments/p3.md reports. */
  'under-load': { ...canonical, seeds: 1, requests: 2000, loads: [] },
  /** Ours beside their baselines, up to deep overload; what docs/policies.md reports, at fewer requests where it says so. */
  policies: {
    ...canonical,
    rows: ['positive', 'boost', 'taper', 'safe', 'fast'],
    seeds: 1,
    requests: 800,
    loads: ['1p', '2p', '8p'],
  },
  /** What one who knows the end would not have computed. */
  waste: { ...canonical, rows: ['positive', 'boost', 'safe', 'fast'], seeds: 1, requests: 400, loads: [] },
  /** 32,000 questions, as accuracy is asked for. */
  accuracy: { ...canonical, rows: ['safe', 'fast'], seeds: 8, requests: 1000, loads: [] },
  /** How evenly company slows requests down. */
  fairness: {
    ...canonical,
    settings: ['math500/8b', 'amc23/8b'],
    rows: ['positive', 'boost', 'taper', 'safe', 'safe:order=sjf', 'fast'],
    seeds: 1,
    requests: 400,
    loads: ['1p', '2p'],
  },
  /** The calibrated exit, on seeds that nothing else was chosen on; odd ones all at once, even ones one by one. */
  hazard: { ...canonical, rows: [], seed: 951, seeds: 4, requests: 1000, loads: [] },
  /** How near the question profiles come to what the paper reports. */
  calibration: {
    ...canonical,
    rows: ['vanilla', 'positive', 'positive+strict', 'positive+negative'],
    seed: 901,
    seeds: 2,
    requests: 500,
    loads: [],
  },
} as const satisfies Record<string, Preset>;
