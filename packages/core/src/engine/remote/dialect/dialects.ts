// The dialects by name.

import type { Dialect, DialectName } from './dialect.ts';
import { llamaServer } from './llama-server.ts';
import { plain } from './plain.ts';
import { sglang } from './sglang.ts';
import { vllm } from './vllm.ts';

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  vllm,
  sglang,
  'llama-server': llamaServer,
  openai: plain,
};
