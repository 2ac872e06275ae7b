// Maps paths to handlers. Logs and metrics show a route's path, never the request's.

import { ApiError } from './api-error.ts';
import type { Exchange } from './exchange.ts';

export interface Route {
  readonly method: string;
  /** `{name}` stands for one segment. */
  readonly path: string;
  /** HEAD cannot answer what may never end. */
  readonly isEndless: boolean;
  readonly open: boolean;
  handle(exchange: Exchange): void | Promise<void>;
}

interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

export class Router {
  readonly #routes: readonly { readonly route: Route; readonly segments: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ route, segments: route.path.split('/') }));
  }

  /** Undefined for an unknown path; throws for a known one with another method. */
  match(method: string, path: string): RouteMatch | undefined {
    const segments = path.split('/');
    const allowed: string[] = [];
    for (const candidate of this.#routes) {
      const parameters = fitSegments(candidate.segments, segments);
      if (parameters === undefined) continue;
      if (answers(candidate.route, method)) return { route: candidate.route, parameters };
      allowed.push(candidate.route.method);
    }
    if (allowed.length === 0) return undefined;
    const allow = allowed.join(', ');
    throw new ApiError('method_not_allowed', `this path takes ${allow} only`, { allow });
  }
}

function answers(route: Route, method: string): boolean {
  return route.method === method || (method === 'HEAD' && route.method === 'GET' && !route.isEndless);
}

function fitSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? '';
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return parameters;
}
