// Maps paths to handlers. Logs and metrics show a route's path, never the request's.

import { ApiError } from './api-error.ts';
import type { Exchange } from './exchange.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
  /** Such an answer may never end, so that HEAD is refused. */
  readonly isEndless: boolean;
  readonly open: boolean;
  handle(exchange: Exchange): void | Promise<void>;
}

interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

export type Router = (method: string, path: string) => RouteMatch | undefined;

/** Undefined for an unknown path. Throws for a known one with another method. */
export function routerOf(routes: readonly Route[]): Router {
  const known = routes.map((route) => ({ route, segments: route.path.split('/') }));
  return (method, path) => {
    const segments = path.split('/');
    const matches = known.flatMap(({ route, segments: pattern }) => {
      const parameters = fitSegments(pattern, segments);
      return parameters === undefined ? [] : [{ route, parameters }];
    });
    const match = matches.find(({ route }) => answers(route, method));
    if (match !== undefined || matches.length === 0) return match;
    const allow = matches.map(({ route }) => route.method).join(', ');
    throw new ApiError('method_not_allowed', `this path takes ${allow} only`, { allow });
  };
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
