// Shows a search in single lines: its status below the growing tree, its events that matter, and each event of a log for `replay`.

import { describeEvent, type LoggedEvent, type SearchEvent, shortScore } from '@coppice/core/log';
import type { Tree } from '@coppice/core/tree';
import { plainLine } from './terminal.ts';

/** `tokens`: generated so far, running steps included. The root is a node, as in the summary. */
export function statusLine(tree: Tree, rollouts: number, tokens: number): string {
  const { completed, pruned } = tree.closed;
  const best = tree.best?.reward === undefined ? '' : `, best ${shortScore(tree.best.score)}`;
  const cut = pruned > 0 ? `, ${pruned} pruned` : '';
  const open = tree.strands.size;
  return `${completed} of ${rollouts} rollouts${cut}, ${open} open, ${tree.nodes.length} nodes, ${tokens} tokens generated${best}`;
}

/** Finished paths, for output that is not a terminal. */
export function eventLine({ event }: LoggedEvent, tree: Tree): string | undefined {
  if (event.type !== 'grown' && event.type !== 'adopted') return undefined;
  const node = tree.node(event.node);
  if (!node.terminal) return undefined;
  const said = plainLine(node.answer ?? node.step?.text ?? '') || '(nothing)';
  const score = node.reward === undefined ? '' : `${shortScore(node.score)} `;
  return `path ${node.id}: ${score}${said}`;
}

export function eventText(event: SearchEvent): string {
  const said = plainLine(describeEvent(event));
  switch (event.type) {
    case 'grown':
    case 'ghosted':
      return `${said}: ${plainLine(event.step.text) || '(end)'}`;
    case 'exited':
      return event.answer?.answer === undefined ? said : `${said}, answer ${plainLine(event.answer.answer)}`;
    default:
      return said;
  }
}
