// Vectors from a server's `/v1/embeddings`, as OpenAI, vLLM, SGLang and llama-server speak it.

import { raise } from '../base/fault.ts';
import { isRecord } from '../base/record.ts';
import { Connection, usualBytes } from '../remote/connection.ts';
import { count, records } from '../remote/wire-values.ts';
import { BatchedEmbedder, type BatchedEmbedderOptions, type EmbeddedTexts } from './batched-embedder.ts';

export interface EndpointOptions extends Omit<BatchedEmbedderOptions, 'name' | 'onClose'> {
  readonly url: string;
  readonly apiKey?: string;
  readonly model?: string | undefined;
}

/** The end is read: an answer stands there, and small models read 256 to 512 tokens. */
const longestText = 2000;
/** 8,000 numbers of 20 digits. */
const vectorBytes = 262_144;

export function openEndpoint({ url, apiKey, model, ...options }: EndpointOptions): BatchedEmbedder {
  const connection = new Connection({ url, apiKey, timers: options.timers });
  const embed = async (texts: readonly string[], signal: AbortSignal): Promise<EmbeddedTexts> => {
    const input = texts.map((text) => text.slice(-longestText));
    const body = { input, encoding_format: 'float', model };
    const limits = { timeoutMs: options.timeoutMs, limitBytes: usualBytes + vectorBytes * texts.length };
    const answer = await connection.json('POST', '/v1/embeddings', body, { ...limits, signal });
    return read(answer, connection.url);
  };
  const name = `embedder at ${connection.url}`;
  return new BatchedEmbedder(embed, { ...options, name, onClose: () => connection.close() });
}

function read(reply: unknown, url: string): EmbeddedTexts {
  const { data, usage } = isRecord(reply) ? reply : {};
  if (!Array.isArray(data)) return raise('protocol', `${url} answered without 'data'; is it an embeddings endpoint?`);
  const rows = records(data).map(({ index, embedding }, at) => ({ at: count(index) ?? at, embedding }));
  const vectors = rows.sort((a, b) => a.at - b.at).map(({ embedding }) => vectorOf(embedding, url));
  const told = isRecord(usage) ? usage : {};
  return { vectors, tokens: count(told.total_tokens) ?? count(told.prompt_tokens) ?? 0 };
}

/** Older llama-servers wrap the vector of a pooled text in one more list. */
function vectorOf(embedding: unknown, url: string): readonly number[] {
  const vector: unknown = Array.isArray(embedding) && Array.isArray(embedding[0]) ? embedding[0] : embedding;
  if (Array.isArray(vector) && vector.every((each) => typeof each === 'number')) return vector;
  return raise('protocol', `${url} answered an embedding that is no list of numbers`);
}
