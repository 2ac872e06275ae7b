// Reads a trace: one JSON line with the question, then one per event. `ask` writes it, `replay` reads it.

import { raise } from '@coppice/core/base';
import { readText } from '@coppice/core/config';
import type { LoggedEvent } from '@coppice/core/log';

export interface TraceHeader {
  readonly trace: 1;
  readonly question: string;
  readonly model: string;
  readonly program: string;
  readonly policy: string;
  readonly rollouts: number;
  readonly threshold: number;
  readonly seed: number;
}

export interface Trace {
  readonly header: TraceHeader;
  readonly events: readonly LoggedEvent[];
}

export function readTrace(path: string): Trace {
  const [first, ...rest] = readText(path)
    .split('\n')
    .filter((line) => line !== '');
  const header = parseLine(path, 1, first ?? '') as TraceHeader;
  if (header?.trace !== 1) {
    raise('bad-setting', `${path} is not a trace of coppice: its first line does not say "trace": 1`);
  }
  const events = rest.map((line, index) => parseLine(path, index + 2, line) as LoggedEvent);
  const bad = events.findIndex((event) => typeof event?.event?.type !== 'string' || typeof event.atMs !== 'number');
  if (bad >= 0) raise('bad-setting', `line ${bad + 2} of ${path} is not an event`);
  return { header, events };
}

function parseLine(path: string, number: number, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return raise('bad-setting', `line ${number} of ${path} is not JSON; a trace has one JSON value per line`);
  }
}
