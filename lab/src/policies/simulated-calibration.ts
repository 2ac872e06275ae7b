// Calibrations in the simulator: bound to the question profiles and their simulated verifier, or, where recorded trees are
// drawn from, to the weights that drew them. Otherwise read and refused as everywhere.

import {
  type CalibratedSearch,
  type CalibrationFile,
  type CalibrationSection,
  calibrationFormat,
  calibrationVersion,
  checkBinding,
  type ModelIdentity,
  modelConfig,
  programOptions,
  readCalibration,
  readTrees,
  version,
  weightsName,
} from 'coppice/internals';

const simulated: ModelIdentity = { generator: 'simulated', verifier: 'simulated' };

/** `trees`: the recording that is drawn from, if one is. */
export function openSimulatedCalibration(file: string, trees: string | undefined): CalibrationFile {
  const calibration = readCalibration(file);
  checkBinding(`calibration ${file}`, calibration, simulatedIdentity(trees), version);
  return calibration;
}

export function simulatedIdentity(trees: string | undefined): ModelIdentity {
  return trees === undefined ? simulated : drawnBy(trees);
}

function drawnBy(file: string): ModelIdentity {
  const { model, modelHash, verifier } = readTrees(file).header;
  return { generator: weightsName(model, modelHash), verifier };
}

/** The search that every row of mcts runs. */
export function simulatedSearch(rollouts: number): CalibratedSearch {
  const { branching, choose } = modelConfig;
  const options = programOptions('mcts', modelConfig);
  return { program: 'mcts', options, branching, choose, aggregation: 'product', rollouts };
}

export function simulatedFile(sections: CalibrationSection[]): CalibrationFile {
  return { format: calibrationFormat, version: calibrationVersion, coppice: version, model: simulated, sections };
}
