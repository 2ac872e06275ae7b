// Training rollouts with turns: answers that are too long go back to the model with the verifier's words. No model wrote those words, so the
// rows exclude them from the loss. Arguments: a model, a file for the rows in the format of `coppice export --rows rollouts`, and questions.

import { createWriteStream } from 'node:fs';
import { defineVerifier, exportTrees, type LoggedEvent, openModel, search } from 'coppice';

const brief = defineVerifier(async (_question, steps) => {
  const words = (steps.at(-1) ?? '').trim().split(/\s+/).length;
  return { reward: Math.max(0, 1 - words / 40), feedback: `It has ${words} words; five are enough.` };
});

const [, , weights = 'sapling', file, ...asked] = process.argv;
const questions = asked.length > 0 ? asked : ['Make 24 from 4 7 8 8.'];
const model = await openModel({ engine: { kind: 'llama', model: weights }, verifier: brief, threshold: 1 });
const size = {
  program: 'refine',
  rollouts: 4,
  refine: { answerTokens: 48 },
  temperature: 1,
  recordTokens: 'on',
  seed: 3,
} as const;

const searches = [];
for (const question of questions) {
  const events: LoggedEvent[] = [];
  await search(question, { model, ...size, onEvent: (event) => events.push(event) });
  searches.push({ search: question, question, model: weights, events });
}

const rows = [];
for await (const row of exportTrees(searches, { table: 'rollouts' })) rows.push(row);
const composed = rows.flatMap(({ completion_mask: mask }) => mask ?? []).filter((drawn) => drawn === 0).length;
console.log(`${rows.length} rollouts, ${composed} of their tokens composed`);
if (file !== undefined) createWriteStream(file).end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
await model.close();
