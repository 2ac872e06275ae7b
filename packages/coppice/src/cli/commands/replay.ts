// `coppice replay`: steps through a trace of `ask --trace` with the arrow keys on a terminal; otherwise prints every event, or the tree
// after one of them.

import { emitKeypressEvents } from 'node:readline';
import { raise } from '@coppice/core/base';
import { type LoggedEvent, Replay } from '@coppice/core/log';
import { given, readArguments, whole } from '../flags/options.ts';
import { eventText } from '../terminal/progress-view.ts';
import { cutTo, duration, LiveBlock, widthOf } from '../terminal/terminal.ts';
import { readTrace, type Trace } from '../terminal/trace.ts';
import { treeLines } from '../terminal/tree-view.ts';

export const help = `usage: coppice replay FILE [options]
Steps through a trace written by coppice ask --trace FILE.

  --at N     prints the tree as it was after N events
  --events   prints every event, one per line (the default without a terminal)

Keys: right or space next event, left previous, down next finished path,
home and end, q quits.`;

export const flags = {
  at: { type: 'string' },
  events: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], allowPositionals: true, options: flags });
  const [file] = positionals;
  if (file === undefined) raise('bad-setting', 'there is no trace; give the file that ask --trace wrote');
  const trace = readTrace(file);
  const { at } = given('at', values.at, (text) => whole('at', text, 0, trace.events.length, 'events'));
  if (at !== undefined) printAt(trace, at);
  else if (values.events || !process.stdout.isTTY || !process.stdin.isTTY) printEvents(trace);
  else await stepThrough(trace);
  return 0;
}

function printEvents(trace: Trace): void {
  const width = process.stdout.isTTY ? widthOf(process.stdout, 200) : 200;
  const startMs = trace.events[0]?.atMs ?? 0;
  console.log(titleOf(trace));
  for (const [index, { atMs, event }] of trace.events.entries()) {
    const number = String(index + 1).padStart(4);
    console.log(cutTo(`${number} ${duration(atMs - startMs).padStart(9)}  ${eventText(event)}`, width));
  }
}

function printAt(trace: Trace, at: number): void {
  const { tree, fault } = new Replay(trace.events).seek(at);
  console.log(titleOf(trace));
  if (tree !== undefined) console.log(treeLines(tree, { width: 80, height: 10_000 }).join('\n'));
  if (fault !== undefined) console.log(fault);
}

async function stepThrough(trace: Trace): Promise<void> {
  const block = new LiveBlock(process.stdout);
  const replay = new Replay(trace.events);
  let at = Math.min(1, trace.events.length);
  const draw = () => block.draw(screen(trace, replay, at, block));
  draw();
  for await (const key of keys()) {
    const next = positionAfter(key, at, trace.events);
    if (next === undefined) return;
    at = next;
    draw();
  }
}

/** The event to show after a key; undefined ends it. */
function positionAfter(key: string, at: number, events: readonly LoggedEvent[]): number | undefined {
  switch (key) {
    case 'q':
    case 'escape':
    case 'ctrl-c':
      return undefined;
    case 'right':
    case 'space':
      return Math.min(events.length, at + 1);
    case 'left':
      return Math.max(0, at - 1);
    case 'home':
      return 0;
    case 'end':
      return events.length;
    case 'down': {
      const finished = events.findIndex(({ event }, index) => index >= at && event.type === 'grown' && event.terminal);
      return finished < 0 ? events.length : finished + 1;
    }
    default:
      return at;
  }
}

async function* keys(): AsyncGenerator<string> {
  const { stdin } = process;
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  try {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<{ readonly name?: string; readonly ctrl?: boolean }>();
      stdin.once('keypress', (_, key) => resolve(key));
      const { name, ctrl } = await promise;
      yield ctrl && name === 'c' ? 'ctrl-c' : (name ?? '');
    }
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

function screen(trace: Trace, replay: Replay, at: number, block: LiveBlock): string[] {
  const { tree, fault } = replay.seek(at);
  const size = { width: block.width - 1, height: block.height - 6 };
  const last = trace.events[at - 1];
  const afterMs = last === undefined ? 0 : last.atMs - trace.events[0]!.atMs;
  const where = `event ${at} of ${trace.events.length}, ${duration(afterMs)}`;
  const lines = tree === undefined ? [] : treeLines(tree, size);
  return [
    titleOf(trace),
    '',
    ...lines,
    '',
    `${where}: ${fault ?? (last === undefined ? 'the beginning' : eventText(last.event))}`,
  ];
}

function titleOf({ header }: Trace): string {
  return `${header.question}  [${header.program}, ${header.policy}, seed ${header.seed}]`;
}
