// Shows a search tree as lines of text that fit one screen: the nodes that most strands pass, each with score, visits and the beginning of
// its step. The rest is only counted. Pure.

import { shortScore } from '@coppice/core/log';
import type { Node, Tree } from '@coppice/core/tree';
import { cutTo, plainLine } from './terminal.ts';

interface TreeViewOptions {
  readonly width: number;
  readonly height: number;
  /** End of the answer's path; by default that of the best finished one. */
  readonly chosen?: Node | undefined;
}

export const treeLegend = '★ answer  ◆ its path  ● finished  ◌ growing  · step   0.98 score  ×3 visits';

export function treeLines(tree: Tree, { width, height, chosen = tree.best }: TreeViewOptions): string[] {
  const shown = chooseNodes(tree, Math.max(1, height), chosen);
  const winning = new Set<Node>();
  for (let at: Node | undefined = chosen; at !== undefined; at = at.parent) winning.add(at);
  const lines: string[] = [];
  const draw = (node: Node, indent: string): void => {
    const children = node.children.filter((child) => shown.has(child)).sort(byInterest);
    const hidden = node.children.length - children.length;
    children.forEach((child, index) => {
      const isLast = index === children.length - 1 && hidden === 0;
      lines.push(cutTo(`${indent}${isLast ? '└' : '├'}${describe(child, winning.has(child))}`, width));
      draw(child, `${indent}${isLast ? ' ' : '│'} `);
    });
    if (hidden > 0 && children.length > 0) lines.push(`${indent}└ … ${hidden} more`);
  };
  draw(tree.root, '');
  return lines.slice(0, height);
}

/** The nodes that most strands pass, with all their ancestors, one per line. */
function chooseNodes(tree: Tree, lines: number, chosen: Node | undefined): ReadonlySet<Node> {
  const shown = new Set<Node>([tree.root]);
  const withMore = new Set<Node>();
  const candidates = tree.nodes.filter((node) => node.parent !== undefined).sort(byInterest);
  if (chosen !== undefined) candidates.unshift(chosen);
  let used = 0;
  for (const candidate of candidates) {
    const path: Node[] = [];
    for (let at: Node | undefined = candidate; at !== undefined && !shown.has(at); at = at.parent) path.push(at);
    const parents = path
      .map((node) => node.parent!)
      .filter((parent) => parent.children.length > 1 && !withMore.has(parent));
    if (path.length === 0 || used + path.length + parents.length > lines) continue;
    for (const node of path) shown.add(node);
    for (const parent of parents) withMore.add(parent);
    used += path.length + parents.length;
  }
  return shown;
}

function byInterest(left: Node, right: Node): number {
  return right.visits + right.pending - (left.visits + left.pending) || right.score - left.score || left.id - right.id;
}

function describe(node: Node, winning: boolean): string {
  const mark = node.terminal ? (winning ? '★' : '●') : node.pending > 0 ? '◌' : winning ? '◆' : '·';
  const score = node.reward === undefined ? '    ' : shortScore(node.score);
  const visits = node.visits > 0 ? ` ×${node.visits}` : '';
  return `${mark} ${score}${visits} ${plainLine(node.step?.text ?? '') || '(end)'}`;
}
