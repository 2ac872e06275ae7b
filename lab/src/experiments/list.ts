// The list of all experiments. A new one is a file beside this one and a line here.

import type { LabExperiment } from '../experiment/experiment.ts';
import { accuracy } from './accuracy.ts';
import { baselines } from './baselines.ts';
import { calibration } from './calibration.ts';
import { comparison } from './comparison.ts';
import { fairness } from './fairness.ts';
import { keptAnswers } from './kept-answers.ts';
import { knobs } from './knobs.ts';
import { p0 } from './p0.ts';
import { p0Tails } from './p0-tails.ts';
import { p1 } from './p1.ts';
import { p1Breakdown } from './p1-breakdown.ts';
import { p1Levels } from './p1-levels.ts';
import { p1Thresholds } from './p1-thresholds.ts';
import { p2 } from './p2.ts';
import { p3 } from './p3.ts';
import { p3Overhead } from './p3-overhead.ts';
import { p3Termination } from './p3-termination.ts';
import { p4 } from './p4.ts';
import { p4Variants } from './p4-variants.ts';
import { policies } from './policies.ts';
import { programs } from './programs.ts';
import { random } from './random.ts';
import { underLoadExperiment } from './under-load.ts';
import { waste } from './waste.ts';
import { width } from './width.ts';
import { worldsExperiment } from './worlds.ts';

/** Experiments of one page stand in the order in which `figures` runs them. */
export const experiments: readonly LabExperiment[] = [
  comparison,
  p0,
  p0Tails,
  programs,
  p1,
  p1Levels,
  p1Thresholds,
  p1Breakdown,
  p2,
  p3,
  p3Termination,
  p3Overhead,
  underLoadExperiment,
  keptAnswers,
  p4,
  p4Variants,
  policies,
  accuracy,
  worldsExperiment,
  waste,
  random,
  width,
  baselines,
  fairness,
  knobs,
  calibration,
];
