// The piece of text that each token adds, from tokens as a server writes each alone. Text that no token spells (characters made of several
// tokens, a cut inside the last) goes to the last token that was not found. All pieces together are the text.

export function piecesOf(text: string, written: readonly string[]): string[] {
  const pieces = written.map(() => '');
  let done = 0;
  let unfound = -1;
  written.forEach((token, at) => {
    const begins = beginOf(token, text, done, unfound >= 0);
    if (begins === undefined) {
      unfound = at;
      return;
    }
    if (unfound >= 0) pieces[unfound] = text.slice(done, begins);
    unfound = -1;
    pieces[at] = text.slice(begins, begins + token.length);
    done = Math.min(text.length, begins + token.length);
  });
  const last = unfound >= 0 ? unfound : written.length - 1;
  if (last >= 0) pieces[last] += text.slice(done);
  return pieces;
}

const mostSkipped = 8;

function beginOf(token: string, text: string, from: number, maySkip: boolean): number | undefined {
  if (token === '' || text.startsWith(token, from)) return from;
  const rest = text.slice(from);
  if (rest !== '' && rest.length < token.length && token.startsWith(rest)) return from;
  if (!maySkip) return undefined;
  const skipped = text.slice(from, from + mostSkipped + token.length).indexOf(token);
  return skipped < 0 ? undefined : from + skipped;
}
