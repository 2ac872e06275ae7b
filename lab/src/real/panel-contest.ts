// Puts one question to a panel, and then to its models without any rule that could end it. The engines keep their draws (kept-draws.ts), so both
// get the same samples; the panel asks first.

import type { SearchModel } from '@coppice/core';
import { groupAnswers } from '@coppice/core/answer';
import { buildSearch, type GoldQuestion, isRight, ownPlan, requestOf, type Wish } from '@coppice/core/answering';
import { hash } from '@coppice/core/base';
import { answersOf } from '@coppice/core/program';
import type { PanelSample } from './panel-replay.ts';
import type { PanelLine } from './panel-table.ts';
import { majorityOf, runAll } from './run-all.ts';

export interface PanelContest {
  readonly model: SearchModel;
  readonly wish: Wish & { readonly rollouts: number };
  readonly seed: number;
}

export async function panelLine(contest: PanelContest, question: GoldQuestion): Promise<PanelLine> {
  const { result, tree } = await answered(contest, question, false);
  const all = await answered(contest, question, true);
  const { models = [] } = contest.model.parts.config.panel ?? {};
  const count = models.length * Math.floor((all.rollouts - 1) / models.length);
  const samples = answersOf(all.tree, 0, count).map(({ answer, step }): PanelSample => {
    const group = groupAnswers([{ answer, weight: 1 }])[0]?.key ?? null;
    return { model: step?.model ?? '', answer: group, right: isRight(question, answer), tokens: step?.tokens ?? 0 };
  });
  const written = all.tree.root.byIndex?.get(count);
  const drawn = samples.reduce((sum, { tokens }) => sum + tokens, 0);
  const right = (answer: string | undefined) => isRight(question, answer);
  return {
    question: question.id,
    samples,
    panel: {
      right: right(result.answer?.answer),
      tokens: result.cost.committedTokens + result.cost.discardedTokens,
      by: result.exit.kind === 'certain' ? result.exit.rule : 'vote',
      samples: answersOf(tree, 0, count).length,
      promptTokens: result.cost.promptTokens,
    },
    majority: { right: right(majorityOf(all.tree, count)?.answer), tokens: drawn },
    synthesis: {
      right: right(all.result.answer?.answer),
      tokens: drawn + (written?.step?.tokens ?? 0),
      promptTokens: all.result.cost.promptTokens,
    },
  };
}

async function answered({ model, wish, seed }: PanelContest, question: GoldQuestion, everything: boolean) {
  // The last rollout is that of the synthesis, which only one of them writes.
  const rollouts = wish.rollouts - (everything ? 0 : 1);
  const asked = { ...wish, rollouts, program: 'panel' } as const;
  const plan = ownPlan(model.parts, question.question, asked, hash(seed, question.id), model.panel);
  const built = everything ? buildSearch(plan, runAll) : buildSearch(plan);
  return { ...(await model.run(requestOf(built, model.nextId(), model.extract))), rollouts: plan.rollouts };
}
