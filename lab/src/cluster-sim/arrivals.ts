// The arrivals of requests by key: a day of load compressed into some minutes, or an even rate, over four keys with equal shares; and
// one key that for a fifth of the time sends twice as much as all others together.

import { Random } from '@coppice/core/base';
import type { GroupSpec } from './cluster-spec.ts';

export interface ClientArrival {
  readonly atMs: number;
  readonly key: string;
  readonly background: boolean;
}

const keyNames = ['north', 'south', 'east', 'west'] as const;
export const floodKey = 'flood';
export const allKeys: readonly string[] = [...keyNames, floodKey];

/** Begin and end of the flood, as shares of the run. */
export const floodFrom = 0.2;
export const floodTo = 0.4;
const floodTimes = 2;

/** Requests per minute that the flooding key may send: as many as one of the others sends. Its flood is eight times that rate. */
export function floodQuota({ searches, minutes }: Pick<GroupSpec, 'searches' | 'minutes'>): number {
  return Math.ceil(searches / minutes / keyNames.length);
}

export function arrivalsOf(spec: GroupSpec): ClientArrival[] {
  const random = new Random('arrivals', spec.seed, spec.group);
  const lengthMs = spec.minutes * 60_000;
  const arrivals = Array.from({ length: spec.searches }, (): ClientArrival => {
    const luck = random.uniform();
    const atMs = lengthMs * (spec.load === 'flat' ? luck : dayTime(luck));
    return {
      atMs,
      key: keyNames[random.integer(keyNames.length)]!,
      background: random.chance(0.5) && spec.isBench !== true,
    };
  });
  if (spec.faults.includes('flood')) {
    const count = Math.round(spec.searches * floodTimes * (floodTo - floodFrom));
    for (let at = 0; at < count; at += 1) {
      const atMs = lengthMs * (floodFrom + (floodTo - floodFrom) * random.uniform());
      arrivals.push({ atMs, key: floodKey, background: true });
    }
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs);
}

/** Inverse of the day's share of arrivals until x: the rate is 1 − cos(2πx) / 2, lowest at both ends. */
function dayTime(share: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    if (middle - Math.sin(2 * Math.PI * middle) / (4 * Math.PI) < share) low = middle;
    else high = middle;
  }
  return low;
}
