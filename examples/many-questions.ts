// Many questions at once share one model and one budget. Events report the growth of each tree; an aborted search returns its best so far.

import { openModel, search } from 'coppice';

const engine = { kind: 'sim', speed: 100 } as const;
const model = await openModel({ engine, verifier: { kind: 'sim' }, budget: 8, threshold: 0.65 });
const impatient = AbortSignal.timeout(60_000);

const questions = Array.from({ length: 6 }, (_, at) => `question ${at}`);
const answers = await Promise.all(
  questions.map(async (question) => {
    let grown = 0;
    const onEvent = ({ event }: { event: { type: string } }) => {
      if (event.type === 'grown') grown += 1;
    };
    const { exit, cost } = await search(question, { model, rollouts: 8, signal: impatient, onEvent });
    return `${question}: ${exit.kind} by ${exit.rule}, ${grown} steps, ${cost.committedTokens} tokens`;
  }),
);
console.log(answers.join('\n'));
await model.close();
