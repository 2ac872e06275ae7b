// JSON that journals keep without reading it.

export type Plain = Readonly<Record<string, unknown>>;
