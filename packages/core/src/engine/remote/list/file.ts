// Replicas listed in a file. Replace the file as a whole: half a file is half a list.

import { readFile } from 'node:fs/promises';
import { listedUrls } from './listed-urls.ts';
import { type ReplicaList, unread } from './replica-list.ts';

export function fileList(path: string): ReplicaList {
  const name = `file ${path}`;
  return {
    name,
    async read() {
      try {
        return listedUrls(await readFile(path, 'utf8'), name);
      } catch (error) {
        throw unread(name, error);
      }
    },
  };
}
