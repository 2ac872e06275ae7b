// `npm run lab -- sim [--experiment NAME]`: runs one experiment in virtual time, by default the canonical comparison of policies. Prints tables (or JSON)
// and the settings of the run, so that a reader can repeat it.

import { planFlagNames, planFlagOf } from '../experiment/plan.ts';
import { experiments } from '../experiments/list.ts';
import { readExperiment, resultsFolder, runHelp } from './experiment-options.ts';
import { runExperiment } from './run-experiment.ts';

export async function run(args: readonly string[]): Promise<number> {
  const options = readExperiment(args);
  if (options.run.help) console.log(usage());
  else await runExperiment(options);
  return 0;
}

function usage(): string {
  const flags = planFlagNames.map((name) => {
    const { takes, about } = planFlagOf(name);
    const readers = experiments.filter((each) => each.flags.includes(name)).map((each) => each.name);
    const whose = readers.length < 5 ? ` (${readers.join(', ')})` : '';
    return line(`--${name}${takes === undefined ? '' : ` ${takes}`}`, about + whose);
  });
  return [
    'usage: npm run lab -- sim [--experiment NAME] [options]',
    'One experiment in virtual time, on simulated GPUs with measured step times. Every figure is simulated.',
    '',
    ...experiments.map(({ name, about }) => line(name, about)),
    '',
    'Its plan; a flag that an experiment does not read is refused:',
    line('--full', `the published size (${experiments.flatMap(({ name, full }) => (full ? [name] : [])).join(', ')})`),
    ...flags,
    '',
    runHelp,
    '',
    `Lists are separated by commas. Same options, same output, whatever the number of threads. Charts go to ${resultsFolder} unless --out is given.`,
  ].join('\n');
}

function line(what: string, about: string): string {
  return `  ${what.padEnd(18)} ${about}`;
}
