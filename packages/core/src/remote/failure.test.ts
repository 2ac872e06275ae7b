import { describe, expect, it } from 'vitest';
import { readGauges } from '../engine/remote/dialect/gauges.ts';
import { faultOfError, faultOfStatus, quote } from './failure.ts';

const place = { url: 'http://gpu:8000', secrets: ['sk-secret'] };

describe('faults of the wire', () => {
  it('have the code that says whether to try again, and where', () => {
    const codes = (status: number, body = ''): string => {
      const { code, retryable } = faultOfStatus(place, '/x', status, body);
      return `${code} ${retryable}`;
    };
    expect(codes(401)).toBe('refused false');
    expect(codes(404)).toBe('refused false');
    expect(codes(400)).toBe('refused false');
    expect(codes(400, "This model's maximum context length is 512 tokens.")).toBe('too-long false');
    expect(codes(429)).toBe('overloaded true');
    expect(codes(503, '{"object":"error","message":"The request queue is full."}')).toBe('overloaded true');
    expect(codes(503, '{"error":{"message":"Loading model"}}')).toBe('unavailable true');
    expect(codes(501)).toBe('unsupported false');
    expect(codes(500)).toBe('internal true');
    expect(codes(504)).toBe('timeout true');
  });

  it('quote the server without keys, on one line, and not at length', () => {
    expect(quote('bad\nkey sk-secret', place)).toBe('bad key ***');
    expect(quote('x'.repeat(1000), place).length).toBe(301);
    const { message } = faultOfStatus(place, '/v1/completions', 401, '{"detail":"key sk-secret is wrong"}');
    expect(message).toContain('http://gpu:8000/v1/completions answered 401 "key *** is wrong"; set apiKey');
  });

  it('tell a broken connection from a wrong address', () => {
    const fault = (code: string) => faultOfError(place, '/x', Object.assign(new Error('e'), { code }));
    expect(fault('ECONNREFUSED')).toMatchObject({ code: 'unavailable', retryable: true });
    expect(fault('ECONNRESET')).toMatchObject({ code: 'unavailable', retryable: true });
    expect(fault('CERT_HAS_EXPIRED')).toMatchObject({ code: 'unavailable', retryable: false });
    expect(fault('HPE_INVALID_CONSTANT')).toMatchObject({ code: 'protocol' });
  });
});

describe('gauges', () => {
  it("are read under each server's names, those of several engines added up", () => {
    const page = [
      '# HELP vllm:num_requests_running running',
      'vllm:num_requests_running{engine="0",model_name="m"} 3.0',
      'vllm:num_requests_running{engine="1",model_name="m"} 4.0',
      'vllm:num_requests_waiting{engine="0",model_name="m"} 1.0',
      'vllm:kv_cache_usage_perc{engine="0"} 0.25',
      'vllm:request_queue_time_seconds_bucket{engine="0",le="0.3"} 2.0',
      'vllm:request_queue_time_seconds_sum{engine="0"} 1.5',
      'vllm:request_inference_time_seconds_sum{engine="0"} 60.25',
      'vllm:cache_config_info{block_size="16"} NaN',
    ].join('\n');
    expect(readGauges('vllm', page)).toMatchObject({ running: 7, waiting: 1, kvUse: 0.25 });
    expect(readGauges('vllm', page)).toMatchObject({ queuedSeconds: 1.5, computedSeconds: 60.25 });
    expect(readGauges('llama-server', 'llamacpp:requests_deferred 2\n').waiting).toBe(2);
    expect(readGauges('openai', page).running).toBeUndefined();
  });
});
