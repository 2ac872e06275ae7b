import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printConfig, printExample, printSchema } from '../../../coppice/src/cli/terminal/print-config.ts';
import { FaultError } from '../base/fault.ts';
import { checkConfig, loadConfig, stripComments } from './load.ts';

const base = { models: [{ name: 'm', engine: { kind: 'sim' } }] };

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    throw error;
  }
  return '';
}

describe('loading', () => {
  test('flags win over environment, environment over file, file over defaults', () => {
    const file = { name: 'f', text: '{"server": {"port": 1, "shutdownMs": 100}} // a comment' };
    const environment = { COPPICE__SERVER__PORT: '2', COPPICE__SERVER__SHUTDOWN_MS: '200', OTHER: 'x' };
    const config = loadConfig({ base, file, environment, settings: ['server.port=3'] });
    expect(config.server).toMatchObject({ port: 3, shutdownMs: 200, host: '127.0.0.1' });
  });

  test('an item of a list is set by its number', () => {
    const config = loadConfig({ base, settings: ['models.0.budget=7', 'models.0.engine.speed=5'] });
    expect(config.models[0]).toMatchObject({ name: 'm', budget: 7, engine: { kind: 'sim', speed: 5 } });
  });

  test.each([
    ['threshold=0.5', 'mcts'],
    ['policy=boost', 'mcts'],
    ['branching=3', 'auto'],
  ])('a model with %s and no program has %s', (setting, program) => {
    expect(loadConfig({ base, settings: [`models.0.${setting}`] }).models[0]).toMatchObject({ program });
  });

  test('unknown keys, values out of bounds and wrong types are refused by name', () => {
    expect(refusal(() => loadConfig({ base, settings: ['server.prot=1'] }))).toBe(
      "server has no setting 'prot' (did you mean 'port'?)",
    );
    expect(refusal(() => loadConfig({ base, settings: ['server.port=99999'] }))).toMatch(
      /server\.port is 99999; it must be a whole number from 0 to 65535/,
    );
    expect(refusal(() => loadConfig({ base, environment: { COPPICE__NO__SUCH: '1' } }))).toMatch(/has no setting 'no'/);
    expect(refusal(() => loadConfig({ base, settings: ['server.host=""'] }))).toMatch(/server\.host/);
    expect(refusal(() => loadConfig({}))).toMatch(/models/);
    expect(refusal(() => loadConfig({ base, settings: ['nonsense'] }))).toMatch(/KEY=VALUE/);
    expect(refusal(() => loadConfig({ base, settings: ['__proto__.x=1'] }))).toMatch(/not a setting/);
    expect(refusal(() => loadConfig({ base, file: { name: 'f.json', text: '{' } }))).toMatch(/f\.json is not JSON/);
    const said = (text: string) => refusal(() => loadConfig({ base, file: { name: 'f.json', text } }));
    for (const text of ['{ "a": ", ]",\n"keys": [1, 2, // two\n] }', '{\n"keys": [], }\n'])
      expect(said(text)).toBe('f.json is not JSON: line 2 has a comma behind the last item');
    expect(said('{ "a": ",]"\n"b": 1\n}\n')).toMatch(/^f\.json is not JSON: [^\n]+$/);
    expect(said('{ "keys": ]\n}\n')).toMatch(/^f\.json is not JSON: [^\n]+$/);
  });

  test('replicas are named, or listed by somebody, and not both', () => {
    const engine = (settings: object) =>
      loadConfig({ base: { models: [{ name: 'm', engine: { kind: 'openai', ...settings } }] } }).models[0]!.engine;
    const dns = 'dns:vllm.models:8000';
    expect(engine({ replicas: dns })).toMatchObject({ replicas: dns });
    const both = { urls: ['http://a.test'], replicas: dns };
    for (const wrong of [{}, both])
      expect(refusal(() => engine(wrong))).toMatch(/engine has neither urls nor replicas, or both/);
    for (const wrong of ['vllm', 'ftp://a.test'])
      expect(refusal(() => engine({ urls: [wrong] }))).toMatch(
        `engine.urls.0 is '${wrong}', no URL such as http://127.0.0.1:8000`,
      );
    expect(refusal(() => engine({ urls: ['me:secret@a.test:80'] }))).toMatch(/urls\.0 is no URL such as/);
    for (const wrong of [{ from: 'dns', name: 'x' }, 'consul:x', 'dns:a/b', 'dns:x?path=y'])
      expect(refusal(() => engine({ replicas: wrong }))).toMatch(
        /engine.replicas is .*; it must be file:PATH or dns:NAME:PORT/,
      );
  });

  test('without keys only loopback can be bound; with keys any address', () => {
    const settings = ['server.host=0.0.0.0'];
    expect(refusal(() => loadConfig({ base, settings }))).toMatch(/loopback/);
    const keys = [{ name: 'k', hash: `sha256:${'0'.repeat(64)}` }];
    expect(loadConfig({ base: { ...base, keys }, settings }).server.host).toBe('0.0.0.0');
    const wrong = [{ name: 'My team', hash: 'cpk_secret' }];
    expect(refusal(() => loadConfig({ base: { ...base, keys: wrong } }))).toMatch(
      /^keys\.0\.name is no name of a key: .*; keys\.0\.hash is no hash of a key; coppice serve --new-key NAME prints one$/,
    );
  });

  test('two of one name, and an escalation to nowhere, are refused', () => {
    const twice = { models: [...base.models, ...base.models] };
    expect(refusal(() => loadConfig({ base: twice }))).toMatch(/two models named 'm'/);
    expect(refusal(() => loadConfig({ base, settings: ['models.0.escalateTo=m'] }))).toMatch(/escalateTo/);
  });

  test('a panel of models that are not there, and a synthesizer that is not in it, are one line each', () => {
    const panel = (settings: object) =>
      refusal(() => loadConfig({ base: { models: [{ ...base.models[0]!, ...settings }] } }));
    expect(panel({ panel: { models: ['m', 'x'] } })).toBe(
      "models.0.panel.models has 'x', which is no configured model",
    );
    expect(panel({ panel: { models: ['m'], synthesizer: 'x' } })).toBe(
      "models.0.panel.synthesizer is 'x', which is neither in the panel nor the model itself",
    );
  });

  test('the result is frozen all the way down', () => {
    const config = loadConfig({ base });
    expect(Object.isFrozen(config.models[0]?.sampling)).toBe(true);
  });

  test('comments go, strings that look like comments stay, positions do not move', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, note) => {
        const json = JSON.stringify({ value, url: 'http://x/*y*/' }, null, 2);
        const line = note.replace(/[\r\n\u2028\u2029]/g, ' ');
        const block = note.replaceAll('*/', '');
        const noted = `// ${line}\n/* ${block} */${json} // ${line}`;
        expect(JSON.parse(stripComments(noted))).toEqual(JSON.parse(json));
        expect(stripComments(noted)).toHaveLength(noted.length);
      }),
    );
  });
});

const sapling = { name: 'sapling', engine: { kind: 'llama' }, verifier: { kind: 'prm' } };

test.each([
  [{ engine: { kind: 'embedded' } }, "models.0.engine.kind is 'embedded'; it must be one of llama, openai, sim"],
  [{ engine: {} }, 'models.0.engine.kind is missing; it must be one of llama, openai, sim'],
  [{ stepPrompt: 4 }, 'models.0.stepPrompt is 4; it must be a text'],
  [{ delimiters: [] }, 'models.0.delimiters has 0 items; at least 1 must be there'],
  [
    { buget: 4, polisy: 'x' },
    "models.0 has no setting 'buget' (did you mean 'budget'?) or 'polisy' (did you mean 'policy'?)",
  ],
  [{ rollouts: 4 }, 'models.0.rollouts is a setting of a search, not of a model'],
])('%j is refused in words of ours', (settings, line) => {
  expect(refusal(() => checkConfig({ models: [{ ...base.models[0], ...settings }] }))).toContain(line);
});

describe('printing', () => {
  test('the example is a configuration that means the defaults', () => {
    expect(loadConfig({ file: { name: 'example', text: printExample([sapling]) } })).toEqual(
      checkConfig({ models: [sapling] }),
    );
  });

  test('every knob of the example has its reason', () => {
    const lines = printExample([sapling])
      .split('\n')
      .map((line) => line.trim());
    const bare = lines.filter((line, at) => /^"\w+": [^{[]/.test(line) && !lines[at - 1]?.startsWith('//'));
    expect(bare).toEqual([]);
  });

  test('the example names what is not set, with its reason', () => {
    const lines = printExample([sapling]).split('\n');
    const at = lines.findIndex((line) => line.includes('"speculate" is not set'));
    expect(lines[at - 1]).toMatch(/strands of one search, 0 to 1024: /);
  });

  test('the printed configuration hides hashes, the schema is JSON', () => {
    const hash = `sha256:${'ab'.repeat(32)}`;
    expect(printConfig(loadConfig({ base: { ...base, keys: [{ name: 'k', hash }] } }))).not.toContain('abab');
    expect(JSON.parse(printSchema())).toMatchObject({ type: 'object', additionalProperties: false });
  });
});
