// Puts a server's facts into sentences: each capability with its consequence, harmful settings with their remedy. Pure.

import type { EngineCapabilities, ServerFacts } from '@coppice/core/engine';
import type { RemoteVerifierKind } from '@coppice/core/verifier';

export interface Finding {
  readonly level: 'good' | 'note' | 'warning';
  readonly text: string;
}

export const good = (text: string): Finding => ({ level: 'good', text });
export const note = (text: string): Finding => ({ level: 'note', text });
export const warning = (text: string): Finding => ({ level: 'warning', text });

/** A few long steps fill a context of this size. */
const shortContextTokens = 2048;
const fewSlots = 4;

export function engineFindings(facts: ServerFacts): Finding[] {
  return [
    ...prefixFindings(facts),
    facts.dialect === 'openai'
      ? warning(
          'cannot tell a delimiter from the end of an answer: steps are streamed and cut here, which wastes a few tokens each',
        )
      : good('tells a delimiter from the end of an answer'),
    facts.logprobs
      ? good('gives log probabilities: the prior of PUCT and the confidence verifier')
      : warning('gives no log probabilities: the prior of PUCT is uniform, and the confidence verifier is blind'),
    facts.seeded
      ? good('honours seeds: a search can be repeated (up to the noise of batching)')
      : note(seedText(facts)),
    priorityFinding(facts),
    ...limitFindings(facts),
    ...(facts.dialect === 'openai'
      ? [warning("takes temperature and top_p only: the server's own top_k, min_p and penalties apply to every sample")]
      : []),
  ];
}

function prefixFindings(facts: ServerFacts): Finding[] {
  const { dialect, prefixCaching, returnsTokens, countsCache } = facts;
  const findings: Finding[] = [];
  if (dialect === 'openai')
    findings.push(warning('takes text only: each step sends and tokenises the whole path again'));
  else if (returnsTokens) findings.push(good('continues paths by token ids: an exact hit in its prefix cache'));
  else
    findings.push(warning('returns no token ids: paths are tokenised again; vLLM has return_token_ids since 0.10.2'));
  if (prefixCaching === false) {
    const flag = dialect === 'sglang' ? '--disable-radix-cache' : '--no-enable-prefix-caching';
    findings.push(warning(`its prefix cache is off: every step computes its whole path; start it without ${flag}`));
  }
  if (prefixCaching === undefined && dialect !== 'openai')
    findings.push(note('does not say whether it caches prefixes'));
  if (!countsCache) findings.push(note(countText(facts)));
  return findings;
}

function countText({ dialect }: ServerFacts): string {
  const flag = dialect === 'vllm' ? '; add --enable-prompt-tokens-details' : '';
  return `does not report what it finds in its cache, so the cost of prompts is an upper bound${flag}`;
}

function seedText({ dialect }: ServerFacts): string {
  const remedy = dialect === 'sglang' ? '; --enable-deterministic-inference makes it do so' : '';
  return `does not promise to honour seeds: a search cannot be repeated exactly${remedy}`;
}

function priorityFinding({ dialect, priorityOrder }: ServerFacts): Finding {
  if (dialect === 'vllm') return note('priorities are sent; they count only with --scheduling-policy priority');
  if (priorityOrder !== 'none') return good('follows priorities in its own queue');
  const remedy = dialect === 'sglang' ? '; --enable-priority-scheduling adds it' : '';
  return note(`has no priorities: the order is kept by our own queue alone${remedy}`);
}

function limitFindings({ dialect, sequenceLimit, contextTokens, trainedTokens }: ServerFacts): Finding[] {
  const findings: Finding[] = [];
  if (sequenceLimit === undefined)
    findings.push(note('does not say how many sequences it runs: found by trial, in about a second'));
  else findings.push(good(`runs ${sequenceLimit} sequences at a time; no more are sent`));
  if (sequenceLimit !== undefined && sequenceLimit < fewSlots) {
    const flag = dialect === 'llama-server' ? '-np' : '--max-running-requests';
    findings.push(warning(`${sequenceLimit} sequences at a time are few for a search: raise ${flag}`));
  }
  if (contextTokens !== undefined && contextTokens < shortContextTokens) {
    const flag = dialect === 'llama-server' ? '-c (divided by -np unless -kvu is set)' : 'the context length';
    const isOwn = trainedTokens !== undefined && contextTokens >= trainedTokens;
    const remedy = isOwn
      ? 'the model itself knows no more, so keep steps short and few (stepTokens, maxDepth)'
      : `raise ${flag}`;
    findings.push(warning(`${contextTokens} tokens of context per sequence are soon full: ${remedy}`));
  }
  return findings;
}

/** Findings about an engine that is no server, by its capability flags. */
export function capabilityFindings(capabilities: EngineCapabilities): Finding[] {
  const flag = (has: boolean, yes: string, no: string): Finding => (has ? good(yes) : note(no));
  return [
    flag(capabilities.seeded, 'honours seeds: a search can be repeated', 'does not honour seeds'),
    flag(capabilities.logprobs, 'gives log probabilities', 'gives no log probabilities: the prior of PUCT is uniform'),
    flag(capabilities.priorities, 'follows priorities', 'has no priorities'),
    flag(capabilities.countsCache, 'counts what it finds in its cache', 'does not count what it finds in its cache'),
  ];
}

export function verifierFindings(kind: RemoteVerifierKind): Finding[] {
  switch (kind) {
    case 'qwen-prm':
      return [
        warning(
          'vLLM computes question and steps anew for every score of this model: it, and not the generator, may be the bottleneck',
        ),
        note('siblings are scored in one call; --max-num-batched-tokens must hold the longest path'),
      ];
    case 'math-shepherd':
    case 'rlhflow':
    case 'plain':
      return [good('reuses the prefix: a score costs the newest step')];
    case 'judge':
      return [warning('a judge writes text for every step: many times the cost of a reward model, and no probability')];
    case 'http':
      return [note('your own scorer: its cost is unknown')];
  }
}
