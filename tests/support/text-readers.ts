// Everything in answer/, task/ and verifier/ that reads a text which a model or a client wrote, each as a function of that text.

import { asksForNumber, asksForShortAnswer, readingFor } from '../../packages/core/src/answer/asked.ts';
import { canonical, sameAnswer } from '../../packages/core/src/answer/canonical.ts';
import { falseEquation } from '../../packages/core/src/answer/equations.ts';
import { evaluate } from '../../packages/core/src/answer/expression.ts';
import { extractAnswer, lastLine, lastNumber, numbersIn } from '../../packages/core/src/answer/extract.ts';
import { groupAnswers } from '../../packages/core/src/answer/groups.ts';
import { clean } from '../../packages/core/src/answer/latex.ts';
import { isOpenText, nearestText } from '../../packages/core/src/answer/likeness.ts';
import { AnswerTally } from '../../packages/core/src/answer/tally.ts';
import { checkLine, taskOf } from '../../packages/core/src/answer/task.ts';
import { parseQuestions } from '../../packages/core/src/answering/question-file.ts';
import { falseLine } from '../../packages/core/src/verifier/checked-verifier.ts';
import { fillPrompt, lastNumber as lastRating } from '../../packages/core/src/verifier/judge/judge-scorer.ts';
import { expectedChoice, expectedRating } from '../../packages/core/src/verifier/judge/judge-verdict.ts';
import { causalFormats } from '../../packages/core/src/verifier/prm/causal-formats.ts';
import { renderQwen } from '../../packages/core/src/verifier/prm/qwen-scorer.ts';
import { parseCountdown } from '../../packages/llama/src/task/countdown.ts';
import { parseLedger } from '../../packages/llama/src/task/ledger.ts';
import { recognise, recogniseFor, tasks } from '../../packages/llama/src/task/recognise.ts';
import { strangeIn } from '../../packages/llama/src/task/story.ts';
import { parseSudoku } from '../../packages/llama/src/task/sudoku.ts';
import { isArithmetic, operationOf } from '../../packages/llama/src/task/task.ts';

export type TextReader = (text: string) => unknown;

const questions = {
  countdown: 'Make 24 from 4 7 8 8.',
  ledger: 'Ledger 4821: a+3921-1184 b-2442 c+1000 d+1 e+2 f+3.',
  sudoku: 'Sudoku 1..3 3.4. 2.3. 4312',
  'word-problem': 'Ben has 12 coins. He buys 3 more coins. He loses 2 coins. How many coins does Ben have now?',
};
const first = { kind: 'text', text: 'q' } as const;
const line = (text: string) => JSON.stringify({ question: text, answer: `#### ${text}` });

const ofTasks: [string, TextReader][] = tasks.flatMap((task): [string, TextReader][] => {
  const question = questions[task.kind];
  return [
    [`${task.kind}.recognise`, (text) => task.recognise(text)],
    [`${task.kind}.check`, (text) => task.check(question, text, '13')],
    [`${task.kind}.judge`, (text) => task.judge(question, [text, ...text.split('\n'), `Answer: ${text}`])],
    [`${task.kind}.checkLine`, (text) => task.checkLine(question, text.split('\n'), text)],
    [`${task.kind}.check of a question`, (text) => task.check(text, '24', '24')],
  ];
});

export const textReaders: ReadonlyMap<string, TextReader> = new Map<string, TextReader>([
  ['asksForNumber', asksForNumber],
  ['asksForShortAnswer', asksForShortAnswer],
  ['readingFor', readingFor('How many are there?', extractAnswer)],
  ['canonical', canonical],
  ['sameAnswer', (text) => sameAnswer(text, `${text} `)],
  ['canonical of its end', (text) => canonical(text.slice(-400))],
  ['falseEquation', (text) => falseEquation(text)],
  ['evaluate', (text) => evaluate(text)],
  ['extractAnswer', extractAnswer],
  ['lastLine', lastLine],
  ['lastNumber', lastNumber],
  ['numbersIn', numbersIn],
  ['groupAnswers', (text) => groupAnswers(text.split('\n', 100).map((answer) => ({ answer, weight: 1 })))],
  ['clean', (text) => clean(text)],
  ['isOpenText', isOpenText],
  ['nearestText', (text) => nearestText({ text, vector: [1] }, [{ text: `${text}x`, vector: [1] }], 0.5)],
  ['AnswerTally', (text) => new AnswerTally().add({ answer: text })],
  ['checkLine', (text) => checkLine(tasks, text, [text], text)],
  ['falseLine', falseLine],
  ['taskOf', (text) => taskOf(tasks, text)],
  ['recognise', recognise],
  ['recogniseFor', (text) => recogniseFor('sapling', text)],
  ['parseCountdown', parseCountdown],
  ['parseLedger', parseLedger],
  ['parseSudoku', parseSudoku],
  ['strangeIn', strangeIn],
  ['operationOf', (text) => operationOf(`1+1=2${text}`)],
  ['isArithmetic', (text) => isArithmetic(operationOf(text) ?? { a: 1, operator: '+', b: 1, result: 2, rest: '' })],
  ['parseQuestions', (text) => parseQuestions('file.jsonl', line(text))],
  [
    'expectedRating',
    (text) =>
      expectedRating(
        [...text].map((token) => ({ token, candidates: [] })),
        1,
        10,
      ),
  ],
  [
    'expectedRating of one',
    (text) => expectedRating([{ token: '7', candidates: [{ token: text, logprob: 0 }] }], 1, 10),
  ],
  ['expectedChoice', (text) => expectedChoice([{ token: 'A', candidates: [{ token: text, logprob: 0 }] }], 'A', 'B')],
  ['lastRating', lastRating],
  [
    'fillPrompt',
    (text) => fillPrompt('{question} {steps} {step}', { prompt: { ...first, text }, steps: [text, text] }),
  ],
  ['renderQwen', (text) => renderQwen({ prompt: { ...first, text }, steps: [text] })],
  ['plain format', (text) => causalFormats.plain.render({ prompt: { ...first, text }, steps: [text] })],
  ...ofTasks,
]);
