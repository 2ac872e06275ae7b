// When two turns of an agent mean the same: calls by function and value of their arguments, words by their answer. A call that names no
// offered function or breaks its schema means nothing. Whatever model and client wrote, a reading is bounded.

import { isRecord } from '../base/record.ts';
import type { ReadAnswer } from './asked.ts';
import { callArguments } from './call-arguments.ts';
import { canonical } from './canonical.ts';
import { extractAnswer } from './extract.ts';

export interface AgentTurn {
  readonly content?: string | null | undefined;
  readonly reasoning?: string | undefined;
  /** Arguments are JSON as the model wrote it. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

export interface OfferedTool {
  readonly name: string;
  /** A JSON schema; without one any arguments will do. */
  readonly parameters?: unknown;
}

/**
 * Equal for turns that mean the same, undefined for one that means nothing. Calls of one turn have no order, as clients run them at once, but
 * two equal ones are not one. Words beside calls mean nothing; words alone mean their answer, and all that state none mean the same.
 */
export function turnMeaning(
  { content, calls }: AgentTurn,
  tools: readonly OfferedTool[],
  read: ReadAnswer = extractAnswer,
): string | undefined {
  if (calls.length === 0) {
    const answer = read(content ?? '');
    if (answer !== undefined) return `says ${canonical(answer)}`;
    return content?.trim() ? 'words' : undefined;
  }
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const meanings = calls.map(({ name, arguments: text }) => {
    const tool = offered.get(name);
    const filled = tool && callArguments(text, tool.parameters, calls.length);
    return filled && JSON.stringify(name) + filled;
  });
  return meanings.includes(undefined) ? undefined : `calls ${meanings.sort().join(' ')}`;
}

interface ToolFields {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
}

/** The functions that a chat's fields offer, `undefined` for a tool of another kind. */
export function offeredTools({ tools }: ToolFields): readonly (OfferedTool | undefined)[] {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return all.map((tool) => {
    const { type, function: described } = fieldsOf(tool);
    const { name, parameters } = fieldsOf(described);
    return type === 'function' && typeof name === 'string' ? { name, parameters } : undefined;
  });
}

/** Reads the meaning of turns. One that calls what it may not, or only speaks where it must call, has none. */
export function turnReader(fields: ToolFields, read: ReadAnswer): (turn: AgentTurn) => string | undefined {
  const choice = fields.tool_choice;
  const { name } = fieldsOf(fieldsOf(choice).function);
  const isForced = choice === 'required' || name !== undefined;
  const mayCall = (tool: OfferedTool) => choice !== 'none' && (name === undefined || tool.name === name);
  const offered = offeredTools(fields).flatMap((tool) => (tool !== undefined && mayCall(tool) ? [tool] : []));
  return (turn) => (isForced && turn.calls.length === 0 ? undefined : turnMeaning(turn, offered, read));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
