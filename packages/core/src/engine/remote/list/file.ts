// Replicas listed in a file. Replace the file as a whole: half a file is half a list.

import { readFile } from 'node:fs/promises';
import { listedUrls } from './listed-urls.ts';
import { listOf, type ReplicaList } from './replica-list.ts';

export function fileList(path: string): ReplicaList {
  const name = `file ${path}`;
  return listOf(name, async () => listedUrls(await readFile(path, 'utf8'), name));
}
