// Writes a section into a calibration: a new file, or one for the same model, in which a section of the same kind for the same search is
// replaced. A file for something else is not touched.

import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { raise } from '../base/fault.ts';
import { version } from '../config/version.ts';
import {
  type CalibrationFile,
  type CalibrationSection,
  calibrationFormat,
  calibrationVersion,
  checkBinding,
  isForSame,
  type ModelIdentity,
} from './calibration-file.ts';
import { readCalibration } from './read-calibration.ts';

/** Before anything is run: whether the file could be written in the end. */
export function checkOut(file: string): void {
  if (existsSync(file)) readCalibration(file);
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    raise('bad-setting', `--out: cannot write ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The same, once it is known what the calibration will be of. */
export function checkOutFor(file: string, model: ModelIdentity): void {
  const remedy = 'name another file';
  if (existsSync(file)) checkBinding(`--out ${file}`, readCalibration(file), model, version, remedy);
}

export function writeSection(file: string, model: ModelIdentity, section: CalibrationSection): void {
  const kept = existsSync(file) ? keptSections(file, model, section) : [];
  const content: CalibrationFile = {
    format: calibrationFormat,
    version: calibrationVersion,
    coppice: version,
    model,
    sections: [...kept, section],
  };
  try {
    writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
  } catch (error) {
    raise('bad-setting', `--out: cannot write ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

function keptSections(file: string, model: ModelIdentity, section: CalibrationSection): CalibrationSection[] {
  checkOutFor(file, model);
  return readCalibration(file).sections.filter(
    (each) => each.kind !== section.kind || !isForSame(each.search, section.search),
  );
}
