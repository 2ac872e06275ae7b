#!/usr/bin/env node
// The command line: loads one command and turns its faults into one readable line. Nothing else in src/ exits the process.

import './node-version.ts';
import { FaultError, nearest } from '@coppice/core/base';
import { commands } from './commands/list.ts';
import { helpAsked } from './flags/help.ts';
import { fit } from './terminal/terminal.ts';

function usage(): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`);
  const more = 'coppice COMMAND --help tells more; coppice --version tells the version.';
  return ['usage: coppice COMMAND [options]', '', ...lines, '', more].join('\n');
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(usage());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    const { version } = await import('@coppice/core/config');
    console.log(version);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === 'sim') {
    console.error('coppice: sim is a command of the lab: npm run lab -- sim in the repository');
    return 2;
  }
  if (command === undefined) {
    const meant = nearest(name, Object.keys(commands));
    const hint = meant === undefined ? `\n\n${usage()}` : `; did you mean ${meant}?`;
    console.error(`coppice: there is no command '${name}'${hint}`);
    return 2;
  }
  // Imported here, not above: a Node without node:sqlite would fail to link it before its version is checked.
  await import('./plugins/plugins.ts');
  const { run, help } = await command.load();
  const asked = helpAsked(rest, help);
  if (asked === undefined) return run(rest);
  console.log(asked);
  return 0;
}

/** Ends quietly when the reader of a pipe stops (`coppice bench | head`), as other commands do. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

process.stdout.on('error', endWithReader);
process.stderr.on('error', endWithReader);
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FaultError)) throw error;
  console.error(fit(`coppice: ${error.fault.message} (${error.fault.code})`, process.stderr));
  process.exitCode = error.fault.code === 'bad-setting' ? 2 : 1;
}
