// Writes a question as a command for a POSIX shell. The key is named, never shown. Pure.

export interface CurlOptions {
  readonly base: string;
  readonly model: string;
  readonly question: string;
  readonly hasKey: boolean;
}

export function curl({ base, model, question, hasKey }: CurlOptions): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: question }] });
  const lines = [
    `curl ${base}/chat/completions`,
    `-H 'content-type: application/json'`,
    ...(hasKey ? ['-H "authorization: Bearer $COPPICE_KEY"'] : []),
    // A quote inside quotes ends them, is escaped, and begins them again.
    `-d '${body.replaceAll("'", "'\\''")}'`,
  ];
  return lines.join(' \\\n  ');
}
