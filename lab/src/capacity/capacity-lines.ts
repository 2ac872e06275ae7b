// The answer of `capacity` in words: first the answer, then its basis. The text separates measurements of the machine from simulation, and says how far
// the trace goes beyond the measurements.

import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { readRequestTrace, type TracedRequest, traceStreamOf } from '../service/index.ts';
import { percentile } from '../statistics.ts';
import { type CapacityAnswer, type CapacityQuestion, mostGpus } from './answer.ts';
import type { MedianInterval } from './median.ts';
import type { CapacityPlan } from './stream-capacity.ts';

export function capacityLines(
  asked: CapacityQuestion,
  plan: CapacityPlan,
  found: CapacityAnswer | undefined,
): string[] {
  return [
    answerLine(asked, plan, found),
    ...(found === undefined ? [] : standingLines(plan, found)),
    ...groundLines(plan),
  ];
}

function answerLine(
  { gpus, rate }: CapacityQuestion,
  { p99Ms, streams }: CapacityPlan,
  found: CapacityAnswer | undefined,
): string {
  const bound = `at p99 ${seconds(p99Ms)} s`;
  const how = `simulated; median and 95 % interval over ${streams} streams${found === undefined ? '' : ` of ${found.requests} requests`}`;
  if (found === undefined)
    return `${gpus === undefined ? `no number of GPUs up to ${mostGpus} holds ${rate} searches a second` : `${named(gpus)} no rate`} ${bound} (${how})`;
  if (gpus !== undefined) return `${named(gpus)} ${ranged(found.perSecond, 2)} searches a second ${bound} (${how})`;
  return `${rate} searches a second need ${ranged(found.gpus, 0)} GPUs ${bound} (${how})`;
}

function standingLines(
  { p99Ms, streams }: CapacityPlan,
  { perSecond, requests, latencies, byThroughput, runs }: CapacityAnswer,
): string[] {
  const { p50Ms, p90Ms, p99Ms: found } = latencies;
  const lasts = (1000 * requests) / perSecond.value / p99Ms;
  return [
    `at the edge p50 is ${seconds(p50Ms)} s, p90 ${seconds(p90Ms)} s, p99 ${seconds(found)} s; ${runs} runs`,
    ...(byThroughput > 0
      ? [
          `${byThroughput} of ${streams} streams are held back by throughput alone: no more comes through when all wait at once`,
        ]
      : []),
    ...(lasts < 3
      ? [
          `a stream lasts ${lasts.toFixed(1)} times the bound; longer ones (--requests) tell more of queues that grow slowly`,
        ]
      : []),
  ];
}

function groundLines({ trace, machine, contender, setting, rollouts, budget }: CapacityPlan): string[] {
  const all = readRequestTrace(trace.file);
  const { requests } = traceStreamOf(trace).trace;
  const left = all.requests.length - requests.length;
  const policy = 'policy' in contender ? contender.policy : '';
  return [
    '',
    `request: ${contender.program}, ${policy}, ${rollouts} rollouts, ${budget} strands a GPU, questions of ${setting}`,
    `trace: ${trace.file}, ${all.requests.length} requests at ${all.perSecond.toFixed(2)} a second as they came; ${lengthsOf(requests)}`,
    ...(left > 0 ? [`  ${left} requests do not fit the machine's ${trace.roomTokens} tokens and are left out`] : []),
    ...all.notes.map((note) => `  ${note}`),
    `machine: ${machine.name}, both models on each GPU`,
    `  ${measuredOf(machine, requests)}`,
  ];
}

function lengthsOf(requests: readonly TracedRequest[]): string {
  const of = (name: 'promptTokens' | 'answerTokens') => {
    const values = requests.map((each) => each[name]);
    return `p50 ${percentile(values, 50)} and p99 ${percentile(values, 99)}`;
  };
  return `prompts ${of('promptTokens')} tokens, answers ${of('answerTokens')}`;
}

function measuredOf({ generator, rewardModel }: MeasuredMachine, requests: readonly TracedRequest[]): string {
  const context = generator.contexts.at(-1)!;
  const longer = requests.filter(({ promptTokens, answerTokens }) => promptTokens + answerTokens > context).length;
  const share = ((100 * longer) / requests.length).toFixed(0);
  const measured = `measured: decode steps of up to ${generator.decode.at(-1)![0]} sequences with ${context} tokens each, prompts of up to ${generator.prefill.at(-1)![0]} tokens, scoring passes of up to ${rewardModel.pass.at(-1)![0]} tokens`;
  return `${measured}; ${share} % of the requests are longer than ${context} tokens: their decode times go on with the last slope`;
}

function named(gpus: number): string {
  return gpus === 1 ? '1 GPU holds' : `${gpus} GPUs hold`;
}

function ranged({ value, low, high }: MedianInterval, digits: number): string {
  return `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

function seconds(ms: number): string {
  return String(Number((ms / 1000).toPrecision(3)));
}
