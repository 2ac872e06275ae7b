// Calls that lead a vote which is not over, for a client that tries them ahead: of tools that only read, by the hint that MCP gives
// (`annotations: { readOnlyHint: true }`). Never calls a tool itself, and no engine is sent a hint.

import { groupAnswers } from '../answer/groups.ts';
import { offeredTools, turnMeaning } from '../answer/turns.ts';
import { isRecord } from '../base/record.ts';
import { agentTurn, turnIn } from '../tree/readings/agent-turn.ts';
import { treeVotes } from '../tree/readings/certaindex.ts';
import type { Prompt } from '../tree/step.ts';
import type { EventListener } from './search-model.ts';

export interface SpeculativeCall {
  readonly name: string;
  /** JSON as the model wrote it. */
  readonly arguments: string;
  /** Share of the votes so far that its turn has. */
  readonly support: number;
}

export type SpeculativeListener = (call: SpeculativeCall) => void | Promise<void>;

function toolsOf(prompt: Prompt): readonly unknown[] {
  const tools = agentTurn(prompt)?.tools;
  return Array.isArray(tools) ? tools : [];
}

/** Tells each call once, in whatever turns it leads. */
export function speculativeCalls(prompt: Prompt, tell: SpeculativeListener): EventListener {
  const hinted = toolsOf(prompt).filter(
    (tool) => isRecord(tool) && isRecord(tool.annotations) && tool.annotations.readOnlyHint === true,
  );
  const readOnly = offeredTools({ tools: hinted }).filter((tool) => tool !== undefined);
  const told = new Set<string>();
  return ({ event: { type } }, tree) => {
    if (type !== 'grown' && type !== 'merged') return undefined;
    const votes = treeVotes(tree);
    const [{ votes: leading } = { votes: [] }] = groupAnswers(votes);
    const calls = turnIn(leading[0]?.node.step?.text ?? '')?.calls ?? [];
    const fresh = calls.filter((call) => {
      const meaning = turnMeaning({ calls: [call] }, readOnly);
      return meaning !== undefined && !told.has(meaning) && told.add(meaning);
    });
    const support = leading.length / votes.length;
    return Promise.all(fresh.map(({ name, arguments: given }) => tell({ name, arguments: given, support })));
  };
}

export function withoutHints(prompt: Prompt): Prompt {
  if (prompt.kind !== 'chat' || prompt.turn === undefined) return prompt;
  const tools = toolsOf(prompt).map((tool) => (isRecord(tool) ? { ...tool, annotations: undefined } : tool));
  return { ...prompt, turn: { ...prompt.turn, tools } };
}
