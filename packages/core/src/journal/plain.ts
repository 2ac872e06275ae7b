// What journals keep without looking into it.

/** JSON: what goes in comes out. */
export type Plain = Readonly<Record<string, unknown>>;
