// Boost with one knob turned at a time, on the seeds that are kept for choosing knobs.

import { listed } from '../experiment/plan.ts';
import { comparisonOf } from './comparison.ts';

const turns = [
  ...['first=boost', 'beta=0', 'beta=8', 'gate=0', 'gate=2', 'gate=4', 'lambda=1', 'preemption=eager'],
  ...['progress=open', 'firstDepthCut=0.4', 'firstDepthCut=0.85'],
  ...['boundPrune=threshold', 'boundPrune=best', 'chancePrune=0.05'],
];

export const knobs = comparisonOf({
  name: 'knobs',
  about: 'boost with one knob turned at a time, on the seeds kept for choosing them',
  page: 'experiments/p0.md',
  takes: '15 minutes',
  published: ['--requests 240'],
  preset: {
    settings: ['math500/8b', 'amc23/14b'],
    rows: ['boost', ...turns.map((turn) => `boost:${turn}`)],
    base: 'boost',
    seeds: [801, 802],
    requests: 300,
    loads: listed(['1p']),
  },
});
