// Builds the dashboard into separate files, since the server's policy allows no inline script and no inline style. `vite web` serves it for
// development and passes the API on to a running `coppice serve`.

import { defineConfig } from 'vite';
import { fromSource, replayTemplate } from './replay-template.ts';

const server = process.env.COPPICE_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  resolve: fromSource,
  plugins: [replayTemplate()],
  build: {
    target: 'es2024',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
    emptyOutDir: true,
  },
  server: { host: '127.0.0.1', proxy: { '/v1': server } },
});
