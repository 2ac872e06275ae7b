// The other side of `npm run bench -- engine --peer`: the same work through node-llama-cpp's public API. Runs in a process
// of its own: reads a number of sequences, and writes the time of a round.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface PeerSequence {
  evaluate(tokens: number[], options: object): AsyncIterable<number>;
  clearHistory(): Promise<void>;
}
interface PeerContext {
  getSequence(): PeerSequence;
  dispose(): Promise<void>;
}
interface PeerModel {
  tokenize(text: string): number[];
  createContext(options: object): Promise<PeerContext>;
}
type Peer = { getLlama(options: object): Promise<{ loadModel(options: object): Promise<PeerModel> }> };

const settings = JSON.parse(process.env.PEER ?? '{}') as {
  readonly folder: string;
  readonly model: string;
  readonly prompt: string;
  readonly tokens: number;
  readonly sampling: object;
};

const entry = join(settings.folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
const { getLlama } = (await import(pathToFileURL(entry).href)) as Peer;
const llama = await getLlama({ gpu: false, maxThreads: 1, build: 'never', logLevel: 'error' });
const model = await llama.loadModel({ modelPath: settings.model });
const prompt = model.tokenize(settings.prompt);
const contexts = new Map<number, { readonly sequences: readonly PeerSequence[] }>();

async function contextOf(batch: number): Promise<{ readonly sequences: readonly PeerSequence[] }> {
  const known = contexts.get(batch);
  if (known !== undefined) return known;
  const sizes = { sequences: batch, contextSize: 256, batchSize: 512, threads: 1, flashAttention: true };
  const context = await model.createContext(sizes);
  const made = { sequences: Array.from({ length: batch }, () => context.getSequence()) };
  contexts.set(batch, made);
  return made;
}

async function generate(sequence: PeerSequence): Promise<number> {
  let count = 0;
  for await (const _ of sequence.evaluate(prompt, settings.sampling)) {
    count += 1;
    if (count >= settings.tokens) break;
  }
  return count;
}

process.on('message', async (batch: number) => {
  const { sequences } = await contextOf(batch);
  for (const sequence of sequences) await sequence.clearHistory();
  const startMs = performance.now();
  const before = process.cpuUsage();
  const counts = await Promise.all(sequences.map(generate));
  const { user, system } = process.cpuUsage(before);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  process.send?.({ tokens, wallMs: performance.now() - startMs, processorMs: (user + system) / 1000 });
});
process.send?.('ready');
