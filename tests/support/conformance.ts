// Registers the conformance suites of src/testing as tests, each case under its own name.

import { env } from 'node:process';
import { describe, it } from 'vitest';
import type { Program } from '../../packages/core/src/program/program.ts';
import {
  type ConformanceCase,
  type EmbedderHarness,
  type EngineHarness,
  embedderCases,
  engineCases,
  journalCases,
  type ProgramCaseOptions,
  programCases,
  type ReplicaListHarness,
  replicaListCases,
  type VerifierHarness,
  verifierCases,
} from '../../packages/core/src/testing/index.ts';

function register(cases: readonly ConformanceCase[]): void {
  for (const { name, skip, run } of cases) it.skipIf(skip !== undefined)(name, run);
}

export function engineConformance(name: string, open: () => Promise<EngineHarness>): void {
  describe(`engine conformance: ${name}`, () => register(engineCases(open)));
}

export function verifierConformance(name: string, open: () => Promise<VerifierHarness>): void {
  describe(`verifier conformance: ${name}`, () => register(verifierCases(open)));
}

export function embedderConformance(name: string, open: () => Promise<EmbedderHarness>): void {
  describe(`embedder conformance: ${name}`, () => register(embedderCases(open)));
}

export function replicaListConformance(name: string, open: () => Promise<ReplicaListHarness>): void {
  describe(`replica list conformance: ${name}`, () => register(replicaListCases(open)));
}

export function journalConformance(...suite: Parameters<typeof journalCases>): void {
  register(journalCases(...suite));
}

/** `SEED=7 npm test` draws other examples, as in property tests. */
export function testProgram(name: string, create: () => Program, options: ProgramCaseOptions = {}): void {
  const seed = Number(env.SEED ?? 1);
  describe(`the program ${name}`, () => register(programCases(create, { seed, ...options })));
}
