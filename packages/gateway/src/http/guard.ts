// Refuses, before anything is read, a forged Host (DNS rebinding) and the Origin of a foreign page. Pages that the configuration names
// may call.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '@coppice/core/config';
import { ApiError } from './api-error.ts';

const localHost = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i;

export type Guard = (request: IncomingMessage, response: ServerResponse) => 'go' | 'answered';

export function guardOf({ keys, server }: Config): Guard {
  const keyless = keys.length === 0;
  const origins = new Set(server.origins.map((each) => new URL(each).origin));
  return (request, response) => {
    const { host = '', origin } = request.headers;
    if (keyless && !localHost.test(host))
      throw new ApiError('forbidden_host', 'without keys this server answers to localhost, 127.0.0.1 and [::1] only');
    if (origin === undefined) return 'go';
    const listed = origins.has(origin);
    if (!listed && URL.parse(origin)?.host !== host.toLowerCase())
      throw new ApiError('forbidden_origin', 'pages of this origin may not call the server (server.origins)');
    if (listed) allow(response, origin);
    if (request.method !== 'OPTIONS') return 'go';
    response.writeHead(204).end();
    return 'answered';
  };
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  response.setHeader('access-control-allow-headers', 'authorization, content-type, last-event-id, idempotency-key');
  response.setHeader('access-control-max-age', '600');
}
