// Every experiment can be run as it is published: its rows and flags are known, and its page shows its commands. A knob or a flag that was renamed
// breaks them here, not when they are run.

import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readExperiment, readFigures } from '../commands/experiment-options.ts';
import { contenderOf } from '../sim/contenders.ts';
import { experiments } from './list.ts';

/** A command that goes on in the next line is one line. */
const pages = globSync('lab/docs/**/*.md').map((file) => {
  return { file, text: readFileSync(file, 'utf8').replace(/ \\\n\s*/g, ' ') };
});

/** Files that an experiment before has to leave, or the reader to bring, are not there to be read. */
const withoutFiles = (flags: string) => flags.replace(/ ?--(trees|machine) \S+/g, '');
const wordsOf = (flags: string) => flags.split(/\s+/).filter((word) => word !== '');

describe.each(experiments.map((experiment) => [experiment.name, experiment] as const))('%s', (name, experiment) => {
  it('names rows that there are', () => {
    for (const row of experiment.preset.rows ?? []) expect(contenderOf(row).program).toBeDefined();
  });

  it('reads the flags of its published runs, which its page shows', () => {
    const page = pages.find(({ file }) => file === `lab/docs/${experiment.page}`);
    for (const flags of experiment.published) {
      const { experiment: read, plan } = readExperiment(['--experiment', name, ...wordsOf(withoutFiles(flags))]);
      expect(read).toBe(experiment);
      expect(experiment.cells(plan).length).toBeGreaterThan(0);
      expect(page?.text).toContain(`npm run lab -- sim --experiment ${name} ${flags}`.trimEnd());
    }
  });

  it('tells cells apart by what they are', () => {
    const { plan } = readExperiment(['--experiment', name]);
    const keys = experiment.cells(plan).map((cell) => JSON.stringify(cell));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

it('has one experiment of a name', () => {
  expect(new Set(experiments.map(({ name }) => name)).size).toBe(experiments.length);
});

const commands = pages.flatMap(({ file, text }) =>
  [...text.matchAll(/npm run lab -- (sim|figures)((?: [^`\n;|>#]+)?)/g)].map(
    ([, command, flags]) => [file, command!, withoutFiles(flags!)] as const,
  ),
);

it.each(commands.filter(([, , flags]) => !/\b(ROWS?|FILE|FOLDER|NAME|PAGE)\b|…/.test(flags)))(
  '%s shows a command that is read today: %s%s',
  (_, command, flags) => {
    if (command === 'figures') expect(readFigures(wordsOf(flags)).page).toBeDefined();
    else expect(readExperiment(wordsOf(flags)).plan.seeds.length).toBeGreaterThan(0);
  },
);
