/** Levels of lines, the least first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What loggers call them. */
const WORDS: ReadonlyMap<string, LogLevel> = new Map(
  Object.entries<LogLevel>({
    trace: 'trace',
    trc: 'trace',
    verbose: 'trace',
    debug: 'debug',
    dbg: 'debug',
    info: 'info',
    inf: 'info',
    information: 'info',
    informational: 'info',
    notice: 'info',
    default: 'info',
    warn: 'warn',
    warning: 'warn',
    wrn: 'warn',
    error: 'error',
    err: 'error',
    severe: 'error',
    fatal: 'fatal',
    critical: 'fatal',
    crit: 'fatal',
    alert: 'fatal',
    emergency: 'fatal',
    emerg: 'fatal',
    panic: 'fatal',
    dpanic: 'fatal',
  }),
);
const FIELDS = ['level', 'severity', 'lvl', 'log.level', '@level', 'levelname', 'Level', 'LEVEL', 'SeverityText', 'severity_text'] as const;
/** A line that was cut is no JSON any more; its level stands near its beginning as a rule. */
const LOOKED_AT = 1000;
const IN_TEXT = /"(?:level|severity|lvl|log\.level)"\s*:\s*("[A-Za-z]{1,16}"|\d{1,2})/;

/** The level that a line of JSON names; undefined of any other line. */
export function readLevel(text: string): LogLevel | undefined {
  if (!text.startsWith('{')) return undefined;
  const named = readNamed(text);
  if (typeof named === 'number') return ofNumber(named);
  return typeof named === 'string' ? WORDS.get(named.toLowerCase()) : undefined;
}

/** True when a level is at least another one. */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

function readNamed(text: string): unknown {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== 'object' || line === null) return undefined;
    const fields = new Map(Object.entries(line));
    for (const field of FIELDS) if (fields.has(field)) return fields.get(field);
    const nested = fields.get('log'); // as the Elastic schema has it
    return typeof nested === 'object' && nested !== null && 'level' in nested ? nested.level : undefined;
  } catch {
    const [, found] = IN_TEXT.exec(text.slice(0, LOOKED_AT)) ?? [];
    return found?.startsWith('"') ? found.slice(1, -1) : found === undefined ? undefined : Number(found);
  }
}

/** As bunyan and pino count. */
function ofNumber(level: number): LogLevel | undefined {
  if (level < 10 || level > 69) return undefined;
  return LOG_LEVELS[Math.floor(level / 10) - 1];
}
