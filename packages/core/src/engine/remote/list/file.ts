// Replicas listed in a file: one URL or host:port a line. Replace the file as a whole: half a file is half a list.

import { readFile } from 'node:fs/promises';
import { checked, listOf, type ReplicaList } from './replica-list.ts';

export function fileList(path: string): ReplicaList {
  const name = `file ${path}`;
  return listOf(name, async () => checked(urlsIn(await readFile(path, 'utf8')), name));
}

function urlsIn(text: string): string[] {
  const entries = text.split('\n').map((line) => line.trim());
  return entries
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
    .map((entry) => (/^\w+:\/\//.test(entry) ? entry : `http://${entry}`));
}
