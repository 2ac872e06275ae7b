// Another API's words for the fields of a chat, in refusals: a client is told of the field that it wrote.

import { ApiError } from '../http/api-error.ts';

/** Words of a chat's body, and what they are called there. */
export type FieldNames = readonly (readonly [RegExp, string])[];

export function renamed<Result>(names: FieldNames, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const inTheirWords = (text: string) => names.reduce((sum, [from, to]) => sum.replace(from, to), text);
    const { code, message, param, retryAfterSeconds } = error;
    throw new ApiError(code, inTheirWords(message), {
      ...(param === undefined ? {} : { param: inTheirWords(param) }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
}
