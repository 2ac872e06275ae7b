// The files under deploy/ cannot be run everywhere: what they name must at least exist. Metrics of the dashboard and the alerts, settings
// and files of the compose files and the image, and the commands that they start.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { simulatedModels } from '../packages/coppice/src/cli/plugins/plugins.ts';
import { loadConfig } from '../packages/core/src/config/load.ts';
import { runGateway } from './support/running-gateway.ts';

const packages = readdirSync('packages');
const read = (name: string) => readFileSync(join('deploy', name), 'utf8');

describe('deploy/', () => {
  test('the dashboard and the alerts ask for metrics that a node has, by names that last', async () => {
    const { url } = await runGateway();
    const served = await (await fetch(`${url}/metrics`)).text();
    const dashboard = read('grafana/dashboards/coppice.json');
    for (const text of [dashboard, read('alerts.yml'), read('kubernetes/vllm-scaling.yaml')]) {
      const named = [...text.matchAll(/\b(?:coppice|process|nodejs)_\w+/g)].map(([name]) =>
        name.replace(/_bucket$/, ''),
      );
      expect(named.length).toBeGreaterThan(3);
      for (const name of new Set(named)) {
        expect(served, name).toContain(`# TYPE ${name} `);
      }
    }
  });

  test('the dashboard has variables, and every panel heeds them', () => {
    const { templating, panels } = JSON.parse(read('grafana/dashboards/coppice.json'));
    const variables = templating.list.map(({ name }: { name: string }) => name);
    expect(variables).toEqual(['datasource', 'model', 'instance']);
    for (const { targets, datasource } of panels) {
      expect(datasource.uid).toBe('$' + '{datasource}');
      for (const { expr } of targets) expect(expr).toContain('instance=~"$instance"');
    }
  });

  test('every alert has a summary, a severity and a name of its own, and asks only for labels that exist', () => {
    const rules = read('alerts.yml')
      .split(/^ {6}- alert: /m)
      .slice(1);
    expect(rules.length).toBeGreaterThan(5);
    expect(new Set(rules.map((rule) => rule.split('\n')[0])).size).toBe(rules.length);
    for (const rule of rules) {
      for (const part of [/^ {8}expr: /m, /^ {8}for: \d+[sm]$/m, /severity: (critical|warning|info)/, /summary: /])
        expect(rule).toMatch(part);
      for (const [, label] of rule.matchAll(/\$labels\.(\w+)/g))
        expect(['instance', 'model', 'code', 'section']).toContain(label);
    }
  });

  test('the compose file sets settings that exist, and mounts what is there', () => {
    const text = read('compose.yaml');
    const settings = [...text.matchAll(/^ +(COPPICE__\w+): (.*)$/gm)].map(([, name, value]) => {
      const plain = value!.replace(/^'(.*)'$/, '$1').replace(/\$\{COPPICE_KEY_HASH[^}]*\}/, `sha256:${'0'.repeat(64)}`);
      return [name!, plain] as const;
    });
    const config = loadConfig({ base: { models: simulatedModels() }, environment: Object.fromEntries(settings) });
    expect(config.journal.kind).toBe('postgres');
    expect(config.server.host).toBe('0.0.0.0');
    expect(text).toContain('DATABASE_URL: postgres://');
    const mounted = [...text.matchAll(/- \.\/([\w./-]+):/g)].map(([, path]) => path!);
    for (const path of mounted.filter((each) => each !== 'coppice-key'))
      expect(existsSync(join('deploy', path))).toBe(true);
    for (const target of read('prometheus.yml').match(/node-\d/g) ?? []) expect(text).toContain(`  ${target}:`);
  });

  test('the image holds what the package runs, and the service starts a command that exists', () => {
    const { bin } = JSON.parse(readFileSync('packages/coppice/package.json', 'utf8'));
    const image = read('Dockerfile');
    for (const name of packages) expect(image).toContain(`COPY packages/${name}/package.json packages/${name}/`);
    expect(image).toContain('/src/packages ./packages');
    expect(image).toContain(`"packages/coppice/${bin.coppice}"`);
    expect(read('coppice.service')).toMatch(/^ExecStart=\/usr\/bin\/coppice serve --config /m);
  });

  test('the compose file is in order: services, what they wait for, volumes, pinned images', () => {
    const text = read('compose.yaml');
    expect(text).not.toMatch(/\t| +$/m);
    for (const [indent] of text.matchAll(/^ +(?=\S)/gm)) expect(indent.length % 2).toBe(0);
    const section = (name: string) => new RegExp(`^${name}:\\n((?:(?: .*)?\\n)*)`, 'm').exec(text)?.[1] ?? '';
    const keysOf = (part: string) => [...part.matchAll(/^ {2}([\w-]+):/gm)].map(([, key]) => key!);
    const services = keysOf(section('services'));
    expect(services).toEqual(['postgres', 'migrate', 'node-1', 'node-2', 'node-3', 'prometheus', 'grafana']);
    for (const [, waited] of text.matchAll(/^ +([\w-]+):\n +condition: service_/gm)) expect(services).toContain(waited);
    const anchors = [...text.matchAll(/: &(\w+)/g)].map(([, name]) => name);
    for (const [, name] of text.matchAll(/<<: \*(\w+)/g)) expect(anchors).toContain(name);
    const volumes = keysOf(section('volumes'));
    const used = [...text.matchAll(/volumes: \[(\w+):/g)].map(([, name]) => name!);
    const mounted = [...text.matchAll(/^ +- (\w+):\//gm)].map(([, name]) => name!);
    expect([...used, ...mounted].sort()).toEqual(volumes.sort());
    for (const [, image] of text.matchAll(/^ +image: (\S+)$/gm))
      if (image !== 'coppice') expect(image).toMatch(/:v?\d[\w.]*$/);
    // A password that is not set ends the start instead of being empty.
    for (const [variable] of text.matchAll(/\$\{[^}]*\}/g)) expect(variable).toMatch(/:[?-]/);
  });

  test('the compose file with vLLM serves a model by settings that exist, from volumes that it has', () => {
    const text = read('compose.vllm.yaml');
    const config = loadConfig({ file: { name: 'coppice.vllm.json', text: read('coppice.vllm.json') } });
    const [model] = config.models;
    expect(model?.engine).toMatchObject({ kind: 'openai', urls: ['http://vllm:8000'], model: 'generator' });
    for (const name of ['--served-model-name=generator', 'verdict=/adapters/qwen2.5-coder-1.5b-verdict'])
      expect(text).toContain(name);
    for (const [, path] of text.matchAll(/^ +- (\.[\w./-]+):/gm)) expect(existsSync(join('deploy', path!))).toBe(true);
    const named = [...text.matchAll(/^ +- (\w+):\//gm)].map(([, name]) => name!);
    for (const name of named) expect(text).toMatch(new RegExp(`^ {2}${name}:$`, 'm'));
    for (const [variable] of text.matchAll(/\$\{[^}]*\}/g)) expect(variable).toMatch(/:[?-]/);
  });

  test('the scaling example has a configuration that is one', () => {
    const text = read('kubernetes/vllm-scaling.yaml');
    expect(text).not.toMatch(/\t| +$/m);
    const [, engine] = /^# +"engine": (\{.*\})$/m.exec(text)!;
    const { models } = loadConfig({ base: { models: [{ name: 'qwen', engine: JSON.parse(engine!) }] } });
    expect(models[0]!.engine).toMatchObject({ replicas: 'dns:vllm:8000' });
    const triggers = text.split('- type: prometheus').slice(1);
    for (const trigger of triggers)
      for (const part of [/serverAddress: /, /query: \w/, /threshold: '\d+'/]) expect(trigger).toMatch(part);
  });

  test('what is kept from the image is nothing that its build copies', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    for (const name of ['packages', 'package.json', 'package-lock.json', 'tsconfig.json', 'build.ts'])
      expect(ignored).not.toContain(name);
    for (const name of ['.git', '**/node_modules', '**/dist']) expect(ignored).toContain(name);
    expect(ignored).toContain('!lab/package.json');
  });

  test('the image is built in stages that exist, runs without rights, and is told of by its health', () => {
    const lines = read('Dockerfile')
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line));
    const stages = lines.flatMap((line) => / AS (\w+)$/.exec(line)?.[1] ?? []);
    for (const line of lines) {
      expect(line).toMatch(/^(FROM|WORKDIR|COPY|RUN|ENV|VOLUME|USER|EXPOSE|HEALTHCHECK|STOPSIGNAL|ENTRYPOINT|CMD) \S/);
      if (line.startsWith('FROM')) expect(line).toMatch(/^FROM \S+:\d\S*/);
      const [, stage] = /--from=(\w+)/.exec(line) ?? [];
      if (stage !== undefined) expect(stages).toContain(stage);
      if (/^(ENTRYPOINT|CMD)/.test(line)) expect(() => JSON.parse(line.slice(line.indexOf('[')))).not.toThrow();
    }
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
    for (const word of ['USER node', 'HEALTHCHECK', 'STOPSIGNAL SIGTERM', 'ENTRYPOINT'])
      expect(last.some((line) => line.startsWith(word))).toBe(true);
    expect(last.filter((line) => line.startsWith('RUN'))).toEqual([
      expect.stringMatching(/ install .*bubblewrap tini/),
    ]);
    expect(last.find((line) => line.startsWith('ENTRYPOINT'))).toContain('["tini", "--", "node"');
  });
});
