// The edge of the folder: reads a calibration, and finds out what the model in use is. Weights are told apart by their hash,
// which takes a few seconds for large ones; it is made only where a calibration is used.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { raise } from '../base/fault.ts';
import type { ModelConfig } from '../config/schema.ts';
import { version } from '../config/version.ts';
import { modelPath } from '../engine/llama/shipped-models.ts';
import { type CalibrationFile, checkBinding, type ModelIdentity, parseCalibration } from './calibration-file.ts';

/** What cannot be read off the configuration. */
export interface OpenedParts {
  /** As the verifier calls itself; missing where nothing scores. */
  readonly verifier?: string | undefined;
  /** What a server calls its model. */
  readonly served?: string | undefined;
}

/** Read, and bound to this model; a FaultError says in one line why it cannot be used. */
export function openCalibration(file: string, config: ModelConfig, parts: OpenedParts): CalibrationFile {
  const name = `calibration ${file}`;
  const calibration = readCalibration(file);
  checkBinding(name, calibration, identityOf(config, parts), version);
  return calibration;
}

export function readCalibration(file: string): CalibrationFile {
  return parseCalibration(`calibration ${file}`, textOf(file));
}

export function identityOf({ engine }: ModelConfig, { verifier = 'none', served }: OpenedParts): ModelIdentity {
  return { generator: generatorOf(engine, served), verifier };
}

function generatorOf(engine: ModelConfig['engine'], served: string | undefined): string {
  const model = String(engine.model ?? 'unnamed');
  if (engine.kind === 'llama') return weightsName(model, hashOfFile(modelPath(model)));
  return engine.kind === 'sim' ? 'simulated' : (served ?? model);
}

/** The same for a recording, which knows the hash of the weights that drew it. */
export function weightsName(model: string, hash: string): string {
  return `${basename(model)} sha256:${hash}`;
}

const chunkBytes = 1 << 24;

export function hashOfFile(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  const handle = openSync(path, 'r');
  try {
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk))
      hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(handle);
  }
  return hash.digest('hex');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return raise('bad-setting', `calibration ${file} cannot be read (${code})`);
  }
}
