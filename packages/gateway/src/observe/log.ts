// Structured logs: one line per event, fields only. They never hold a body, a header, a key or texts of users and models. Outside text is
// escaped, so that it can neither forge lines nor control a terminal.

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

type Fields = Readonly<Record<string, unknown>>;

export type Log = Readonly<Record<Exclude<LogLevel, 'silent'>, (event: string, fields?: Fields) => void>>;

interface LogOptions {
  readonly level: LogLevel;
  readonly format: 'json' | 'text';
  readonly write: (line: string) => void;
  readonly now?: () => Date;
}

export function createLog({ level, format, write, now = () => new Date() }: LogOptions): Log {
  const least = logLevels.indexOf(level);
  const at =
    (name: keyof Log) =>
    (event: string, fields: Fields = {}) => {
      if (logLevels.indexOf(name) < least) return;
      const time = now().toISOString();
      const told = plain(fields);
      const asJson = () => JSON.stringify({ time, level: name, event, ...told });
      write(`${format === 'json' ? asJson() : asText([time, name.padEnd(5), event], told)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const silentLog: Log = createLog({ level: 'silent', format: 'json', write: () => {} });

function plain(fields: Fields): Fields {
  const told = (value: unknown) => (value instanceof Error ? (value.stack ?? value.message) : value);
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, told(value)]));
}

function asText(head: readonly string[], fields: Fields): string {
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`,
  );
  return [...head, ...rest].join(' ');
}

/** JSON escapes C0 controls; this escapes the others. */
function quoted(text: string): string {
  if (/^[\w.:/+-]+$/.test(text)) return text;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (found) => {
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
