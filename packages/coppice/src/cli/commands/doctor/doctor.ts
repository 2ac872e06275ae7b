// `coppice doctor`: describes servers, what that means for a search on them, where more sequences stop paying, and, if asked, whether
// search pays at all. Without --engine it examines the embedded engine. Sends only a few short requests.

import { closeModel, noteFor, type OpenModel, openModel, ownModel, readPrompts } from '@coppice/core/answering';
import { FaultError } from '@coppice/core/base';
import { type Config, journalKind, keyIn, type ModelConfig, overlay } from '@coppice/core/config';
import { type EndpointOptions, openEndpoint, probeTexts } from '@coppice/core/embedder';
import { probe, type ServerFacts } from '@coppice/core/engine';
import { Audits, readableByOthers } from '@coppice/core/journal';
import { judgeSentence } from '@coppice/core/log';
import { Connection, faultOf } from '@coppice/core/remote';
import { systemClock } from '@coppice/core/runtime';
import {
  type OpenVerifierOptions,
  openRemoteVerifier,
  type ProbedRewards,
  probeSteps,
  probeWarning,
  sharedServerWarning,
} from '@coppice/core/verifier';
import type { Advice } from '../../../bench/doctor/advice.ts';
import { answerFinding, probeAnswers } from '../../../bench/doctor/answer-probe.ts';
import { probeContinuation } from '../../../bench/doctor/continuation.ts';
import {
  capabilityFindings,
  engineFindings,
  type Finding,
  good,
  note,
  verifierFindings,
  warning,
} from '../../../bench/doctor/findings.ts';
import {
  budgetFor,
  type CurvePoint,
  curveDefaults,
  EngineWaves,
  kneeOf,
  measureCurve,
} from '../../../bench/doctor/step-time.ts';
import {
  givesWhole,
  measureWholeAnswers,
  throughputFindings,
  type WholeAnswers,
} from '../../../bench/doctor/whole-answers.ts';
import { tableLines } from '../../../bench/text-table.ts';
import { readConfig } from '../../flags/config-file.ts';
import { defaultModels } from '../../plugins/plugins.ts';
import { fit } from '../../terminal/terminal.ts';
import { type AskedQuestions, type ComparisonReport, chosenQuestions, runComparison } from './doctor-compare.ts';
import { type DoctorSettings, readDoctorSettings } from './doctor-options.ts';

export { flags, help } from './doctor-options.ts';

const branching = 4;
const marks = { good: '+', note: '·', warning: '!' } as const;

interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
  readonly fault?: string;
}

interface Report {
  readonly sections: Section[];
  facts?: readonly ServerFacts[];
  curve?: readonly CurvePoint[];
  knee?: CurvePoint;
  wholeAnswers?: WholeAnswers;
  answers?: Finding;
  comparison?: ComparisonReport | Advice;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readDoctorSettings(args);
  // Reads the questions first: an unreadable file is refused before anything is opened.
  const asked = settings.compare ? chosenQuestions(ownModel(settings.own), settings) : undefined;
  const report: Report = { sections: [] };
  const print = (line: string): void => {
    if (!settings.json) console.log(fit(line, process.stdout));
  };
  const subject = settings.engines.length === 0 ? await openOwn(settings, report) : await openServers(settings, report);
  if (settings.embedder !== undefined) await examineEmbedder(settings.embedder, report);
  const found = await journalFindings(configHere());
  if (found.length > 0) report.sections.push({ title: 'journal', findings: found });
  for (const section of report.sections) for (const line of sectionLines(section)) print(line);
  if (subject !== undefined) await measure(subject, settings, asked, report, print).finally(() => closeModel(subject));
  if (settings.json) console.log(JSON.stringify(report, null, 2));
  return report.sections.some(({ fault }) => fault !== undefined) ? 1 : 0;
}

/** The configuration of this folder, if any. Doctor needs none, so its faults are not reported. */
function configHere(): Config | undefined {
  try {
    return readConfig({}, defaultModels());
  } catch {
    return undefined;
  }
}

/** Shows how the judges did in the searches of the journal; nothing if there is no journal, or a server has it open. */
async function journalFindings(config: Config | undefined): Promise<Finding[]> {
  if (config === undefined) return [];
  const { kind, path } = config.journal;
  const open = kind === 'sqlite' ? readableByOthers(path) : undefined;
  const findings = open === undefined ? [] : [warning(open)];
  try {
    const journal = await journalKind(kind).read(config, process.env);
    const audits = new Audits(journal, systemClock);
    await audits.refresh().finally(() => journal.close());
    const told = Array.from(audits.latest(), ([model, judge]) => note(`${model}: ${judgeSentence(judge)}`));
    return [...findings, ...told];
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return findings;
  }
}

async function measure(
  subject: OpenModel,
  settings: DoctorSettings,
  asked: AskedQuestions | undefined,
  report: Report,
  print: (line: string) => void,
): Promise<void> {
  if (settings.seconds > 0) await probeCurve(subject, settings, report, print);
  if (settings.seconds > 0) await probeSums(subject, settings, report, print);
  if (asked !== undefined) report.comparison = await runComparison(subject, asked, settings, report.knee, print);
  else print('\nwhether a tree pays on this model: --questions FILE, with known answers, tells it in five minutes');
}

async function openOwn(settings: DoctorSettings, report: Report): Promise<OpenModel> {
  const own = await openModel(ownModel(settings.own), process.env);
  const lines = (await own.describe?.(settings.kvBytes, settings.seconds > 0)) ?? [];
  const findings = [...(own.warnings ?? []).map(warning), ...lines.map(note)];
  report.sections.push({
    title: `embedded engine: ${noteFor(own)}`,
    findings: [...findings, ...capabilityFindings(own.engine.capabilities)],
  });
  return own;
}

async function openServers(settings: DoctorSettings, report: Report): Promise<OpenModel | undefined> {
  const facts: ServerFacts[] = [];
  for (const url of settings.engines) {
    const found = await examineEngine(url, settings, report);
    if (found !== undefined) facts.push(found);
  }
  const scores = await examineVerifier(settings, report);
  if (facts.length < settings.engines.length) return undefined;
  report.facts = facts;
  // All servers get one limit, so that the probe can go beyond a limit found by trial.
  const inFlight = Math.min(...facts.map((each) => each.sequenceLimit ?? curveDefaults.maxSequences));
  return openModel(remoteModel(settings, inFlight, scores), process.env);
}

function remoteModel({ own }: DoctorSettings, inFlight: number, scores: boolean): ModelConfig {
  const { verifiers, settings = {}, ...rest } = own;
  const { verifier: _, ...withoutVerifier } = settings;
  const told = overlay({ engine: { inFlight } }, scores ? settings : withoutVerifier);
  return ownModel({ ...rest, ...(scores ? { verifiers } : {}), settings: told });
}

async function examineEngine(url: string, settings: DoctorSettings, report: Report): Promise<ServerFacts | undefined> {
  const connection = new Connection({ url, ...keyIn(settings.keyEnv, process.env) });
  try {
    const facts = await probe(connection, settings.named);
    const version = facts.version === undefined ? '' : ` ${facts.version}`;
    const context = facts.contextTokens === undefined ? 'context unknown' : `${facts.contextTokens} tokens of context`;
    const title = `engine ${connection.url}: ${facts.dialect}${version}, model '${facts.model}', ${context}`;
    const continuation = facts.dialect === 'openai' ? [await probeContinuation(connection, facts)] : [];
    const shared = sharedServerWarning({ ...settings, engines: [url], dialect: facts.dialect });
    const sharing = shared === undefined ? [] : [warning(shared)];
    report.sections.push({ title, findings: [...continuation, ...engineFindings(facts), ...sharing] });
    return facts;
  } catch (error) {
    report.sections.push({ title: `engine ${connection.url}`, findings: [], fault: faultOf(error).message });
    return undefined;
  } finally {
    connection.close();
  }
}

/** Opens the verifier, which probes it, and scores one step. True if a reward comes back. */
async function examineVerifier(settings: DoctorSettings, report: Report): Promise<boolean> {
  if (settings.verifiers.length === 0) return false;
  const { kind, verifiers } = settings;
  const title = `verifier ${verifiers.join(', ')}: ${kind}`;
  try {
    const servers = verifiers.map((url) => ({ url, ...keyIn(settings.verifierKeyEnv, process.env) }));
    const verifier = await openRemoteVerifier({ kind, servers, ...namedModel(settings) });
    const rewards = await probeSteps(verifier, '\n\n').finally(() => verifier.close());
    const doubt = probeWarning('it', rewards, 'check that the server serves the reward model that --kind names');
    const { aggregation } = verifier.capabilities;
    const bound = aggregation === 'product' || aggregation === 'minimum';
    report.sections.push({
      title,
      findings: [
        ...verifierFindings(kind),
        doubt === undefined ? good(probeText(rewards)) : warning(doubt),
        bound
          ? good(`its rewards are aggregated by ${aggregation}: negative exits and the bound hold`)
          : note(`its rewards are aggregated by ${aggregation}: negative exits and the bound are refused`),
      ],
    });
    return true;
  } catch (error) {
    report.sections.push({ title, findings: [], fault: faultOf(error).message });
    return false;
  }
}

/** Names the server's model if the settings do. */
function namedModel({ own }: DoctorSettings): Pick<OpenVerifierOptions, 'model'> {
  const { model } = (own.settings?.verifier ?? {}) as { readonly model?: string };
  return model === undefined ? {} : { model };
}

async function examineEmbedder(options: Omit<EndpointOptions, 'timeoutMs'>, report: Report): Promise<void> {
  const embedder = openEndpoint({ ...options, timeoutMs: 15_000 });
  const probed = await probeTexts(embedder);
  await embedder.close();
  const title = embedder.name;
  if ('code' in probed) report.sections.push({ title, findings: [], fault: probed.message });
  else report.sections.push({ title, findings: [probed.fit ? good(probed.found) : warning(probed.found)] });
}

function probeText({ right, wrong, solutions }: ProbedRewards): string {
  const ofSums = `${right.toFixed(3)} and ${wrong.toFixed(3)}`;
  if (solutions === undefined) return `tells right steps from wrong ones: ${ofSums}`;
  const ofSolutions = `${solutions.right.toFixed(3)} and ${solutions.wrong.toFixed(3)}`;
  return `tells right solutions from wrong ones: ${ofSolutions}; of bare sums it says nothing: ${ofSums}`;
}

async function probeCurve(
  model: OpenModel,
  settings: DoctorSettings,
  report: Report,
  print: (line: string) => void,
): Promise<void> {
  print(`\nwhole steps as a search asks for them, by a probe of at most ${settings.seconds} s (prompt included)`);
  const plain = report.facts?.length === 1 && givesWhole(report.facts[0]!) ? report.facts[0] : undefined;
  const seconds = plain === undefined ? settings.seconds : settings.seconds / 2;
  const curve = await measureCurve(new EngineWaves(model.engine), { seconds });
  const knee = kneeOf(curve);
  report.curve = curve;
  for (const line of curveLines(curve)) print(line);
  if (knee === undefined) return print('  the probe got no answer');
  report.knee = knee;
  if (curve.length === 1)
    return print(
      `  only one point fits into ${seconds} s on this server, and no knee can be read from it: raise --seconds`,
    );
  const isLast = knee === curve.at(-1);
  const last = isLast ? ' (the last that was tried: more may pay)' : '';
  print(
    `  knee at ${knee.sequences} sequences${last}: a budget of about ${budgetFor(knee, branching)} strands of ${branching} steps`,
  );
  if (plain === undefined) return;
  const whole = await wholeAnswers(model, settings, plain, curve.at(-1)!.sequences);
  if (whole !== undefined) report.wholeAnswers = whole;
  for (const { level, text } of throughputFindings(plain, knee, whole, isLast)) print(`  ${marks[level]} ${text}`);
}

/** Skips the shipped models: they take no conversation, and it is known how they answer. */
async function probeSums(
  { engine, config, form }: OpenModel,
  { seconds }: DoctorSettings,
  report: Report,
  print: (line: string) => void,
): Promise<void> {
  if (form !== undefined) return;
  const advice = config.stepPrompt ?? readPrompts(['answer'], config).answer ?? '';
  const finding = answerFinding(await probeAnswers(engine, advice, seconds));
  report.answers = finding;
  print(`\n  ${marks[finding.level]} ${finding.text}`);
}

/** Undefined if it fails: the curve has been printed already. */
function wholeAnswers(model: OpenModel, settings: DoctorSettings, facts: ServerFacts, inFlight: number) {
  const connection = new Connection({ url: settings.engines[0]!, ...keyIn(settings.keyEnv, process.env) });
  return measureWholeAnswers(model, { connection, facts }, inFlight, settings.seconds / 3)
    .catch(() => undefined)
    .finally(() => connection.close());
}

function curveLines(curve: readonly CurvePoint[]): string[] {
  const head = ['sequences', 'ms per token', 'tokens per s'];
  const rows = curve.map((each) => [`${each.sequences}`, each.stepMs.toFixed(1), each.tokensPerSecond.toFixed(0)]);
  return tableLines([head, ...rows], () => false).map((line) => `  ${line}`);
}

function sectionLines({ title, findings, fault }: Section): string[] {
  const told = findings.map(({ level, text }) => `  ${marks[level]} ${text}`);
  return [title, ...told, ...(fault === undefined ? [] : [`  ! ${fault}`])];
}
