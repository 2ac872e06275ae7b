// `npm run bench -- draft [--draft NAME] [--model NAME] [--tokens N] [--branches 1,4,16] [--rounds N]`: tokens per second without a draft model, with
// one in the target's thread between its decodes, and with one in a thread of its own. They take turns within each round, on a question that the
// shipped models know, so that the drafts are as good as in a search. First it prints the best possible gain by the cost of single decodes.

import { parseArgs } from 'node:util';
import { modelPath } from '@coppice/llama';
import { type Drafts, draftDefaults } from '@coppice/llama/draft';
import { type Round, spread, throughContract } from './engine-throughput.ts';
import { rowCosts } from './row-costs.ts';

const question =
  'Anna has 12 boxes with 24 stamps in each. She gives 75 stamps to Ben. She buys 3 packs of 18 stamps. How many stamps does Anna have now?\n';

/** Never paused: the benchmark is to show where it does not pay. */
const most = 64;

type Counted = Round & { readonly decodes: number; readonly drafted: number; readonly accepted: number };

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      draft: { type: 'string', default: 'sapling-draft' },
      model: { type: 'string', default: 'sapling' },
      tokens: { type: 'string', default: String(draftDefaults.tokens) },
      branches: { type: 'string', default: '1,4,16' },
      rounds: { type: 'string', default: '9' },
    },
  });
  const branchings = values.branches.split(',').map(Number);
  for (const branches of branchings) print(forecast(values, branches, Number(values.tokens)));
  const drafting = { model: modelPath(values.draft), tokens: Number(values.tokens), mostSequences: most } as const;
  const plain = await contender(values.model);
  const inStep = await contender(values.model, { ...drafting, where: 'inline' });
  const apart = await contender(values.model, { ...drafting, where: 'thread' });
  const contenders = [plain, inStep, apart];
  try {
    for (const branches of branchings) {
      const rounds = await interleave(contenders, branches, Number(values.rounds));
      print(`${branches} branches, drafts of ${values.tokens} tokens, ${values.rounds} rounds`);
      for (const [at, { name }] of contenders.entries()) print(lineOf(name, rounds[at]!, rounds[0]!));
    }
  } finally {
    for (const each of contenders) await each.close();
  }
}

/** A round by arithmetic, if every draft were accepted and two cores were free: ms for each token of a branch. */
function forecast(names: { readonly model: string; readonly draft: string }, branches: number, tokens: number): string {
  const half = Math.ceil(branches / 2);
  const [plain, whole, part] = rowCosts(modelPath(names.model), [
    [branches, 1],
    [branches, tokens + 1],
    [half, tokens + 1],
  ]) as [number, number, number];
  const [drafting, halfDrafting] = rowCosts(modelPath(names.draft), [
    [branches, 1],
    [half, 1],
  ]) as [number, number];
  const inStep = (whole + tokens * drafting) / (tokens + 1);
  const rest = tokens * halfDrafting;
  const apart = (branches === 1 ? part + rest : 2 * Math.max(part, rest)) / (tokens + 1);
  const ms = (value: number) => value.toFixed(2);
  const decodes = `decode ${ms(plain)}, verify ${ms(whole)} (half ${ms(part)}), draft ${tokens} x ${ms(drafting)}`;
  return `${branches} branches at best, ms: ${decodes}; a token of each: none ${ms(plain)}, inline ${ms(inStep)}, thread ${ms(apart)}`;
}

async function contender(model: string, draft?: Drafts['options']) {
  const { engine, round, close, name } = await throughContract(modelPath(model), question, draft);
  const counted = async (branches: number): Promise<Counted> => {
    const before = engine.counts;
    const timed = await round(branches);
    const { decodes, draftedTokens, acceptedTokens } = engine.counts;
    return {
      ...timed,
      decodes: decodes - before.decodes,
      drafted: draftedTokens - before.draftedTokens,
      accepted: acceptedTokens - before.acceptedTokens,
    };
  };
  return { name: draft === undefined ? 'no drafts' : name, counted, close };
}

async function interleave(
  contenders: readonly { counted(branches: number): Promise<Counted> }[],
  branches: number,
  rounds: number,
): Promise<Counted[][]> {
  const results = contenders.map((): Counted[] => []);
  for (const each of contenders) await each.counted(branches); // warm
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, each] of contenders.entries()) results[at]!.push(await each.counted(branches));
  }
  return results;
}

function lineOf(name: string, rounds: readonly Counted[], plain: readonly Counted[]): string {
  const wall = ({ tokens, wallMs }: Counted) => (1000 * tokens) / wallMs;
  const processor = ({ tokens, processorMs }: Counted) => tokens / processorMs;
  const against = (rate: (round: Counted) => number) =>
    spread(
      rounds.map((round, at) => rate(round) / rate(plain[at]!)),
      2,
    );
  const total = (value: (round: Counted) => number) => rounds.reduce((sum, round) => sum + value(round), 0);
  const perDecode = (total(({ tokens }) => tokens) / total(({ decodes }) => decodes)).toFixed(2);
  const accepted = total(({ accepted }) => accepted) / total(({ drafted }) => drafted);
  const drafts = Number.isNaN(accepted) ? '' : `, ${(100 * accepted).toFixed(0)} % accepted`;
  const rate = spread(rounds.map(wall), 0);
  return `  ${name.padEnd(16)} ${rate} tokens/s, / none: wall ${against(wall)}, processor ${against(processor)}; ${perDecode} tokens a decode${drafts}`;
}
