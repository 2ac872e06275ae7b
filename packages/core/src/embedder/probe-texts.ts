// Tries an embedder on three answers: two that say the same and one that says something else. An embedder that
// cannot tell them apart at `groupSimilarity` would make a majority of anything.

import { cosine, groupSimilarity } from '../answer/likeness.ts';
import type { Embedder, EmbedderMessage } from './embedder.ts';

const texts = [
  'The server stopped because its disk was full.',
  'Because the disk was full, the server stopped.',
  'The children are playing football in the garden.',
] as const;

export async function embedderWarning(embedder: Embedder): Promise<string | undefined> {
  const probed = await probeTexts(embedder);
  if ('code' in probed)
    return `${embedder.name} gives no vectors: ${probed.message}; open answers are compared by their words until it does`;
  return probed.fit ? undefined : `${embedder.name} does not tell answers apart: ${probed.found}`;
}

/** Connects the embedder: call it before the runtime connects. */
export async function probeTexts(embedder: Embedder) {
  const messages = await replies(embedder);
  const failed = messages.find((message) => message.type === 'fault');
  if (failed !== undefined) return failed.fault;
  const [one, same, other] = messages.map((message) => (message.type === 'vector' ? message.vector : []));
  const [near, far] = [cosine(one!, same!), cosine(one!, other!)];
  const found = `two answers that say the same are ${near.toFixed(2)} near, two that do not ${far.toFixed(2)}; from ${groupSimilarity} on they count as one`;
  return { fit: near >= groupSimilarity && far < groupSimilarity, found };
}

function replies(embedder: Embedder): Promise<EmbedderMessage[]> {
  return new Promise((resolve) => {
    const found: EmbedderMessage[] = [];
    embedder.connect((message) => {
      found.push(message);
      if (found.length === texts.length) resolve(found.sort((a, b) => a.request - b.request));
    });
    embedder.embed(texts.map((text, id) => ({ id, text })));
  });
}
