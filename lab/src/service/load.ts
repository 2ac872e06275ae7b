// The load of a system: a multiple of a measured or predicted capacity, or a rate.

import { raise } from '@coppice/core/base';

/** A multiple of the measured capacity of `vanilla` (v) or of `positive` (p), or a number of requests per second. */
export interface Load {
  readonly name: string;
  readonly factor: number;
  readonly of: 'vanilla' | 'positive' | 'clock';
}

const yardstickNames = { v: 'vanilla', p: 'positive', '/s': 'clock' } as const;

export function parseLoad(text: string): Load {
  const match = /^(\d+(?:\.\d+)?)(v|p|\/s)$/.exec(text);
  const factor = Number(match?.[1]);
  if (match === null || !(factor > 0 && factor <= 100)) {
    raise(
      'bad-setting',
      `--load is '${text}'; it must be a multiple of a capacity, such as 0.6v or 1p, or a rate, as 0.8/s`,
    );
  }
  return { name: text, factor, of: yardstickNames[match[2] as keyof typeof yardstickNames] };
}
