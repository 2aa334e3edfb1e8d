import { pino } from 'pino';

/** The part of pino's logger that rooms use: structured, constant message plus fields. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const REDACTED = [
  'token',
  'password',
  'secret',
  'authorization',
  'cookie',
  '*.token',
  '*.password',
  '*.secret',
  '*.authorization',
  '*.cookie',
];

/**
 * A logger that writes JSON lines to standard error and never a credential. Each line is out before the next is made: what is
 * left for the end of the process would keep it from ending once nobody reads that pipe any more.
 */
export function createLog(level: LogLevel): Log {
  return pino({ level, redact: { paths: REDACTED, censor: '[redacted]' } }, pino.destination({ dest: 2, sync: true }));
}

/** The same log with more fields, which are put together with the first line that is written: most passes write none. */
export function lazyChild(log: Log, fields: () => object): Log {
  let child: Log | undefined;
  const made = () => {
    child ??= log.child(fields());
    return child;
  };
  return {
    debug: (more, message) => made().debug(more, message),
    info: (more, message) => made().info(more, message),
    warn: (more, message) => made().warn(more, message),
    error: (more, message) => made().error(more, message),
    child: (more) => made().child(more),
  };
}
