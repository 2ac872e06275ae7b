import { expect, it } from 'vitest';
import { certainCalibration } from '../../../tests/support/calibrations.ts';
import type { OpenModel } from '../../answering/models/open-model.ts';
import type { CalibrationFile } from '../../calibration/calibration-file.ts';
import { modelConfig } from '../simulated/profiles.ts';
import { type Contender, type Contest, contestPlan, type Trial } from './contest.ts';
import { driftLines } from './drift-lines.ts';

const contender: Contender = { name: 'samples', program: 'self-consistency', policy: 'vanilla', rollouts: 10 };
const question = { id: 'q', question: 'How many?', answer: '4', solvable: true } as never;

function contestWith(calibration?: CalibrationFile): Contest {
  const verifier = { capabilities: { aggregation: 'product' } };
  const model = { config: modelConfig, engine: { capabilities: {} }, verifier, calibration } as unknown as OpenModel;
  return { model, settings: { wish: {}, budget: 16, concurrency: 8, seed: 1 }, isCorrect: () => true };
}

function calibrationFor(contest: Contest): CalibrationFile {
  const {
    program,
    programOptions: options,
    branching,
    choose,
    aggregation,
    rollouts,
  } = contestPlan(contest, { contender, question });
  return certainCalibration({ program, options, branching, choose, aggregation, rollouts }, 0.5);
}

it('warns where the questions of a comparison are not like those of the calibration, and says so where they are', () => {
  const contest = contestWith(calibrationFor(contestWith()));
  const trials = (exit: (at: number) => string) =>
    Array.from({ length: 60 }, (_, at) => ({ exit: exit(at), generatedTokens: 1000 }) as Trial);
  const even = trials((at) => (at % 2 === 0 ? 'certain' : 'exhausted'));
  expect(driftLines(contest, contender, [question], even)[0]).toMatch(/^samples: calibration 'certain' .* as expected/);
  const never = trials(() => 'exhausted');
  expect(driftLines(contest, contender, [question], never)[0]).toMatch(/^warning: samples: .* drifted/);
  expect(driftLines(contest, { ...contender, rollouts: 11 }, [question], never)).toEqual([]);
  expect(driftLines(contestWith(), contender, [question], never)).toEqual([]);
});
