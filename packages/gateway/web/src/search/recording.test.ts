import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordSearch } from '../../../../../tests/support/recorded.ts';
import type { WholeSearchJson } from '../../../src/wire/search-json.ts';
import { exportRecording, readRecording } from './recording.ts';

const template = '<body><script type="application/json" id="recording">null</script><script>run()</script></body>';
const log = recordSearch({ id: 'a', seed: 5, rollouts: 2 });

function searchOf(title: string): WholeSearchJson {
  return { id: 'a', title, state: 'done' } as WholeSearchJson;
}

/** The element's text as a browser reads it: everything until the first end tag. */
function embedded(html: string): string {
  return html.slice(html.indexOf('id="recording">') + 'id="recording">'.length, html.indexOf('</script>'));
}

describe('an exported recording', () => {
  it('comes back word for word, whatever the model wrote', () => {
    const nasty = fc.constantFrom('</script>', '<!--', '<script>', ']]>', '$&', '$1', '\u2028', '\\u003c', '"', '\0');
    const text = fc.array(fc.oneof(nasty, fc.string()), { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (title) => {
        const html = exportRecording(template, searchOf(title), log);
        expect(readRecording(embedded(html))).toEqual({ coppice: 1, search: searchOf(title), log });
        expect(html.split('<').length).toBe(template.split('<').length);
      }),
    );
  });

  it('refuses a template without a place, and a file without a recording', () => {
    expect(() => exportRecording('<body>', searchOf('a'), log)).toThrow(/no place/);
    expect(() => readRecording('null')).toThrow(/no recording/);
    expect(() => readRecording('{"coppice":2}')).toThrow(/no recording/);
  });
});
