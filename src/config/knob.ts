// The two shapes of numeric knobs. Each carries its unit and the reason for its default, which the printed schema and the
// printed example show.

import { z } from 'zod';

export function whole(fallback: number, low: number, high: number, unit: string, why: string) {
  return z.int().min(low).max(high).default(fallback).meta({ unit, description: why });
}

export function real(fallback: number, low: number, high: number, unit: string, why: string) {
  return z.number().min(low).max(high).default(fallback).meta({ unit, description: why });
}
