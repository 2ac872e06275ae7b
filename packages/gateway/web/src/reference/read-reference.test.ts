import { expect, test } from 'vitest';
import { runGateway } from '../../../../../tests/support/running-gateway.ts';
import { endpointsOf, settingsOf } from './read-reference.ts';

test('the reference has every address of a server, and the settings of a search with their bounds', async () => {
  const { url } = await runGateway();
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
  expect(endpointsOf(document).map(({ method, path }) => `${method} ${path}`)).toContain('GET /v1/history');
  const settings = settingsOf(document);
  expect(settings.find(({ name }) => name === 'policy')?.values).toContain('boost, safe');
  expect(settings.find(({ name }) => name === 'threshold')).toMatchObject({ values: '0 to 1 score' });
  expect(settings.every(({ about }) => about !== '')).toBe(true);
});

test('any other document gives nothing', () => {
  for (const document of [null, 3, {}, { paths: null, components: [] }])
    expect([endpointsOf(document), settingsOf(document)]).toEqual([[], []]);
});
