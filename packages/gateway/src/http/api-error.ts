// Refusals in the form of OpenAI's API: a closed set of codes, each with its status and type. exchange.ts writes them. A message gives
// the value, the limit and the field or setting that changes it.

import { isFault } from '@coppice/core/base';

export const errorKinds = {
  invalid_json: [400, 'invalid_request_error'],
  invalid_value: [400, 'invalid_request_error'],
  unknown_parameter: [400, 'invalid_request_error'],
  unsupported_parameter: [400, 'invalid_request_error'],
  context_length_exceeded: [400, 'invalid_request_error'],
  cancelled: [400, 'invalid_request_error'],
  bad_request: [400, 'invalid_request_error'],
  storage_full: [400, 'invalid_request_error'],
  invalid_api_key: [401, 'authentication_error'],
  session_spent: [402, 'invalid_request_error'],
  forbidden_host: [403, 'permission_error'],
  forbidden_origin: [403, 'permission_error'],
  forbidden_key: [403, 'permission_error'],
  model_not_found: [404, 'not_found_error'],
  search_not_found: [404, 'not_found_error'],
  not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  request_timeout: [408, 'invalid_request_error'],
  idempotency_conflict: [409, 'invalid_request_error'],
  conflict: [409, 'invalid_request_error'],
  body_too_large: [413, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  expectation_failed: [417, 'invalid_request_error'],
  not_accepted: [422, 'invalid_request_error'],
  queue_full: [429, 'rate_limit_error'],
  key_queue_full: [429, 'rate_limit_error'],
  quota_exceeded: [429, 'rate_limit_error'],
  deadline_unreachable: [429, 'rate_limit_error'],
  too_many_streams: [429, 'rate_limit_error'],
  headers_too_large: [431, 'invalid_request_error'],
  internal: [500, 'server_error'],
  engine_failed: [502, 'server_error'],
  shutting_down: [503, 'server_error'],
  unavailable: [503, 'server_error'],
  deadline_passed: [504, 'server_error'],
} as const satisfies Record<string, readonly [number, string]>;

export type ApiErrorCode = keyof typeof errorKinds;

interface ApiErrorOptions {
  readonly param?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly allow?: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly options: ApiErrorOptions;

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }

  get param(): string | undefined {
    return this.options.param;
  }

  get status(): number {
    return errorKinds[this.code][0];
  }

  get body() {
    return { message: this.message, type: errorKinds[this.code][1], param: this.param ?? null, code: this.code };
  }
}

export function refuse(code: ApiErrorCode, message: string, param?: string): never {
  throw new ApiError(code, message, { param });
}

export function refuseField(code: ApiErrorCode, field: string, reason: string): never {
  return refuse(code, `'${field}' ${reason}`, field);
}

/** The error for a client. Unless it is a refusal or a fault of the journal, it is our bug, and only the log says more. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isFault(error, 'unavailable')) return journalTrouble();
  if (isFault(error, 'damaged')) return new ApiError('internal', `the journal is damaged: ${error.fault.message}`);
  return new ApiError('internal', 'the server made a mistake; its log has the request id');
}

export function journalTrouble(message = 'the journal cannot be used now'): ApiError {
  return new ApiError('unavailable', message, { retryAfterSeconds: 10 });
}
