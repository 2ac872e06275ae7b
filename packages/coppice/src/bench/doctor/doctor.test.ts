import { describe, expect, it } from 'vitest';
import type { ServerFacts } from '../../../../core/src/engine/remote/dialect/dialect.ts';
import { engineFindings, verifierFindings } from './findings.ts';
import { budgetFor, type CurvePoint, kneeOf } from './step-time.ts';
import { throughputFindings, type WholeAnswers } from './whole-answers.ts';

const point = (sequences: number, tokensPerSecond: number): CurvePoint => ({
  sequences,
  tokensPerSecond,
  stepMs: (sequences / tokensPerSecond) * 1000,
});

describe('kneeOf', () => {
  it('is the fewest sequences that give four fifths of the highest throughput', () => {
    const points = [point(1, 100), point(2, 195), point(4, 370), point(8, 600), point(16, 700), point(32, 720)];
    expect(kneeOf(points)?.sequences).toBe(8);
    expect(budgetFor(kneeOf(points)!, 4)).toBe(2);
  });

  it('weighs a last step that is no doubling by its share of a doubling', () => {
    expect(kneeOf([point(1, 100), point(2, 190), point(3, 240)])?.sequences).toBe(3);
    expect(kneeOf([point(1, 100), point(2, 190), point(3, 200)])?.sequences).toBe(2);
    expect(kneeOf([])).toBeUndefined();
    expect(kneeOf([point(1, 100), point(2, 90), point(4, 370)])?.sequences).toBe(4);
  });
});

describe('kneeOf a curve that rises slowly to its end', () => {
  it('is near the end, and not at one sequence', () => {
    const points = Array.from({ length: 9 }, (_, at) => point(2 ** at, 100 * 1.25 ** at));
    expect(kneeOf(points)?.sequences).toBe(128);
  });
});

describe('throughput', () => {
  const vllm = { dialect: 'vllm' } as ServerFacts;

  const full: WholeAnswers = { inFlight: 256, alone: 10_000, searched: 9500, sent: 250, held: 0, busy: 0.4 };

  it('says in one line how much reaches coppice, and the cause if that is little', () => {
    const line = (over: Partial<WholeAnswers>, dialect = vllm.dialect): string => {
      const [first] = throughputFindings({ ...vllm, dialect }, point(8, 10), { ...full, ...over }, false);
      return `${first!.level} ${first!.text}`;
    };
    const rates = 'tokens per s in whole answers, 256 in flight';
    expect(line({})).toBe(`good 0.95 of the server's own speed reaches coppice: 9500 of 10000 ${rates}`);
    expect(line({ searched: 5000 })).toMatch(/^warning 0\.50 .*front end may be one busy process.*--api-server-count/);
    expect(line({ searched: 5000 }, 'sglang')).not.toContain('--api-server-count');
    expect(line({ searched: 5000, busy: 0.97 })).toContain('our own process is busy 97 % of the time');
    expect(line({ searched: 5000, sent: 150 })).toMatch(/had 150 of 256: strands wait .* raise budget/);
    expect(line({ searched: 5000, sent: 64, held: 180 })).toMatch(/180 were held back for room: raise engine.inFlight/);
    expect(throughputFindings(vllm, point(8, 10), { ...full, alone: 0 }, false)[0]!.text).not.toContain('speed');
  });

  it('names the flags that would change it', () => {
    const texts = (share: number, last: boolean): string =>
      throughputFindings(vllm, point(256, 20_000), { ...full, searched: 10_000 * share }, last)
        .map(({ level, text }) => `${level} ${text}`)
        .join('\n');
    expect(texts(0.6, true)).toMatch(/warning 0\.60 of the server's own speed.*--api-server-count/);
    expect(texts(0.6, true)).toContain('--max-num-seqs');
    expect(texts(0.95, false)).toMatch(/good 0\.95/);
    expect(texts(0.95, false)).not.toContain('--max-num-seqs');
    for (const flag of ['--stream-interval', '--async-scheduling']) expect(texts(0.95, false)).toContain(flag);
    expect(throughputFindings({ ...vllm, dialect: 'sglang' }, point(8, 10), undefined, true)).toEqual([]);
  });
});

describe('findings', () => {
  const facts: ServerFacts = {
    dialect: 'vllm',
    version: '0.32.0',
    model: 'm',
    contextTokens: 8192,
    sequenceLimit: undefined,
    priorityOrder: 'lower-first',
    seeded: true,
    logprobs: true,
    countsCache: true,
    prefixCaching: true,
    returnsTokens: true,
  };
  const warnings = (changed: Partial<ServerFacts>): string[] =>
    engineFindings({ ...facts, ...changed })
      .filter(({ level }) => level === 'warning')
      .map(({ text }) => text);

  it('warn of harmful settings only', () => {
    expect(warnings({})).toEqual([]);
    expect(warnings({ prefixCaching: false }).join()).toMatch(/--no-enable-prefix-caching/);
    expect(warnings({ dialect: 'sglang', prefixCaching: false }).join()).toMatch(/--disable-radix-cache/);
    expect(warnings({ dialect: 'llama-server', sequenceLimit: 1, contextTokens: 512 }).length).toBe(2);
    const short = (trainedTokens: number) =>
      warnings({ dialect: 'llama-server', contextTokens: 512, trainedTokens }).join('\n');
    expect(short(512)).toContain('the model itself knows no more');
    expect(short(4096)).toContain('raise -c');
    expect(warnings({ dialect: 'openai', logprobs: false }).length).toBe(4);
    expect(verifierFindings('qwen-prm')[0]?.level).toBe('warning');
    expect(verifierFindings('rlhflow')[0]?.level).toBe('good');
  });
});
