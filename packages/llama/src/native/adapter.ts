// Loads a LoRA adapter onto a model: a GGUF file, or a PEFT folder through a temporary file. libllama only says that it failed, so
// faults are found beforehand.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raise } from '@coppice/core/base';
import { adapterAt, openingFacts } from '../adapter/adapter-place.ts';
import { peftAsGguf } from '../adapter/peft-adapter.ts';
import type { Binding, Pointer } from './binding.ts';
import type { Model } from './model.ts';

/** The model owns the adapter and frees it. No other context of the model may be computing: libllama lists its adapters unguarded. */
export function loadAdapter(binding: Binding, model: Model, path: string): Pointer {
  const place = adapterAt(path);
  if (place === undefined) return raise('bad-setting', `there is no LoRA adapter at ${path}`);
  if (place.form === 'gguf') return loadFile(binding, model, path, path);
  const bytes = peftAsGguf(path, model.shape);
  const folder = mkdtempSync(join(tmpdir(), 'coppice-adapter-'));
  try {
    const file = join(folder, 'adapter.gguf');
    writeFileSync(file, bytes);
    return loadFile(binding, model, file, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function loadFile(binding: Binding, model: Model, file: string, name: string): Pointer {
  const { architecture, path } = model.shape;
  const wanted = openingFacts(file).get('general.architecture');
  if (wanted !== architecture) {
    const is = `is of architecture ${wanted}, and ${path} of ${architecture}`;
    return raise('bad-setting', `the adapter ${name} is of another base: it ${is}`);
  }
  const adapter = binding.loadAdapter(model.handle, file);
  return adapter ?? raise('bad-setting', `the adapter ${name} is damaged, or of another base than ${path}`);
}
