import { describe, expect, test } from 'vitest';
import type { Forecast } from '../../../core/src/runtime/queue/queue.ts';
import { Admission, retryAfterSeconds } from './admission.ts';

const pace = { meanMs: 2000, medianMs: 1000 };
const room: Forecast = { fits: true };
const full: Forecast = { fits: false };

function apply(admission: Admission, id: string, forecast: Forecast, given: { owner?: string; leftMs?: number } = {}) {
  admission.apply({ id, owner: 'ann', ownerQueue: 2, ...given }, forecast);
}

describe('admission', () => {
  test('refuses searches above the bound of the queue, or of one key', () => {
    const admission = new Admission(3);
    apply(admission, 'a', room);
    for (const id of ['b', 'c']) apply(admission, id, full);
    expect([admission.running, admission.waiting]).toEqual([1, 2]);
    expect(() => apply(admission, 'd', full)).toThrowError(/2 searches of this key wait/);
    apply(admission, 'e', full, { owner: 'bob' });
    expect(() => apply(admission, 'f', full, { owner: 'cat' })).toThrowError(/the queue is full: 3/);
  });

  test('a search that starts at once is never refused, whatever waits elsewhere', () => {
    const admission = new Admission(0);
    expect(() => apply(admission, 'a', full)).toThrowError(/queue is full/);
    apply(admission, 'b', room, { leftMs: 1 });
    expect(admission.running).toBe(1);
  });

  test('a place that comes free, by a start or by an end, can be had again', () => {
    const admission = new Admission(1);
    apply(admission, 'a', full);
    expect(() => apply(admission, 'b', full)).toThrow();
    admission.admitted('a');
    apply(admission, 'b', full);
    admission.leave('b');
    apply(admission, 'c', full);
    for (const id of ['a', 'c']) admission.leave(id);
    expect([admission.running, admission.waiting]).toEqual([0, 0]);
  });

  test('a deadline that cannot be kept is refused at once, with the time after which it could be', () => {
    const admission = new Admission(10);
    const busy: Forecast = { fits: false, pace, waitMs: 4500 };
    apply(admission, 'a', busy, { leftMs: 5500 });
    const late = () => apply(admission, 'b', busy, { leftMs: 1499 });
    expect(late).toThrowError(/a wait of 4500 ms and a service of 1000 ms .* deadline is in 1499 ms/);
    expect(late).toThrowError(
      expect.objectContaining({ code: 'deadline_unreachable', options: { retryAfterSeconds: 5 } }),
    );
    expect(admission.waiting).toBe(1);
  });

  test('while nothing is measured no search is refused for its deadline', () => {
    const admission = new Admission(10);
    apply(admission, 'a', full, { leftMs: 1 });
    expect(admission.waiting).toBe(1);
  });
});

test('the retry time is the expected wait, between a second and a minute', () => {
  expect([undefined, 0, 1001, 1e9].map(retryAfterSeconds)).toEqual([10, 1, 2, 60]);
});
