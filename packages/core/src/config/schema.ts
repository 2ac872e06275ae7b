// The one schema of `coppice serve`. Every knob has a unit, a default, bounds and the reason for its default; a key that
// is not here fails. Parsed once at the edge, frozen, and handed down as narrow options. Nothing here reads anything.

import { z } from 'zod';
import { damageChoices, textKeepings } from '../journal/journal.ts';
import { fieldOf, like, real, whole } from './knob.ts';
import { modelSchema } from './model.ts';
import type { Sections } from './sections.ts';
import { requestKnobs } from './vocabulary.ts';

export const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export const searchLimits = z
  .strictObject({
    rollouts: like(
      requestKnobs.rollouts,
      256,
      'most that a request may ask for, counted like an effort; 16 times medium',
    ),
    tokens: like(requestKnobs.tokenBudget, 200_000, 'most generated tokens of one search'),
    deadlineMs: like(requestKnobs.deadlineMs, 3_600_000, 'longest deadline that a request may ask for'),
    mediumRollouts: like(
      requestKnobs.rollouts,
      16,
      'what reasoning_effort medium buys, and a request that names none: 16, between the 12 and 32 of figures 2 and 3 of P0; minimal an eighth of it, low half, high 4 times, xhigh 16 times. Rollouts of whole expansions: best-first has `branching` times as many, of one path each',
    ),
  })
  .prefault({});

/** `rolloutTokens`: where a caller pays for every token itself and has no use for a budget. */
export type LimitsConfig = z.output<typeof searchLimits> & { readonly rolloutTokens?: number };

const server = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .meta({ description: 'loopback, until keys are set: then any address may be bound' }),
    port: whole(8181, 0, 65_535, 'port', 'free on most machines; 0 takes any free port and prints it'),
    shutdownMs: whole(
      20_000,
      0,
      3_600_000,
      'ms',
      'running answers may finish for so long; below the usual 30 s grace of orchestrators',
    ),
    origins: z
      .array(z.url())
      .max(100)
      .default([])
      .meta({ description: 'foreign pages that may call the API from a browser; none by default' }),
    foreignNames: z.enum(['refuse', 'answer']).default('refuse').meta({
      description:
        'requests for a model that is not here: refuse gives 404; answer lets the first model answer, and the reply names it',
    }),
  })
  .prefault({});

const quota = z.strictObject({
  requests: fieldOf({ low: 1, high: 1e9, whole: true, unit: 'requests', why: 'of a window; any number unless set' }),
  tokens: fieldOf({
    low: 1,
    high: 1e12,
    whole: true,
    unit: 'tokens',
    why: 'of a window, prompt and generated, counted when a search has ended; any number unless set',
  }),
  windowMs: whole(60_000, 1000, 2_678_400_000, 'ms', 'windows of the clock: a minute begins on the minute'),
});

export const keyName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is no name of a key: up to 64 of a to z, 0 to 9, dot, dash and underscore')
  .meta({ description: 'shown in lists, logs and metrics; never the key itself' });

const key = z.strictObject({
  name: keyName,
  hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'is no hash of a key; coppice serve --new-key NAME prints one')
    .meta({
      description:
        'of the key, as `coppice serve --new-key NAME` prints it; keys have 256 random bits, so one round is enough',
    }),
  share: real(1, 0.01, 1000, 'weight', 'of the starts when several keys wait'),
  priority: like(requestKnobs.priority, 0, 'the highest that requests of this key may ask for'),
  quota: quota.optional().meta({ description: 'what a key may use, in each process that serves it; beyond it 429' }),
  admin: z.boolean().default(false).meta({ description: 'sees and cancels the searches of every key' }),
});

const admission = z
  .strictObject({
    queue: whole(1000, 0, 1_000_000, 'searches', 'that wait for the budget; some kB each'),
    deadlineMs: whole(
      300_000,
      1,
      86_400_000,
      'ms',
      'of a search whose request names none; the best so far is given then. Background searches have limits.deadlineMs',
    ),
  })
  .prefault({});

const journalSettings = {
  path: z
    .string()
    .min(1)
    .default('.coppice/journal.db')
    .meta({ description: "SQLite file, made where missing, folder and all; ':memory:' keeps nothing" }),
  texts: z.enum(textKeepings).default('keep').meta({
    description: 'prompts and steps; until-end erases them when a search ends, never allows no background search',
  }),
  damaged: z.enum(damageChoices).default('refuse').meta({
    description:
      'a damaged file or row found at the start: refuse ends it with one line; set-aside keeps the file under another name, marks the search of the row as failed, and goes on with what can be read',
  }),
  retentionMs: whole(
    604_800_000,
    1000,
    31_536_000_000,
    'ms',
    'a week of finished searches; files and results of batches are kept four times as long',
  ),
};

function journalSchema({ journals, aboutJournals: description, journalSettings: own }: Sections) {
  const kind = z
    .enum(journals as [string])
    .default('sqlite')
    .meta({ description });
  // The settings of a kind are its own affair: no type tells of them here.
  return z.strictObject({ kind, ...(own as Record<never, never>), ...journalSettings }).prefault({});
}

const telemetry = z
  .strictObject({
    keyLabels: z
      .boolean()
      .default(false)
      .meta({ description: 'requests and tokens of each key in the metrics; off: names of keys are for operators' }),
  })
  .prefault({});

const log = z
  .strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .meta({ description: 'one line a request' }),
  })
  .prefault({});

export function configSchema(sections: Sections) {
  return z
    .strictObject({
      server,
      keys: z
        .array(key)
        .max(10_000)
        .default([])
        .meta({ description: 'API keys; without any the server stays on loopback' }),
      models: z.array(modelSchema(sections)).min(1).max(64).meta({ description: 'the first is the default' }),
      limits: searchLimits,
      admission,
      journal: journalSchema(sections),
      telemetry,
      log,
    })
    .superRefine((config, context) => {
      const refuse = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path, message });
      const { host } = config.server;
      if (config.keys.length === 0 && !isLoopback(host)) {
        refuse(
          ['server', 'host'],
          `is ${host}; without keys the server binds to loopback only (set keys, or 127.0.0.1)`,
        );
      }
      for (const name of duplicates(config.keys)) refuse(['keys'], `has two keys named '${name}'`);
      for (const name of duplicates(config.models)) refuse(['models'], `has two models named '${name}'`);
      for (const [at, each] of config.models.entries()) {
        const target = each.escalateTo;
        if (target !== undefined && (target === each.name || !config.models.some(({ name }) => name === target))) {
          refuse(['models', at, 'escalateTo'], `is '${target}', which is not another configured model`);
        }
        const isKnown = (member: string) => config.models.some(({ name }) => name === member);
        const { models: panel = [], synthesizer } = each.panel ?? {};
        for (const member of panel) {
          if (!isKnown(member)) refuse(['models', at, 'panel.models'], `has '${member}', which is no configured model`);
        }
        if (synthesizer !== undefined && synthesizer !== each.name && !panel.includes(synthesizer)) {
          const path = ['models', at, 'panel.synthesizer'];
          refuse(path, `is '${synthesizer}', which is neither in the panel nor the model itself`);
        }
        if (each.onUnaccepted === 'escalate' && target === undefined)
          refuse(['models', at, 'onUnaccepted'], "is 'escalate'; name the model that takes over (escalateTo)");
      }
    });
}

export type Config = z.output<ReturnType<typeof configSchema>>;
export type ConfigInput = z.input<ReturnType<typeof configSchema>>;
export type ServerConfig = Config['server'];
export type KeyConfig = Config['keys'][number];
export type ModelConfig = Config['models'][number];

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

function duplicates(items: readonly { readonly name: string }[]): string[] {
  const names = items.map(({ name }) => name);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
