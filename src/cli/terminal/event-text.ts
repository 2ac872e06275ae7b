// An event of a search in one line for `replay`: what the log says of it, and the text that it brought.

import { describeEvent } from '../../log/describe.ts';
import type { SearchEvent } from '../../log/events.ts';
import { plainLine } from './terminal.ts';

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
