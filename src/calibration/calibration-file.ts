// The file that `coppice calibrate` writes and `serve`, `ask`, `bench` and `sim` read: settings that were chosen on labelled
// questions, what they gave on others, and what they were chosen for. It is bound to the model, to the search and to the
// version of coppice. A file that is broken, or of something else, is refused in one line. Reads nothing itself.

import { z } from 'zod';
import { raise } from '../base/fault.ts';
import { complaint, type Knobs } from '../base/knob.ts';
import { issueLine } from '../config/knob.ts';
import { certaintyKnobs, negativeKnobs } from '../exit/exits.ts';
import { hazardFeatures } from '../exit/hazard.ts';
import { type PolicyOptions, policyKnobs } from '../policy/knobs.ts';
import { choices } from '../program/choice.ts';
import { programOptions } from '../program/registry/programs.ts';
import { aggregations } from '../tree/aggregate.ts';

export const calibrationFormat = 'coppice-calibration';
export const calibrationVersion = 1;

const share = z.number().min(0).max(1);
const count = z.int().min(0);

/** A mean with the ends of its 95 % interval. */
const interval = z.strictObject({ value: z.number(), low: z.number(), high: z.number() });

/** What a calibration may choose: the exits that it knows, and what they go by. */
const known: Knobs = { certain: policyKnobs.certain, ...certaintyKnobs, ...negativeKnobs };

const settings = z.record(z.string(), z.union([z.number(), z.string()])).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    const knob = Object.hasOwn(known, name) ? known[name] : undefined;
    const wrong = knob === undefined ? 'is no setting that a calibration chooses' : complaint(knob, value);
    if (wrong !== undefined) context.addIssue({ code: 'custom', path: [name], message: wrong });
  }
});

/** What the calibrated exit goes by: a weight for each of its readings. */
const hazard = z.strictObject({
  bias: z.number(),
  weights: z.record(z.enum(hazardFeatures), z.number()),
  below: share,
});

/** What a section was calibrated for: it holds for these searches, with as many rollouts or fewer. */
const search = z.strictObject({
  program: z.string(),
  options: z.record(z.string(), z.union([z.number(), z.string()])),
  branching: z.int().min(1),
  choose: z.enum(choices),
  /** Of rewards: another one makes other scores of the same rewards. */
  aggregation: z.enum(aggregations),
  rollouts: z.int().min(1),
});

/** Over searches. */
const moments = z.strictObject({ mean: z.number(), spread: z.number().min(0) });

/** What all kinds of sections have in common. */
const section = {
  search,
  /** Laid over the policy's and the model's own, below what a request asks for. */
  settings,
  /** Most points of accuracy that the user was ready to lose. */
  lossBudget: z.number().min(0).max(100),
  /** On the questions that the settings were chosen on. */
  chosen: z.strictObject({ questions: count, pointsLost: z.number(), tokensSaved: z.number() }),
  /** On questions that chose nothing, by running both: points of accuracy lost and per cent of tokens saved, paired. */
  reported: z.strictObject({ questions: count, pointsLost: interval, tokensSaved: interval }),
  /** What searches were like under these settings: how many ended by this section's rule, and their tokens. */
  expected: z.strictObject({
    searches: z.int().min(1),
    firedShare: share,
    tokens: z.number().min(0),
    /** Standard deviation of the tokens of one search. */
    tokensSpread: z.number().min(0),
    /** What rewards looked like at the start of paths and at their end; of sections that go by them. */
    rewards: z.strictObject({ firstReward: moments, score: moments }).exactOptional(),
  }),
};

/** One schema per kind of section; a kind may add what its rule reads beside knobs. */
const sections = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('certain'), ...section }),
  z.strictObject({ kind: z.literal('hazard'), ...section, hazard }),
]);

const schema = z.strictObject({
  format: z.literal(calibrationFormat),
  version: z.literal(calibrationVersion),
  /** Of the coppice that wrote it. */
  coppice: z.string().min(1),
  model: z.strictObject({ generator: z.string().min(1), verifier: z.string().min(1) }),
  sections: z.array(sections).min(1),
});

export type CalibrationFile = z.output<typeof schema>;
export type CalibrationSection = CalibrationFile['sections'][number];
export type CalibratedSearch = CalibrationSection['search'];
/** What generates and what scores, by what they are: weights by their hash, servers by the name of their model. */
export type ModelIdentity = CalibrationFile['model'];

/** `name`: of the file, for the one line that refuses it. */
export function parseCalibration(name: string, text: string): CalibrationFile {
  const value = jsonOf(name, text);
  const { format, version } = (value ?? {}) as { readonly format?: unknown; readonly version?: unknown };
  if (format !== calibrationFormat)
    return raise('bad-setting', `${name} is no calibration (coppice calibrate makes one)`);
  if (version !== calibrationVersion) {
    return raise(
      'bad-setting',
      `${name} is a calibration of version ${version}; this is version ${calibrationVersion}`,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  return raise('bad-setting', `${name} is a broken calibration: ${issueLine(path.join('.') || 'it', message)}`);
}

/** Refuses what was calibrated for other weights, another verifier or another coppice. */
export function checkBinding(
  name: string,
  file: CalibrationFile,
  own: ModelIdentity,
  coppice: string,
  remedy = 'run coppice calibrate again',
): void {
  if (file.coppice !== coppice)
    raise('bad-setting', `${name} was made by coppice ${file.coppice}; this is ${coppice}: ${remedy}`);
  for (const part of ['generator', 'verifier'] as const) {
    if (file.model[part] === own[part]) continue;
    raise('bad-setting', `${name} was made for ${part} '${file.model[part]}'; this one is '${own[part]}': ${remedy}`);
  }
}

/** The sections that hold for a search; not one of which the request has set anything itself. */
export function sectionsFor(
  { sections: all }: CalibrationFile,
  asked: CalibratedSearch,
  wish: Readonly<Record<string, unknown>>,
): CalibrationSection[] {
  const isOpen = (own: object) => Object.keys(own).every((name) => wish[name] === undefined);
  return all.filter(
    ({ search: own, settings: set }) => asked.rollouts <= own.rollouts && isForSame(own, asked) && isOpen(set),
  );
}

/** What those sections set. */
export function settingsOf(holding: readonly CalibrationSection[]): Partial<PolicyOptions> {
  return Object.assign({}, ...holding.map(({ settings: own }) => own)) as Partial<PolicyOptions>;
}

/** In words, for a refusal: what a file holds. */
export function calibratedText({ sections: all }: CalibrationFile): string {
  return [...new Set(all.map(({ search: own }) => searchText(own)))].join(', ');
}

export function searchText({ program, rollouts, aggregation }: Omit<CalibratedSearch, 'options'>): string {
  return `${program} with ${rollouts} rollouts and rewards by ${aggregation}`;
}

/** The same search, with however many rollouts. An option that a file is too old to name has its default there. */
export function isForSame(own: CalibratedSearch, asked: CalibratedSearch): boolean {
  const same = (['program', 'branching', 'choose', 'aggregation'] as const).every((name) => own[name] === asked[name]);
  if (!same) return false;
  const [kept, wanted] = [own, asked].map(({ program, options }) => programOptions(program, options));
  return Object.entries(kept!).every(([name, value]) => wanted![name] === value);
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return raise('bad-setting', `${name} is no calibration: it is not JSON`);
  }
}
