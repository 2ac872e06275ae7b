// The contract of plug-ins: the kinds of engines, verifiers and journals that a package brings, each with its section of the configuration.
// A package registers its plug-in when it is imported, before a configuration is read; from then on the list is only read. Opens nothing.

import type { z } from 'zod';
import type { Task } from '../answer/task.ts';
import type { Clock } from '../base/clock.ts';
import { raise } from '../base/fault.ts';
import { packageOf } from '../base/unknown-names.ts';
import type { MeasuredPoints } from '../cost/table.ts';
import type { Engine } from '../engine/engine.ts';
import type { ExitPart } from '../exit/exit.ts';
import { registerExits } from '../exit/exits.ts';
import type { Cluster } from '../journal/cluster.ts';
import type { Journal } from '../journal/journal.ts';
import type { PolicyDefinition } from '../policy/definition.ts';
import { registerPolicies } from '../policy/policies.ts';
import type { ProgramDefinition } from '../program/definition.ts';
import { registerPrograms } from '../program/registry/programs.ts';
import type { Prompt } from '../tree/step.ts';
import type { Verifier } from '../verifier/verifier.ts';
import type { Config, ModelConfig } from './schema.ts';
import type { Environment, KindSection, Sections } from './sections.ts';

export interface Plugin {
  readonly name: string;
  readonly engines?: readonly EngineKind[];
  readonly verifiers?: readonly VerifierKind[];
  readonly journals?: readonly JournalKind[];
  readonly programs?: readonly ProgramDefinition[];
  readonly policies?: readonly PolicyDefinition[];
  /** Their options are turned by experiments alone. */
  readonly exits?: readonly ExitPart[];
  /** Their questions can be checked by computing (`check: lines`). */
  readonly tasks?: readonly Task[];
  /** Holds labelled questions of its tasks, as TASK.SPLIT.jsonl. */
  readonly questions?: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** `Own`: its section of the configuration, parsed by its schema. */
export interface EngineKind<Own extends KindSection = KindSection> {
  readonly kind: string;
  readonly schema: z.ZodObject;
  /** The kinds of verifiers that it goes with; any where unset. */
  readonly verifiers?: readonly string[];
  /** Settings of a model with this engine where the model has none of its own. */
  defaults?(engine: Settings, model: Settings): Settings;
  shipped?(model: string): ShippedModel | undefined;
  /** The models that `serve` has where no configuration names any. */
  models?(): readonly Settings[];
  open(own: Own, opening: Opening): Promise<OpenParts>;
}

export interface ShippedModel {
  readonly path: string;
  /** Scores its steps unless another is named. */
  readonly verifier: KindSection;
  readonly form: FormQuestion;
  readonly answers: string | undefined;
  readonly questions: string;
}

/** A model's own prompt for what was asked, or a reason where the question is not of its kind. */
export type FormQuestion = (asked: Prompt) => Prompt | { readonly reason: string };

export interface Opening {
  readonly config: ModelConfig;
  readonly environment: Environment;
  readonly log: OpeningLog;
}

/** Told what happens while a model is opened and after; a log of the gateway is one. */
export interface OpeningLog {
  info(event: string, fields?: Settings): void;
  warn(event: string, fields?: Settings): void;
}

export interface OpenParts {
  readonly engine: Engine;
  /** Set where the engine brings the configured verifier; else its own kind opens it. */
  readonly verifier?: Verifier | undefined;
  /** Reads the answer off a finished path; the general rule where unset. */
  readonly extract?: (pathText: string) => string | undefined;
  /** Set where the model takes no conversation. */
  readonly form?: FormQuestion | undefined;
  readonly upstream?: Upstream;
  /** What generates, and on what: `sapling, 2 threads`. */
  readonly note?: string;
  /** The verifier for people; its own name unless said. */
  readonly scoredBy?: string | undefined;
  /** Warnings for the user, one line each. */
  readonly warnings?: readonly string[] | undefined;
  /** Lines about it on this machine, for `doctor`. `measures`: whether it is timed too, which takes a while. */
  describe?(kvBytes: number, measures: boolean): Promise<string[]>;
  /** The times of its batches on this machine, from a trial; nothing may be running. */
  measure?(budgetMs?: number): Promise<{ readonly engine: MeasuredPoints; readonly verifier?: MeasuredPoints }>;
}

/** A server of its own chat endpoint, for what cannot be searched. The URLs come from the configuration alone. */
export interface Upstream {
  /** Base URLs of replicas, as they are now; the next is tried where one cannot be reached. */
  readonly urls: readonly string[];
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface VerifierKind<Own extends KindSection = KindSection> {
  readonly kind: string;
  readonly schema: z.ZodObject;
  /** The only kind of engine that it goes with; any where unset. */
  readonly engine?: string;
  /** Called where the engine does not bring the verifier itself. */
  open(own: Own, opening: Opening, parts: OpenParts): Promise<OpenVerifier>;
}

export interface OpenVerifier {
  readonly verifier?: Verifier | undefined;
  readonly warnings?: readonly string[];
}

export interface JournalKind {
  readonly kind: string;
  /** Describes the journal in the printed configuration. */
  readonly about: string;
  readonly settings?: z.ZodRawShape;
  open(config: Config, opening: JournalOpening): Promise<OpenJournal>;
  /** Opens it for reading: it takes nothing up. */
  read(config: Config, environment: Environment): Promise<Journal>;
  /** Makes its tables where they are missing; resolves to a line about it. */
  migrate?(config: Config, environment: Environment): Promise<string>;
}

export interface JournalOpening {
  readonly environment: Environment;
  readonly log: Pick<OpeningLog, 'warn'> & { error(event: string, fields?: Settings): void };
  readonly clock: Clock;
}

export interface OpenJournal {
  readonly journal: Journal;
  /** The journal's own, where several nodes share it: turns and ids are compared between them. */
  readonly clock: Clock;
  readonly cluster?: Cluster;
}

const plugins = new Map<string, Plugin>();
let registrations = 0;

/** The kinds of a later plug-in go before those of the same name of an earlier one. */
export function registerPlugin(plugin: Plugin): void {
  plugins.set(plugin.name, plugin);
  registerPrograms(plugin.programs ?? []);
  registerPolicies(plugin.policies ?? []);
  registerExits(plugin.exits ?? []);
  registrations += 1;
}

function all<Kind>(of: (plugin: Plugin) => readonly Kind[] | undefined): Kind[] {
  return [...plugins.values()].flatMap((plugin) => of(plugin) ?? []);
}

function byKind<Kind extends { readonly kind: string }>(of: (plugin: Plugin) => readonly Kind[] | undefined) {
  const found = new Map(all(of).map((each) => [each.kind, each]));
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const engines = () => byKind(({ engines: own }) => own);
const verifiers = () => byKind(({ verifiers: own }) => own);
const journals = () => byKind(({ journals: own }) => own);

/** Keeps what is made of the sections of all kinds, such as the schema, until another plug-in is registered. */
export function bySections<Made>(make: (sections: Sections) => Made): () => Made {
  let made: Made;
  let madeAt = 0;
  return () => {
    if (madeAt !== registrations) made = make(sections());
    madeAt = registrations;
    return made;
  };
}

function sections(): Sections {
  const stores = [...journals().values()];
  return {
    engines: [...engines().values()].map(({ schema }) => schema),
    verifiers: [...verifiers().values()].map(({ schema }) => schema),
    journals: stores.map(({ kind }) => kind),
    aboutJournals: stores.map(({ about }) => about).join('; '),
    journalSettings: Object.assign({}, ...stores.map(({ settings = {} }) => settings)),
  };
}

/** Undefined for an engine that its caller has made (`makeModel`). */
export function engineKind(kind: string): EngineKind | undefined {
  return engines().get(kind);
}

export function verifierKind(kind: string): VerifierKind {
  return verifiers().get(kind) ?? raise('bad-setting', `no plug-in brings verifiers of kind '${kind}'`);
}

export function verifiersBeside({ kind, verifiers: own }: EngineKind): string[] {
  const fitting = [...verifiers().values()].filter(({ engine = kind }) => engine === kind);
  return fitting.map((each) => each.kind).filter((each) => own?.includes(each) !== false);
}

export function journalKind(kind: string): JournalKind {
  requirePackage('journal', 'journal.kind', kind);
  return journals().get(kind) ?? raise('bad-setting', `no plug-in brings journals of kind '${kind}'`);
}

export function registeredTasks(): readonly Task[] {
  return all(({ tasks }) => tasks);
}

export function questionFile(task: string, split: string): string {
  const [folder] = all(({ questions = [] }) => [questions].flat());
  if (folder === undefined) raise('bad-setting', `task is '${task}', ${packageOf('engine', 'llama')}`);
  return `${folder}/${task}.${split}.jsonl`;
}

/** The shipped model that an engine is configured with; undefined for any other. */
export function shippedModel({ kind, model }: KindSection): ShippedModel | undefined {
  return typeof model === 'string' ? engineKind(kind)?.shipped?.(model) : undefined;
}

/** Refuses a kind whose package is known and not registered. `name`: where the kind is written. */
export function requirePackage(part: 'engine' | 'verifier' | 'journal', name: string, kind: unknown): void {
  const missing = packageOf(part, String(kind));
  const known = { engine: engines, verifier: verifiers, journal: journals }[part]();
  if (missing !== undefined && !known.has(String(kind))) raise('bad-setting', `${name} is '${kind}', ${missing}`);
}
