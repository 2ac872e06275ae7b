// The child process of a trial: loads a library and a model on a GPU, decodes a few tokens, and exits with status 0 on success.

import type { GenerateRequest } from '@coppice/core/engine';
import { loadBinding } from '../native/binding.ts';
import { libraryFilesIn } from '../native/platform.ts';
import { Core } from '../thread/core.ts';

const [directory, model] = process.argv.slice(2);
const request: GenerateRequest = {
  id: 1,
  search: 'trial',
  prompt: { kind: 'text', text: 'Once upon a time' },
  parent: 0,
  path: [],
  index: 0,
  sampling: { temperature: 0 },
  seed: 1,
  delimiters: [],
  maxTokens: 2,
  lane: 'primary',
  priority: 0,
};

let worked = false;
const binding = loadBinding(libraryFilesIn(directory ?? ''));
// Without a GPU the library would compute on the CPU without a message.
if (!binding.seesGpu()) {
  console.error('it finds no GPU');
  process.exit(1);
}
const sizes = { kvTokens: 256, threads: 1, sequences: 2, rowLimit: 63, bulkRows: 63 };
const core = new Core(
  binding,
  { model: model ?? '', ...sizes, flashAttention: true, tokenIdsOf: 'own' },
  ({ type }) => {
    if (type === 'step') worked = true;
  },
  undefined,
);
core.generate([request]);
while (core.hasWork) core.step();
core.close();
process.exitCode = worked ? 0 : 1;
