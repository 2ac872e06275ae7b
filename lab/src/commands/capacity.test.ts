import { FaultError } from 'coppice';
import { expect, it } from 'vitest';
import { run } from './capacity.ts';

const question = ['--gpus', '4', '--p99', '30'];

it.each([
  [['--p99', '30'], /what is asked\? Give --gpus N .* or --rate R/],
  [[...question, '--rate', '3'], /what is asked\? Give --gpus N .* or --rate R/],
  [['--gpus', '4'], /--p99 is missing: how many seconds may 99 % of the searches take/],
  [['--gpus', '0', '--p99', '30'], /--gpus is 0; it must be a whole number from 1 to 64/],
  [['--gpus', '4', '--p99', '0'], /--p99 is 0; it must be a number from 0.001/],
  [['--rate', '-1', '--p99', '30'], /--rate is -1; it must be a number from 0.001/],
  [[...question, '--machine', 'nowhere.json'], /--machine: cannot read nowhere.json as JSON; h200-vllm, .* ship/],
  [[...question, '--program', 'magic'], /--program is 'magic'; it must be one of/],
  [[...question, '--policy', 'magic'], /--policy is 'magic'; it must be one of/],
  [[...question, '--streams', '3'], /--streams is 3; it must be a whole number from 6/],
  [[...question, '--requests', '10'], /--requests is 10; it must be a whole number from 100/],
  [[...question, '--trace', 'nowhere.csv'], /--trace: cannot read nowhere.csv/],
  [[...question, '--trace', 'package.json'], /--trace package.json begins as no trace that is known/],
])('refuses %j in one line', async (args, message) => {
  const refused = await run(args).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FaultError);
  const { fault } = refused as FaultError;
  expect(fault.code).toBe('bad-setting');
  expect(fault.message).toMatch(message);
  expect(fault.message).not.toContain('\n');
});
