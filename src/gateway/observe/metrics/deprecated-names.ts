// Metrics under the names that they had before version 0.2, for dashboards that still ask for them: the same values, and a help text
// that says what to ask for. Gone with the version after.

/** What it was called before, by what it is called now. */
const formerly: Readonly<Record<string, string>> = {
  coppice_request_duration_seconds: 'coppice_request_seconds',
  coppice_search_duration_seconds: 'coppice_search_seconds',
  coppice_queue_duration_seconds: 'coppice_queue_seconds',
  coppice_passthrough_requests_total: 'coppice_passthrough_total',
  coppice_passthrough_duration_seconds: 'coppice_passthrough_seconds',
  coppice_searches_given_up_total: 'coppice_given_up_total',
  coppice_verifier_waiting_steps: 'coppice_verifier_waiting',
  coppice_embedder_waiting_texts: 'coppice_embedder_waiting',
  coppice_embedder_failed_texts_total: 'coppice_embedder_failed_total',
  coppice_computed_tokens_total: 'coppice_decoded_tokens_total',
  coppice_draft_gain_ratio: 'coppice_draft_gain',
  coppice_journal_unwritten_writes: 'coppice_journal_unwritten',
};

/** The text of /metrics with every renamed metric once more, under its old name. */
export function withDeprecatedNames(text: string): string {
  const blocks = text.split(/\n(?=# HELP )/).map((block) => block.trimEnd());
  const old = blocks.flatMap((block) => {
    const [, name = ''] = /^# HELP (\w+)/.exec(block) ?? [];
    const before = /^(process|nodejs)_/.test(name) ? `coppice_${name}` : formerly[name];
    return before === undefined ? [] : [renamed(block, name, before)];
  });
  return `${[...blocks, ...old].join('\n')}\n`;
}

/** Names begin their lines; those of a histogram have a further part. */
function renamed(block: string, name: string, before: string): string {
  return block
    .replaceAll(new RegExp(`^(# (?:HELP|TYPE) )?${name}(?=[_ {])`, 'gm'), `$1${before}`)
    .replace(/^(# HELP \w+) /, `$1 Deprecated, ask for ${name}. `);
}
