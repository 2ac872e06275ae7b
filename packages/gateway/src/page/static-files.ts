// Serves the page from a fixed set of files read at start, so that no path of a request ever reaches the file system.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { baseHeaders } from '../http/exchange.ts';

interface File {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const missing = `<!doctype html><html lang="en"><meta charset="utf-8"><title>coppice</title><h1>coppice</h1>
<p>The server runs; the dashboard is not built. The API is at <code>/v1</code>.</p></html>\n`;

/** Returns false for a file that does not exist. Without a built page, a plain one says so. */
export function staticFiles(folder: string | undefined) {
  const files = new Map(folder === undefined ? [] : filesBelow(folder));
  const page = files.get('/index.html') ?? makeFile('/index.html', Buffer.from(missing));
  return (path: string, method: string, response: ServerResponse): boolean => {
    const file = files.get(path);
    if (file === undefined && extname(path) !== '') return false;
    const below = file === undefined ? pageBelow(path) : undefined;
    if (below !== undefined) {
      const headers = { ...baseHeaders, location: below, 'content-length': 0, 'cache-control': 'no-cache' };
      response.writeHead(302, headers).end();
      return true;
    }
    const { headers, body } = file ?? page;
    response.writeHead(200, { ...baseHeaders, ...headers, 'content-length': body.length });
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  };
}

/**
 * The page names its files relative to itself, so that a proxy may put it below any prefix. Opened further down, as at
 * `/searches/ID`, it would look in the wrong place: the browser is redirected up to the page, and to that search on it.
 */
function pageBelow(path: string): string | undefined {
  const depth = path.split('/').length - 2;
  if (depth < 1) return undefined;
  const [, search] = /^\/searches\/([\w-]+)\/?$/.exec(path) ?? [];
  return '../'.repeat(depth) + (search === undefined ? '' : `#/search/${search}`);
}

function makeFile(name: string, body: Buffer): File {
  const hashed = name.startsWith('/assets/');
  const headers = {
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'content-security-policy': policy,
    'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  return { body, headers };
}

function filesBelow(folder: string): [string, File][] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => {
      const name = `/${path.split(sep).join('/')}`;
      return [name, makeFile(name, readFileSync(join(folder, path)))];
    });
}
