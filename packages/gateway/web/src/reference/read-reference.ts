// Reads an OpenAPI document for the page. Assumes nothing of its shape: missing parts are left out. Pure.

export interface EndpointLine {
  readonly method: string;
  readonly path: string;
  readonly about: string;
}

export interface SettingLine {
  readonly name: string;
  readonly values: string;
  readonly about: string;
}

export function endpointsOf(document: unknown): EndpointLine[] {
  return Object.entries(at(document, 'paths')).flatMap(([path, operations]) =>
    Object.entries(at(operations)).map(([method, operation]) => {
      const { summary, description } = at(operation);
      return { method: method.toUpperCase(), path, about: text(summary) || text(description) };
    }),
  );
}

export function settingsOf(document: unknown): SettingLine[] {
  const body = at(document, 'components', 'schemas', 'searches', 'properties', 'coppice');
  const settings = [body, ...list(body.anyOf)].map((each) => at(each, 'properties')).find(isFilled) ?? {};
  return Object.entries(settings).map(([name, setting]) => {
    return { name, values: valuesOf(at(setting)), about: text(at(setting).description) };
  });
}

function valuesOf({ enum: names, minimum, maximum, unit, type }: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(names)) return names.map(String).join(', ');
  const bounds =
    minimum === undefined || maximum === undefined ? text(type) : `${String(minimum)} to ${String(maximum)}`;
  return [bounds, text(unit)].filter(Boolean).join(' ');
}

/** An empty object if there is nothing. */
function at(value: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  const [first, ...rest] = names;
  const record = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  return first === undefined ? record : at(record[first], ...rest);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFilled(record: object): boolean {
  return Object.keys(record).length > 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
