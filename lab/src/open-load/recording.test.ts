import type { EngineMessage } from 'coppice';
import { describe, expect, it } from 'vitest';
import { generateRequest } from '../../../tests/support/requests.ts';
import { ScriptedEngine } from '../../../tests/support/scripted-engine.ts';
import { Recording } from './recording.ts';

describe('a recording', () => {
  it('says again what was said, one step for siblings that wrote the same', async () => {
    const recording = new Recording();
    const script = ({ index }: { index: number }) =>
      ({ text: index < 2 ? 'the same\n' : 'another\n', end: 'delimiter' }) as const;
    const engine = recording.listenTo(new ScriptedEngine({ script }));
    const heard: EngineMessage[] = [];
    const requests = [0, 1, 2].map((id) => generateRequest(id, { seed: id }));
    await new Promise<void>((resolve) => {
      engine.connect((message) => {
        if (message.type === 'step' && heard.push(message) === 3) resolve();
      });
      engine.generate(requests);
    });
    const [first, second, third] = requests.map((request) => recording.draw(request));
    expect(second).toBe(first);
    expect(third).toMatchObject({ text: 'another\n' });
    expect({ hits: recording.hits, misses: recording.misses }).toEqual({ hits: 3, misses: 0 });
  });
});
