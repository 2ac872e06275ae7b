// The span of the request that asked for a search, and the W3C `traceparent` header by which a client hands its own on.

export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
}

interface TraceParent {
  readonly traceId: string;
  readonly parentSpanId: string;
  readonly sampled: boolean;
}

/** Undefined where there is no header, or none that can be read. */
export function readTraceParent(header: string | string[] | undefined): TraceParent | undefined {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(header ?? ''));
  if (match === null) return undefined;
  const [, traceId = '', parentSpanId = '', flags = '00'] = match;
  return { traceId, parentSpanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
