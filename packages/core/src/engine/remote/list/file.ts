// Replicas that a file lists. Whoever writes it replaces it as a whole (a new file under the same name): half a file is half a list.

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
