// TRL and verl themselves on exported rollouts, where the Python that TRAINER_PYTHON names (else python3) has one of them; without, the test is skipped.

import { spawnSync } from 'node:child_process';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const python = env.TRAINER_PYTHON ?? 'python3';
const look = 'from importlib.util import find_spec; exit(0 if find_spec("trl") or find_spec("verl") else 1)';
const hasTrainer = spawnSync(python, ['-c', look], { cwd }).status === 0;
if (!hasTrainer) console.log(`the test of trainers is skipped: ${python} has neither trl nor verl (training/trainers)`);

test.skipIf(!hasTrainer)('a trainer’s loss is on the tokens that the model drew', { timeout: 600_000 }, () => {
  const { status, stdout, stderr } = spawnSync(python, ['-m', 'training.trainers.checks'], { cwd, encoding: 'utf8' });
  expect(status, stderr.slice(-2000)).toBe(0);
  expect(stdout).toContain('all checks hold');
});
