// The gain of sessions over requests, small: what the page of the lab shows is of the same kind.

import { mean } from '@coppice/core/base';
import { expect, test } from 'vitest';
import { serveSessions } from './served-sessions.ts';
import { plannedSessions } from './session-load.ts';

test('the same seed plans the same sessions, of ten turns each or of ten in the mean', () => {
  expect(plannedSessions(3, 20, 1, 'lognormal')).toEqual(plannedSessions(3, 20, 1, 'lognormal'));
  for (const lengths of ['ten', 'geometric', 'lognormal'] as const) {
    const turns = plannedSessions(1, 4000, 1, lengths).map((each) => each.turns.length);
    expect(Math.abs(mean(turns) - 10)).toBeLessThan(0.6);
  }
});

test('under overload, order and replica by session finish sessions sooner and find what they have sent', () => {
  const planned = plannedSessions(1, 200, 2, 'ten');
  const byRequest = serveSessions(planned, { order: 'request', replica: 'request' });
  const bySession = serveSessions(planned, { order: 'session', replica: 'session' });
  expect(byRequest.tookMs).toHaveLength(200);
  expect(mean(bySession.tookMs)).toBeLessThan(0.75 * mean(byRequest.tookMs));
  expect(bySession.foundOfSent).toBeGreaterThan(0.97);
  expect(byRequest.foundOfSent).toBeLessThan(0.9);
});
