// Every reader of text that a model, a client or a server wrote, as a function of that text.

import { plainLine } from '../../packages/coppice/src/cli/terminal/terminal.ts';
import { asksForNumber, asksForShortAnswer, readingFor } from '../../packages/core/src/answer/asked.ts';
import { canonical, sameAnswer } from '../../packages/core/src/answer/canonical.ts';
import { AnswerTally } from '../../packages/core/src/answer/entropy.ts';
import { extractAnswer, lastLine, lastNumber, numbersIn } from '../../packages/core/src/answer/extract.ts';
import { falseEquation } from '../../packages/core/src/answer/formula/equations.ts';
import { evaluate } from '../../packages/core/src/answer/formula/expression.ts';
import { clean } from '../../packages/core/src/answer/formula/latex.ts';
import { groupAnswers } from '../../packages/core/src/answer/groups.ts';
import { isOpenText, nearestText } from '../../packages/core/src/answer/likeness.ts';
import { checkLine, taskOf } from '../../packages/core/src/answer/task.ts';
import { turnMeaning } from '../../packages/core/src/answer/turns.ts';
import { parseQuestions } from '../../packages/core/src/answering/question-file.ts';
import { ranksOn, readGauges } from '../../packages/core/src/engine/remote/dialect/gauges.ts';
import { PartialStep } from '../../packages/core/src/engine/remote/flight/partial-step.ts';
import { piecesOf } from '../../packages/core/src/engine/remote/flight/pieces.ts';
import { faultOfStatus } from '../../packages/core/src/remote/failure.ts';
import { parseJson } from '../../packages/core/src/remote/json.ts';
import { SseParser } from '../../packages/core/src/remote/sse.ts';
import { stepsOf } from '../../packages/core/src/runtime/steps/whole-draws.ts';
import { stepsIn } from '../../packages/core/src/tree/readings/named-steps.ts';
import { thoughtOf, usualTags } from '../../packages/core/src/tree/readings/thinking.ts';
import { writtenCalls } from '../../packages/core/src/tree/readings/written-calls.ts';
import { falseLine } from '../../packages/core/src/verifier/checked-verifier.ts';
import { fillPrompt, lastNumber as lastRating } from '../../packages/core/src/verifier/judge/judge-scorer.ts';
import { expectedRating } from '../../packages/core/src/verifier/judge/judge-verdict.ts';
import { causalFormats } from '../../packages/core/src/verifier/prm/causal-formats.ts';
import { renderQwen } from '../../packages/core/src/verifier/prm/qwen-scorer.ts';
import { PassedReader } from '../../packages/gateway/src/api/passed-answer.ts';
import { ThoughtStream } from '../../packages/gateway/src/dialects/thought-stream.ts';
import { createLog } from '../../packages/gateway/src/observe/log.ts';
import { StopCut } from '../../packages/gateway/src/result/stop-cut.ts';
import { answerPieces } from '../../packages/gateway/web/src/rich/pieces.ts';
import { parseCountdown } from '../../packages/llama/src/task/countdown.ts';
import { parseLedger } from '../../packages/llama/src/task/ledger.ts';
import { recognise, recogniseFor, tasks } from '../../packages/llama/src/task/recognise.ts';
import { storyFault } from '../../packages/llama/src/task/story.ts';
import { parseSudoku } from '../../packages/llama/src/task/sudoku.ts';
import { isArithmetic, operationOf } from '../../packages/llama/src/task/task.ts';

export type TextReader = (text: string) => unknown;

const questions = {
  countdown: 'Make 24 from 4 7 8 8.',
  ledger: 'Ledger 4821: a+3921-1184 b-2442 c+1000 d+1 e+2 f+3.',
  sudoku: 'Sudoku 1..3 3.4. 2.3. 4312',
  'word-problem': 'Ben has 12 coins. He buys 3 more coins. He loses 2 coins. How many coins does Ben have now?',
};
const callable = { name: 'f', parameters: { properties: { text: { type: 'string', default: 'a' } } } };
const first = { kind: 'text', text: 'q' } as const;
const line = (text: string) => JSON.stringify({ question: text, answer: `#### ${text}` });

/** As a stream of pieces. */
const inParts = (text: string) =>
  Array.from({ length: Math.ceil(text.length / 7) }, (_, at) => text.slice(7 * at, 7 * at + 7));
const reads = (function* () {
  for (let read = 0; ; read += 1) yield read;
})();
const wholeStep = (text: string) => ({ text, tokens: 100, meanLogprob: 0, end: 'eos' }) as const;
const textLog = createLog({ level: 'info', format: 'text', write: () => {} });

/** Readers of servers' texts, and of models' texts on their way to search and client. */
const onTheWay: [string, TextReader][] = [
  ['readGauges', (text) => readGauges('vllm', text)],
  ['ranksOn', ranksOn],
  ['faultOfStatus', (text) => faultOfStatus({ url: 'http://a', secrets: ['key'] }, '/b', 400, text)],
  ['parseJson', (text) => parseJson(text, 'it')],
  [
    'SseParser',
    (text) => {
      const parser = new SseParser();
      for (const part of inParts(text)) parser.push(Buffer.from(part));
    },
  ],
  ['PassedReader of a stream', (text) => new PassedReader('text/event-stream').add(Buffer.from(text))],
  [
    'PartialStep',
    (text) => {
      const step = new PartialStep(['\n\n', 'zzzzzzzz'], true);
      for (const part of inParts(text)) step.fold({ index: 0, text: part });
      return step.step();
    },
  ],
  ['piecesOf its own', (text) => piecesOf(text, inParts(text))],
  [
    'piecesOf others',
    (text) =>
      piecesOf(
        text,
        Array.from({ length: text.length / 8 }, () => 'aab'),
      ),
  ],
  ['stepsOf', (text) => stepsOf(wholeStep(text), { delimiters: ['\n\n', ' and ', '. '] })],
  ['stepsIn', (text) => stepsIn({ text, whole: true } as never)],
  ['thoughtOf', (text) => thoughtOf(wholeStep(text), true, usualTags)],
  [
    'ThoughtStream',
    (text) => {
      const stream = new ThoughtStream({ ...usualTags, opened: false });
      for (const part of inParts(text)) stream.push(part);
    },
  ],
  [
    'StopCut',
    (text) => {
      const cut = new StopCut(['answer is', '}}}}}}}}', '\n\n']);
      for (const part of inParts(text)) cut.push(part);
    },
  ],
  ['answerPieces of the page', answerPieces],
  ['plainLine of the terminal', plainLine],
  ['log', (text) => textLog.info('text', { text })],
];

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
  // With another variable each time: a name that was found is not searched again.
  ['canonical of its end', (text) => canonical(`x_{${reads.next().value}} = ${text.slice(-400)}`)],
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
  ['turnMeaning', (text) => turnMeaning({ calls: [{ name: 'f', arguments: text }] }, [callable])],
  [
    'turnMeaning of a text',
    (text) => turnMeaning({ calls: [{ name: 'f', arguments: JSON.stringify({ text }) }] }, [callable]),
  ],
  ['writtenCalls of words', writtenCalls],
  ['writtenCalls', (text) => writtenCalls(`{"name": "f", "arguments": {"text": "${text}`)],
  ['writtenCalls of a list', (text) => writtenCalls(`[${text}`)],
  ['taskOf', (text) => taskOf(tasks, text)],
  ['recognise', recognise],
  ['recogniseFor', (text) => recogniseFor('sapling', text)],
  ['parseCountdown', parseCountdown],
  ['parseLedger', parseLedger],
  ['parseSudoku', parseSudoku],
  ['storyFault', storyFault],
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
  ['lastRating', lastRating],
  [
    'fillPrompt',
    (text) => fillPrompt('{question} {steps} {step}', { prompt: { ...first, text }, steps: [text, text] }),
  ],
  ['renderQwen', (text) => renderQwen({ prompt: { ...first, text }, steps: [text] })],
  ['plain format', (text) => causalFormats.plain.render({ prompt: { ...first, text }, steps: [text] })],
  ...onTheWay,
  ...ofTasks,
]);
