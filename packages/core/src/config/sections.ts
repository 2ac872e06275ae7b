// The parts of the configuration that plug-ins bring, as the schema takes them.

import { z } from 'zod';
import { FaultError, fault } from '../base/fault.ts';

/** The settings of one engine or verifier; its kind knows the rest of its type. */
export interface KindSection {
  readonly kind: string;
  readonly [setting: string]: unknown;
}

export interface Sections {
  readonly engines: readonly z.ZodObject[];
  readonly verifiers: readonly z.ZodObject[];
  readonly journals: readonly string[];
  readonly aboutJournals: string;
  readonly journalSettings: z.ZodRawShape;
}

export function oneKindOf(schemas: readonly z.ZodObject[]): z.ZodType<KindSection, KindSection> {
  return z.discriminatedUnion('kind', schemas as never) as unknown as z.ZodType<KindSection, KindSection>;
}

export function plainSection(kind: string, description: string) {
  return z.strictObject({ kind: z.literal(kind).meta({ description }) });
}

export const urls = z.array(z.url({ protocol: /^https?$/ })).min(1);

export const keyVariable = z
  .string()
  .min(1)
  .optional()
  .meta({ description: "environment variable that holds the server's key" });

export type Environment = Readonly<Record<string, string | undefined>>;

/** The key in a named variable, if one is named: the name may be shown, the value never. */
export function keyIn(name: string | undefined, environment: Environment): { readonly apiKey?: string } {
  if (name === undefined) return {};
  const apiKey = environment[name];
  if (apiKey !== undefined && apiKey !== '') return { apiKey };
  throw new FaultError(fault('bad-setting', `the variable ${name}, which is to hold a key, is not set`));
}
