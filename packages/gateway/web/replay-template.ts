// Builds the page of an exported search: src/replay.ts and its styles in one HTML document, which needs no server and no
// network. Its policy allows this script and this style by their hashes and nothing else. The app gets it as a string.

import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions, type Plugin } from 'vite';

const name = 'virtual:replay-template';

/** The code of other packages is bundled from its source: nothing has to be compiled before. */
export const fromSource = { conditions: ['coppice-source', ...defaultClientConditions] };

export function replayTemplate(): Plugin {
  return {
    name: 'replay-template',
    resolveId: (source) => (source === name ? `\0${name}` : undefined),
    load: async (id) =>
      id === `\0${name}` ? `export const template = ${JSON.stringify(await makeTemplate())};` : undefined,
  };
}

async function makeTemplate(): Promise<string> {
  const input = fileURLToPath(new URL('src/replay.ts', import.meta.url));
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: fromSource,
    root: fileURLToPath(new URL('.', import.meta.url)),
    build: { write: false, cssCodeSplit: false, rolldownOptions: { input, output: { format: 'iife' } } },
  });
  if (Array.isArray(built) || !('output' in built)) throw new Error('the replay page was not built in one piece');
  let script = '';
  let style = '';
  for (const file of built.output) {
    if (file.type === 'chunk') script += file.code;
    else if (file.fileName.endsWith('.css')) style += String(file.source);
  }
  return documentOf(script.trim().replaceAll('</script', '<\\/script'), style.trim());
}

function documentOf(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>coppice: a search</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="recording">null</script>
<script>${script}</script>
</body>
</html>
`;
}
