// `/v1/batches`: create, read, list, cancel. What becomes of a batch is the runner's; here its document is made and read.

import { z } from 'zod';
import type { KeptDocument } from '../../../journal/documents.ts';
import { ApiError } from '../../http/api-error.ts';
import { parseBody } from '../../http/checked-input.ts';
import { type Exchange, readJson, writeJson } from '../../http/exchange.ts';
import type { Caller } from '../../http/keys.ts';
import { newId } from '../../searches/search-facts.ts';
import { type GatewayContext, requireJournal } from '../context.ts';
import { dialects } from '../dialects.ts';
import { asFacts, type BatchFacts, batchFacts, inStatus, viewBatch } from './batch-facts.ts';
import type { BatchRunner } from './batch-runner.ts';
import { findFile } from './files-api.ts';
import { listOf, requireTexts } from './listing.ts';

const windowMs = 86_400_000;

export const batchSchema = z.strictObject({
  input_file_id: z.string().min(1),
  endpoint: z.enum(dialects.map(({ path }) => path)),
  completion_window: z.literal('24h'),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
});

export class BatchesApi {
  readonly #context: GatewayContext;
  readonly #runner: BatchRunner;

  constructor(context: GatewayContext, runner: BatchRunner) {
    this.#context = context;
    this.#runner = runner;
  }

  async create({ request, response, caller }: Exchange): Promise<void> {
    requireTexts(this.#context);
    const value = await readJson(this.#context, request);
    const { input_file_id: input, endpoint, metadata } = parseBody(batchSchema, value);
    requireJournal(this.#context);
    await findFile(this.#context, caller, input).catch((error: unknown) => {
      throw error instanceof ApiError ? new ApiError(error.code, error.message, { param: 'input_file_id' }) : error;
    });
    const createdMs = this.#context.clock.nowMs();
    const named = { input, output: newId('file-', createdMs), errors: newId('file-', createdMs) };
    const fresh = { problems: [], total: 0, counts: null, lease: null, status: 'validating' } as const;
    const known = { endpoint, metadata: metadata ?? null, maxPriority: caller.maxPriority };
    const times = { validating: createdMs };
    const facts: BatchFacts = { ...named, ...fresh, ...known, times, expiresMs: createdMs + windowMs };
    const kept = { id: newId('batch_', createdMs), kind: 'batch', owner: caller.name, createdMs } as const;
    const document = { ...kept, open: true, expiresMs: undefined, facts: asFacts(facts) };
    await this.#context.journal.documents.add(document);
    this.#runner.look();
    // It has no results yet. Nothing is read that could fail: the batch is stored, and its client has to know its name.
    writeJson(response, 200, viewBatch({ ...document, revision: 0 }, { completed: 0, failed: 0 }));
  }

  async read({ response, caller, parameters }: Exchange): Promise<void> {
    writeJson(response, 200, await this.#json(await this.#find(caller, parameters.id ?? '')));
  }

  async list({ response, caller, query }: Exchange): Promise<void> {
    requireTexts(this.#context);
    const { page, more } = await listOf(this.#context, 'batch', caller, query);
    const data = await Promise.all(page.map((document) => this.#json(document)));
    writeJson(response, 200, { object: 'list', data, ...more });
  }

  /** What is under way ends at its best so far and is left out; what was answered can be read. */
  async cancel({ response, caller, parameters }: Exchange): Promise<void> {
    const { documents } = this.#context.journal;
    for (;;) {
      const document = await this.#find(caller, parameters.id ?? '');
      const facts = batchFacts(document);
      if (!document.open) throw new ApiError('bad_request', `the batch has ended as ${facts.status}`);
      const cancelling = inStatus(facts, 'cancelling', this.#context.clock.nowMs());
      const change = { facts: asFacts(cancelling), open: true, expiresMs: undefined };
      if (facts.status === 'cancelling' || (await documents.change(document.id, document.revision, change))) break;
    }
    await this.#runner.changed(parameters.id ?? '');
    writeJson(response, 200, await this.#json(await this.#find(caller, parameters.id ?? '')));
  }

  async #find(caller: Caller, id: string): Promise<KeptDocument> {
    requireTexts(this.#context);
    const document = await this.#context.journal.documents.find(id);
    if (document?.kind === 'batch' && (caller.admin || document.owner === caller.name)) return document;
    throw new ApiError('not_found', `there is no batch '${id.slice(0, 64)}'`);
  }

  /** The counts of one that is under way are those of its files of results. */
  async #json(document: KeptDocument) {
    const { documents } = this.#context.journal;
    const { output, errors, counts } = batchFacts(document);
    const linesOf = async (file: string) => (counts === null ? (await documents.partNumbers(file)).length : 0);
    return viewBatch(document, { completed: await linesOf(output), failed: await linesOf(errors) });
  }
}
