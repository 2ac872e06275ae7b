// Opens a command verifier as the configuration describes it. Tests of clients are refused where a process cannot be shut in.

import { raise } from '../../base/fault.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { CommandVerifier } from '../../verifier/command/command-verifier.ts';

type CommandConfig = Extract<ModelConfig['verifier'], { kind: 'command' }>;

export function openCommand(
  model: string,
  { command, language, clientTests, ...limits }: CommandConfig,
): CommandVerifier {
  if ((command === undefined) === (language === undefined))
    return raise(
      'bad-setting',
      `models: '${model}' has a verifier of kind 'command'; give it either command or language`,
    );
  const verifier = new CommandVerifier({ command: command ?? language!, ...limits });
  if (clientTests && !verifier.isContained)
    return raise(
      'unsupported',
      `verifier.clientTests is on for '${model}', and this system cannot shut in what clients send: ${verifier.note}`,
    );
  return verifier;
}
