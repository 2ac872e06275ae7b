// `/v1/files`: upload, list, read, delete. A file is lines of text for batches, in the journal's database. A key sees its own files;
// an admin key sees all.

import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import { nextSlice } from '@coppice/core/base';
import type { KeptDocument } from '@coppice/core/journal';
import { z } from 'zod';
import { type GatewayContext, requireJournal } from '../api/context.ts';
import { ApiError, refuse, refuseField } from '../http/api-error.ts';
import { parseBody, readQuery } from '../http/checked-input.ts';
import { baseHeaders, type Exchange, roomIn, writeJson } from '../http/exchange.ts';
import { batchRetention } from '../http/fixed-limits.ts';
import type { Caller } from '../http/keys.ts';
import { newId } from '../searches/search-facts.ts';
import type { FileJson } from '../wire/document-json.ts';
import { type FileFacts, fileFacts, pageParts } from './batch-results.ts';
import { findDocument, listOf, listQuery, requireTexts } from './listing.ts';

/** Characters of one part: bounds one read. */
const partChars = 65_536;
const formBytes = 16_384;
const mostParts = 16;
const partHeaderBytes = 4096;
const mostFiles = 10_000;
const noBoundary = 'the content-type names no boundary of the form';

export async function createFile(context: GatewayContext, { request, response, caller }: Exchange): Promise<void> {
  requireTexts(context);
  requireJournal(context);
  const { batchFileBytes: fileBytes } = context.limits;
  const type = request.headers['content-type'] ?? '';
  if (!type.toLowerCase().startsWith('multipart/form-data'))
    refuse('unsupported_media_type', 'a file must be sent as content-type: multipart/form-data');
  const body = await context.bodies.read(request, fileBytes + formBytes);
  // Each of the next steps takes about 100 ms for 32 MB; other requests run in between.
  await nextSlice();
  const form = parseBody(uploadForm, Object.fromEntries(await formOf(body, type)));
  await nextSlice();
  const text = await textOf(form.file, fileBytes);
  await nextSlice();
  const bytes = Buffer.byteLength(text);
  await requireRoom(context, caller, bytes);
  const createdMs = context.clock.nowMs();
  const retentionMs = batchRetention * context.config.journal.retentionMs;
  const expiresMs = createdMs + retentionMs;
  const facts: FileFacts = { filename: form.file.name.slice(0, 255).toWellFormed(), purpose: 'batch', bytes };
  const times = { createdMs, open: false, expiresMs };
  const document = { id: newId('file-', createdMs), kind: 'file', owner: caller.name, ...times, facts } as const;
  await context.journal.documents.add(document, inParts(text));
  writeJson(response, 200, viewFile({ ...document, revision: 0 }));
}

async function formOf(body: Buffer, type: string): Promise<FormData> {
  checkParts(body, type);
  try {
    return await new Response(body as Buffer<ArrayBuffer>, { headers: { 'content-type': type } }).formData();
  } catch {
    return refuse('bad_request', 'the body is not valid multipart/form-data');
  }
}

/** Parsing cost grows with parts and header lines, and holds up all other requests: both are bounded first. */
function checkParts(body: Buffer, type: string): void {
  const line = `--${boundaryOf(type)}`;
  let parts = 0;
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + line.length)) {
    const start = at + line.length;
    if (body.toString('latin1', start, start + 2) === '--') return;
    parts += 1;
    if (parts > mostParts) refuse('bad_request', `the form has more than ${mostParts} parts, the limit`);
    const isBounded = body.subarray(start, start + partHeaderBytes).includes('\r\n\r\n');
    const tooLarge = `the headers of part ${parts} of the form are larger than ${partHeaderBytes} bytes, the limit`;
    if (!isBounded && body.length > start + partHeaderBytes) refuse('bad_request', tooLarge);
  }
}

function boundaryOf(type: string): string {
  try {
    return new MIMEType(type).params.get('boundary') || refuse('bad_request', noBoundary);
  } catch {
    return refuse('bad_request', noBoundary);
  }
}

export const uploadForm = z.strictObject({
  file: z.file('must be a file'),
  purpose: z.literal('batch', "must be 'batch': files are for batches"),
});

async function textOf(file: File, most: number): Promise<string> {
  const bytes = Buffer.from(await file.arrayBuffer());
  if (bytes.length > most) throw new ApiError('body_too_large', `'file' has ${bytes.length} bytes; at most ${most}`);
  if (bytes.length === 0) refuseField('invalid_value', 'file', 'is empty');
  if (!isUtf8(bytes) || bytes.includes(0)) refuseField('invalid_value', 'file', 'must be text in UTF-8');
  return bytes.toString('utf8');
}

async function requireRoom({ journal, limits }: GatewayContext, { name: owner }: Caller, bytes: number): Promise<void> {
  const files = await journal.documents.list({ kind: 'file', owner, limit: mostFiles });
  const kept = files.reduce((sum, file) => sum + fileFacts(file).bytes, 0);
  const { keyFileBytes: keyBytes } = limits;
  if (files.length >= mostFiles || kept + bytes > keyBytes)
    throw new ApiError(
      'storage_full',
      `this key keeps ${files.length} files of ${kept} bytes; at most ${mostFiles} files and ${keyBytes} bytes`,
    );
}

function inParts(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + partChars);
    const last = text.charCodeAt(end - 1);
    // Never splits a surrogate pair.
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

export const filesQuery = z.object({
  ...listQuery.shape,
  purpose: z.string().optional(),
  order: z.literal('desc', "must be 'desc': the newest come first").optional(),
});

export async function listFiles(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { purpose } = readQuery(filesQuery, exchange.query);
  const isWanted = (document: KeptDocument) =>
    !document.open && (purpose === undefined || fileFacts(document).purpose === purpose);
  writeJson(exchange.response, 200, await listOf(context, 'file', exchange, viewFile, isWanted));
}

export async function readFile(context: GatewayContext, { response, caller, parameters }: Exchange): Promise<void> {
  writeJson(response, 200, viewFile(await findDocument(context, 'file', caller, parameters.id)));
}

export async function readContent(context: GatewayContext, { response, caller, parameters }: Exchange): Promise<void> {
  const { id } = await findDocument(context, 'file', caller, parameters.id);
  response.writeHead(200, { ...baseHeaders, 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
  for (let after: number | undefined = -1; after !== undefined && !response.destroyed; ) {
    await roomIn(response);
    await nextSlice();
    const page = await context.journal.documents.parts(id, after, pageParts);
    // Ends the page at the part that fills the reader's buffer; the next round reads on from there.
    after = (page.find(({ text }) => !response.write(text)) ?? page.at(-1))?.part;
  }
  response.end();
}

export async function removeFile(context: GatewayContext, { response, caller, parameters }: Exchange): Promise<void> {
  const { id } = await findDocument(context, 'file', caller, parameters.id);
  requireJournal(context);
  await context.journal.documents.remove(id);
  writeJson(response, 200, { id, object: 'file', deleted: true });
}

function viewFile(document: KeptDocument): FileJson {
  const { filename, purpose, bytes } = fileFacts(document);
  const { id, createdMs, expiresMs } = document;
  return {
    id,
    object: 'file',
    bytes,
    created_at: Math.floor(createdMs / 1000),
    expires_at: expiresMs === undefined ? null : Math.floor(expiresMs / 1000),
    filename,
    purpose,
    status: 'processed',
    status_details: null,
  };
}
