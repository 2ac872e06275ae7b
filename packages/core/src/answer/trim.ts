// Takes characters of a kind off the end of a text. A pattern like `[.,]+$` looks on to the end from every one of them, and takes the square of
// their number where something else stands behind.

/** `kind` says of one character whether it goes. */
export function trimEndOf(text: string, kind: RegExp): string {
  let end = text.length;
  while (end > 0 && kind.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
