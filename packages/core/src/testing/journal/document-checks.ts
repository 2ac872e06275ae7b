// The part of the journal suite that is about files and batches (journal/documents.ts).

import type { Journal } from '../../journal/journal.ts';
import type { Checks } from '../case/conformance-case.ts';
import { same } from '../case/same.ts';
import { document } from './samples.ts';

export const documentChecks: Checks<Journal> = {
  'a document is changed only by who knows its last revision': async ({ documents }) => {
    await documents.add(document('file-1'), ['one\n', 'two \u{1f333}\n']);
    same(await documents.find('file-1'), { ...document('file-1'), revision: 0 }, 'a new document');
    const change = { facts: { status: 'done' }, open: false, expiresMs: 50 };
    same(await documents.change('file-1', 0, change), true, 'a change of its last revision');
    same(await documents.change('file-1', 0, change), false, 'a change of an older revision');
    same(await documents.change('file-2', 0, change), false, 'a change of an unknown document');
    same(await documents.find('file-1'), { ...document('file-1'), ...change, revision: 1 }, 'the changed document');
    same(await documents.find('file-\u0000'), undefined, 'a document with an odd id');
  },

  'a part of a document is written once, and they come back in order': async ({ documents }) => {
    await documents.add(document('file-1'), ['a', 'b']);
    await documents.add(document('file-2'));
    same(await documents.addPart('file-1', 7, 'seven'), true, 'a new part');
    same(await documents.addPart('file-1', 7, 'other'), false, 'a part that is there');
    same(await documents.addPart('file-3', 0, 'of none'), false, 'a part of an unknown document');
    same(await documents.partNumbers('file-1'), [0, 1, 7], 'the numbers of the parts');
    const last = [
      { part: 1, text: 'b' },
      { part: 7, text: 'seven' },
    ];
    same(await documents.parts('file-1', 0, 9), last, 'parts after the first');
    same(await documents.parts('file-1', -1, 1), [{ part: 0, text: 'a' }], 'one part from the beginning');
    same(await documents.parts('file-2', -1, 9), [], 'parts of a document without any');
  },

  'documents are listed by kind and owner, go when they are removed, and when they have expired and are not open':
    async ({ documents }) => {
      for (const id of ['file-1', 'file-2', 'file-3'])
        await documents.add({ ...document(id), open: id === 'file-3' }, [id]);
      await documents.add({ ...document('batch-1'), kind: 'batch', owner: 'bob', expiresMs: 5 });
      const ids = async (query: Partial<Parameters<typeof documents.list>[0]>) =>
        (await documents.list({ kind: 'file', limit: 10, ...query })).map(({ id }) => id);
      same(await ids({}), ['file-3', 'file-2', 'file-1'], 'files, newest first');
      same(await ids({ before: 'file-3', limit: 1 }), ['file-2'], 'the file before file-3');
      same(await ids({ owner: 'bob' }), [], 'files of bob');
      same(await ids({ owner: 'bob', kind: 'batch' }), ['batch-1'], 'batches of bob');
      const opened = await documents.opened('file');
      same(
        opened.map(({ id }) => id),
        ['file-3'],
        'open files',
      );
      const removed = [await documents.remove('file-2'), await documents.remove('file-2')];
      same(removed, [true, false], 'a removal, and a second one');
      same(await documents.parts('file-2', -1, 9), [], 'parts of a removed file');
      await documents.add({ ...document('file-4'), open: false });
      same(await documents.expire(100, 10), 1, 'documents that went with their time');
      same(await ids({}), ['file-3', 'file-1'], 'files that are left');
      same(await ids({ kind: 'batch' }), ['batch-1'], 'batches that are left');
    },
};
