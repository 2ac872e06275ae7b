// The commands of the guides as data: every block marked `sh`, the conditions in its marker, and the files that a page tells the reader to
// write. Blocks marked `console` are left out: they show commands with their output on a machine that has the model. Runs nothing, and
// never guesses: an unknown marker is an error.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const guideFolder = join(import.meta.dirname, '..', '..', 'docs', 'guides');

/** How a block is run: to its end, until its server is ready, beside a server, or not, for a reason. */
export type Trial =
  | { readonly kind: 'ends'; readonly status: number }
  | { readonly kind: 'until-ready' }
  | { readonly kind: 'beside-server' }
  | { readonly kind: 'not-run'; readonly reason: string };

export interface GuideBlock {
  readonly trial: Trial;
  readonly script: string;
}

export interface Guide {
  readonly page: string;
  readonly text: string;
  readonly blocks: readonly GuideBlock[];
  readonly files: ReadonlyMap<string, string>;
}

function trialOf(marker: string | undefined, page: string): Trial {
  if (marker === undefined) return { kind: 'ends', status: 0 };
  if (marker === 'until ready') return { kind: 'until-ready' };
  if (marker === 'beside a server') return { kind: 'beside-server' };
  const [, status] = /^exits: (\d+)$/.exec(marker) ?? [];
  if (status !== undefined) return { kind: 'ends', status: Number(status) };
  const [, reason] = /^not run: (\S.{10,})$/.exec(marker) ?? [];
  if (reason !== undefined) return { kind: 'not-run', reason };
  throw new Error(`${page}: an unknown marker, '${marker}'`);
}

function guideOf(page: string): Guide {
  const text = readFileSync(join(guideFolder, page), 'utf8');
  const fenced = /(?:<!-- (.*?) -->\n)?```(\w*)\n([\s\S]*?)```/g;
  const blocks: GuideBlock[] = [];
  const files = new Map<string, string>();
  for (const [, marker, language, body = ''] of text.matchAll(fenced)) {
    const [, file] = /^writes: (\S+)$/.exec(marker ?? '') ?? [];
    if (language === 'sh') blocks.push({ trial: trialOf(marker, page), script: body });
    else if (language === 'console') continue;
    else if (file !== undefined) files.set(file, body);
    else throw new Error(`${page}: a block that is neither a command nor a file to write`);
  }
  return { page, text, blocks, files };
}

export const guides: readonly Guide[] = readdirSync(guideFolder)
  .filter((file) => file.endsWith('.md'))
  .map(guideOf);
