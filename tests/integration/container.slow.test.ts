// The image of deploy/Dockerfile, built and run where a container tool works and can fetch the base image; else this is skipped and says
// which of the two is missing.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const minutes = 60_000;
const base = 'docker.io/library/node:24-bookworm-slim';

function run(tool: string, args: readonly string[], timeout = 10 * minutes) {
  const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8', timeout });
  return { status, said: `${stdout ?? ''}${stderr ?? ''}` };
}

function findTool(): string | undefined {
  const works = ['docker', 'podman'].find((tool) => run(tool, ['info'], minutes).status === 0);
  if (works === undefined) console.log('the image is not built: neither docker nor podman works here');
  else if (run(works, ['pull', base], 5 * minutes).status !== 0)
    console.log(`the image is not built: ${works} cannot fetch ${base}`);
  else return works;
  return undefined;
}

const tool = findTool();

test.skipIf(tool === undefined)('the image is built, prints its version, and serves', () => {
  const built = run(tool!, ['build', '--file', 'deploy/Dockerfile', '--tag', 'coppice-test', '.']);
  expect([built.status, built.said.slice(-2000)]).toEqual([0, expect.any(String)]);
  expect(run(tool!, ['run', '--rm', 'coppice-test', '--version']).said).toMatch(/^\d+\.\d+\.\d+/);
  const ready = `const check = () => fetch('http://127.0.0.1:8181/ready').then((r) => process.exit(r.ok ? 0 : 1), () => setTimeout(check, 200)); check()`;
  const id = run(tool!, ['run', '--rm', '--detach', 'coppice-test', 'serve', '--sim']).said.trim();
  try {
    expect(run(tool!, ['exec', id, 'node', '-e', ready], minutes).status).toBe(0);
  } finally {
    run(tool!, ['stop', id], minutes);
  }
});
