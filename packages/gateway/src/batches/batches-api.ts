// `/v1/batches`: create, read, list, cancel. Makes and reads documents of batches; BatchRunner works on them.

import type { KeptDocument } from '@coppice/core/journal';
import { z } from 'zod';
import { type GatewayContext, requireJournal } from '../api/context.ts';
import { dialects } from '../api/create.ts';
import { ApiError } from '../http/api-error.ts';
import { parseBody } from '../http/checked-input.ts';
import { type Exchange, readJson, writeJson } from '../http/exchange.ts';
import { newId } from '../searches/search-facts.ts';
import type { BatchJson } from '../wire/document-json.ts';
import { type BatchFacts, batchFacts, inStatus, viewBatch } from './batch-facts.ts';
import type { BatchRunner } from './batch-runner.ts';
import { findDocument, listOf, requireTexts } from './listing.ts';

const windowMs = 86_400_000;

export const batchSchema = z.strictObject({
  input_file_id: z.string().min(1),
  endpoint: z.enum(dialects.map(({ path }) => path)),
  completion_window: z.literal('24h'),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
});

interface BatchContext extends GatewayContext {
  readonly batches: BatchRunner;
}

export async function createBatch(context: BatchContext, { request, response, caller }: Exchange): Promise<void> {
  requireTexts(context);
  const { input_file_id: input, endpoint, metadata } = parseBody(batchSchema, await readJson(context, request));
  requireJournal(context);
  await findDocument(context, 'file', caller, input).catch((error: unknown) => {
    throw error instanceof ApiError ? new ApiError(error.code, error.message, { param: 'input_file_id' }) : error;
  });
  const createdMs = context.clock.nowMs();
  const facts: BatchFacts = {
    endpoint,
    input,
    output: newId('file-', createdMs),
    errors: newId('file-', createdMs),
    metadata: metadata ?? null,
    maxPriority: caller.maxPriority,
    expiresMs: createdMs + windowMs,
    status: 'validating',
    problems: [],
    total: 0,
    counts: null,
    times: { validating: createdMs },
    lease: null,
  };
  const kept = { id: newId('batch_', createdMs), kind: 'batch', owner: caller.name, createdMs } as const;
  const document = { ...kept, open: true, expiresMs: undefined, facts: { ...facts } };
  await context.journal.documents.add(document);
  context.batches.look();
  // Reads nothing that could fail: the batch is stored, and its client needs the id.
  writeJson(response, 200, viewBatch({ ...document, revision: 0 }, { completed: 0, failed: 0 }));
}

export async function readBatch(context: GatewayContext, { response, caller, parameters }: Exchange): Promise<void> {
  writeJson(response, 200, await counted(context, await findDocument(context, 'batch', caller, parameters.id)));
}

export async function listBatches(context: GatewayContext, exchange: Exchange): Promise<void> {
  const page = await listOf(context, 'batch', exchange, (document) => counted(context, document));
  writeJson(exchange.response, 200, page);
}

export async function cancelBatch(context: BatchContext, exchange: Exchange): Promise<void> {
  const { caller, parameters } = exchange;
  for (;;) {
    const document = await findDocument(context, 'batch', caller, parameters.id);
    const facts = batchFacts(document);
    if (!document.open) throw new ApiError('bad_request', `the batch has ended as ${facts.status}`);
    const cancelling = inStatus(facts, 'cancelling', context.clock.nowMs());
    const change = { facts: { ...cancelling }, open: true, expiresMs: undefined };
    const { id, revision } = document;
    if (facts.status === 'cancelling' || (await context.journal.documents.change(id, revision, change))) break;
  }
  await context.batches.changed(parameters.id ?? '');
  await readBatch(context, exchange);
}

async function counted({ journal }: GatewayContext, document: KeptDocument): Promise<BatchJson> {
  const { output, errors, counts } = batchFacts(document);
  const linesOf = async (file: string) => (counts === null ? (await journal.documents.partNumbers(file)).length : 0);
  return viewBatch(document, { completed: await linesOf(output), failed: await linesOf(errors) });
}
