// schemathesis makes requests from the OpenAPI document that the server gives, good and bad ones: no server error, and every
// answer as the document says.

import { expect, test } from 'vitest';
import { hasPythonClients, runPython } from '../support/python-clients.ts';
import { runGateway } from '../support/running-gateway.ts';

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
];

test.skipIf(!hasPythonClients)('the server keeps to its OpenAPI document', async () => {
  // Time stands still: of a deadline of a millisecond, which the document allows, 504 would be the right answer.
  const { url, logged } = await runGateway({ clock: { nowMs: () => 1_800_000_000_000 } });
  const said = await runPython('st', [
    ...['run', `${url}/openapi.json`, '--checks', checks.join(','), '--phases', 'coverage'],
    ...['--generation-deterministic', '--workers', '1'],
    // Streams of events never end by themselves.
    ...['--exclude-path-regex', '/events$', '--suppress-health-check', 'all'],
  ]);
  expect(said).toMatch(/Tested: 3\d/);
  expect(logged.filter((line) => line.includes('"event":"internal"'))).toEqual([]);
});
