// Reads the journal's files and writes a batch's two result files. These stay open, and hidden from clients, until the batch has ended.

import { nextSlice } from '@coppice/core/base';
import type { Documents, KeptDocument } from '@coppice/core/journal';
import type { FileJson } from '../wire/document-json.ts';
import type { BatchDocument } from './batch-facts.ts';

export type FileFacts = Pick<FileJson, 'filename' | 'purpose' | 'bytes'>;

/** Parts per page; the journal bounds the characters of a part. */
export const pageParts = 250;

export function fileFacts({ facts }: KeptDocument): FileFacts {
  return facts as FileFacts;
}

async function* partsOf(documents: Documents, id: string): AsyncGenerator<string> {
  for (let after = -1; ; ) {
    const page = await documents.parts(id, after, pageParts);
    if (page.length === 0) return;
    for (const { text } of page) yield text;
    after = page.at(-1)!.part;
    await nextSlice();
  }
}

export async function readWhole(documents: Documents, id: string): Promise<string | undefined> {
  if ((await documents.find(id)) === undefined) return undefined;
  const texts: string[] = [];
  for await (const text of partsOf(documents, id)) texts.push(text);
  return texts.join('');
}

export async function openResults(documents: Documents, { id, owner, facts }: BatchDocument): Promise<void> {
  for (const [file, what] of filesOf(facts)) {
    if ((await documents.find(file)) !== undefined) continue;
    const about: FileFacts = { filename: `${id}_${what}.jsonl`, purpose: 'batch_output', bytes: 0 };
    const createdMs = facts.times.validating ?? 0;
    const made = { id: file, kind: 'file', owner, createdMs, open: true, expiresMs: undefined } as const;
    await documents.add({ ...made, facts: about });
  }
}

export async function closeResults(
  documents: Documents,
  { facts }: BatchDocument,
  expiresMs: number,
): Promise<{ completed: number; failed: number }> {
  const [completed = 0, failed = 0] = await Promise.all(
    filesOf(facts).map(async ([file]) => {
      const document = await documents.find(file);
      const lines = (await documents.partNumbers(file)).length;
      if (document === undefined) return lines;
      if (lines === 0) await documents.remove(file);
      else {
        const bytes = await sizeOf(documents, file);
        const about = { ...fileFacts(document), bytes };
        await documents.change(file, document.revision, { facts: about, open: false, expiresMs });
      }
      return lines;
    }),
  );
  return { completed, failed };
}

function filesOf({ output, errors }: BatchDocument['facts']) {
  return [
    [output, 'output'],
    [errors, 'error'],
  ] as const;
}

async function sizeOf(documents: Documents, file: string): Promise<number> {
  let bytes = 0;
  for await (const text of partsOf(documents, file)) bytes += Buffer.byteLength(text);
  return bytes;
}
