// Replicas that an HTTP endpoint lists: an array of targets, or the target groups of Prometheus' http_sd.

import { raise } from '../../../base/fault.ts';
import { readBody } from '../../../remote/bounded-body.ts';
import { listedUrls } from './listed-urls.ts';
import { listBytes, type ReplicaList, readMs, unread } from './replica-list.ts';

export function httpList(url: string, apiKey?: string): ReplicaList {
  const { origin, pathname } = new URL(url);
  // Without what a query or a user may keep secret.
  const name = `list ${origin}${pathname}`;
  const headers = {
    accept: 'application/json',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    name,
    async read() {
      try {
        const reply = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(readMs) });
        const text = await readBody(reply, listBytes, name);
        if (!reply.ok) raise('unavailable', `${name} cannot be read: it answered ${reply.status}`);
        return listedUrls(text, name);
      } catch (error) {
        throw unread(name, error);
      }
    },
  };
}
