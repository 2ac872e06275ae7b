// Training rollouts from trees and from flat samples: compares how many trained tokens each generated token gives. With a file name as argument
// it writes the rows of the trees there, in the format of `coppice export --rows rollouts`.

import { createWriteStream } from 'node:fs';
import { ExportCounts, exportTrees, type LoggedEvent, openModel, search } from 'coppice';

const model = await openModel('sapling');
const questions = ['Make 53 from 3 4 4 8.', 'Make 24 from 4 7 8 8.', 'Make 22 from 3 5 7.', 'Make 46 from 5 20 21 30.'];
const size = { program: 'scored-tree-samples', rollouts: 16, temperature: 1, recordTokens: 'on' } as const;

/** Runs a search and returns it with its log; a branching of 1 gives flat samples. */
async function grown(question: string, branching: number) {
  const events: LoggedEvent[] = [];
  await search(question, { model, ...size, branching, seed: 7, onEvent: (event) => events.push(event) });
  return { search: question, question, model: 'sapling', events };
}

async function rowsOf(branching: number, counts: ExportCounts) {
  const searches = await Promise.all(questions.map((question) => grown(question, branching)));
  const rows = [];
  for await (const row of exportTrees(searches, { table: 'rollouts', counts })) rows.push(row);
  return rows;
}

const [trees, flat] = [new ExportCounts(), new ExportCounts()];
const rows = await rowsOf(4, trees);
await rowsOf(1, flat);
const perToken = ({ trainedTokens, generatedTokens }: ExportCounts) => (trainedTokens / generatedTokens).toFixed(2);
console.log(`trees ${perToken(trees)}, flat ${perToken(flat)} trained tokens per generated token`);
const [, , file] = process.argv;
if (file !== undefined) createWriteStream(file).end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
await model.close();
