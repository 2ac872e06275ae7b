// Replays a log: an empty tree's program gets the log's outcomes in the order in which they were folded, and the log's widths.
// Everything else it must do by itself. Returns the first event that differs from the log,
// or undefined if every ask, move and close is the same.

import { fault } from '../../packages/core/src/base/fault.ts';
import { isTreeEvent, type SearchEvent } from '../../packages/core/src/log/events.ts';
import type { Doomed, Outcome, Program } from '../../packages/core/src/program/program.ts';
import { type FoldEvent, type Ghost, isFold, type TreeEvent } from '../../packages/core/src/tree/events.ts';
import { formKey } from '../../packages/core/src/tree/keys.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

/** `doomed`: nodes at which the search's prune rules let no strand begin. */
export function redrive(
  program: Program,
  log: readonly SearchEvent[],
  doomed: (tree: Tree) => Doomed | undefined = () => undefined,
): string | undefined {
  const done: TreeEvent[] = [];
  const planted = log.find((event) => event.type === 'planted')!;
  const tree = Tree.replay([planted], (event) => done.push(event));
  let width = 0;
  const last = log.findLastIndex(
    (event) => isFold(event) || event.type === 'asked' || event.type === 'probed' || event.type === 'ghosted',
  );
  for (const [at, event] of log.entries()) {
    if (event.type === 'width') width = event.primary;
    if (!isTreeEvent(event) || event.type === 'planted') continue;
    // Events after the last outcome and the last ask that are not the program's end the search.
    if (done.length === 0 && at > last) tree.record(event);
    else if (done.length === 0) act(program, tree, event, width, doomed);
    const did = done.shift();
    if (JSON.stringify(did) !== JSON.stringify(event)) return `${JSON.stringify(did)} for ${JSON.stringify(event)}`;
  }
  return done.length === 0 ? undefined : `${JSON.stringify(done[0])} after the end`;
}

/** Does what must have happened for this event to come next. */
function act(
  program: Program,
  tree: Tree,
  event: TreeEvent,
  width: number,
  doomed: (tree: Tree) => Doomed | undefined,
): void {
  if (isFold(event)) program.tell(tree, outcomeOf(tree, event));
  else if (event.type === 'priced') tree.record(event);
  else if (event.type === 'probed') program.tell(tree, replyOf(event));
  else if (event.type === 'ghosted' && tree.nodeOf(event.parentKey) === undefined) tree.record(event);
  else if (event.type === 'ghosted') program.tell(tree, late(tree, event));
  else if (event.type === 'closed' && event.closing !== 'completed') tree.record(event);
  else program.ask(tree, tree.strands.size < width, doomed(tree));
}

function replyOf({ node, index, reply, code, model }: TreeEvent & { type: 'probed' }): Outcome {
  return { probe: true, node, index, reply, model, ...(code && { fault: fault(code, 'as the log says') }) };
}

function outcomeOf(tree: Tree, event: FoldEvent): Outcome {
  const { parent: node, index } = event;
  if (event.type === 'withered') {
    return { ok: false, node, index, fault: fault(event.code, 'as the log says'), model: event.model };
  }
  const parent = tree.node(node);
  const { sampling, manner } = tree.strand(parent.inFlight!.get(index)!);
  const form = formKey(sampling!, manner);
  if (event.type === 'grown') return success(node, form, event);
  const ghost = tree.ghostFor(parent, index);
  const group = event.type === 'adopted' && event.group !== undefined ? { group: event.group } : {};
  if (ghost !== undefined) return success(node, form, { ...ghost, ...group });
  if (event.type === 'adopted') throw new Error('there is no ghost to adopt');
  const { step, reward } = tree.node(event.into);
  const twin: Step = { ...step!, tokens: event.tokens };
  return success(node, form, { index, step: twin, ...(reward === undefined ? {} : { reward }) });
}

function late(tree: Tree, ghost: Ghost): Outcome {
  return success(tree.nodeOf(ghost.parentKey)!.id, ghost.form, ghost);
}

type Brought = Pick<Ghost, 'index' | 'step' | 'reward' | 'answer'> & { readonly group?: number | undefined };

function success(node: number, form: number, { index, step, reward, answer, group }: Brought): Outcome {
  const scored = reward === undefined ? {} : { reward };
  const said = { ...(answer === undefined ? {} : { answer }), ...(group === undefined ? {} : { group }) };
  return { ok: true, node, index, form, step, ...scored, ...said };
}
