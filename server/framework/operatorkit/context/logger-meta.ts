import type { RunContext } from './run-context';

/** Keys that every log line of a run carries. Shared and mutable: who sets a key takes it away again. */
export type LoggerMeta = Map<string, string>;

const KEY = Symbol('loggerMeta');

/** The context with the keys that its log lines carry. */
export function withLoggerMeta(context: RunContext, meta: LoggerMeta): RunContext {
  return context.with(KEY, meta);
}

/** The keys that a context's log lines carry; undefined outside of a run. */
export function getLoggerMeta(context: RunContext): LoggerMeta | undefined {
  return context.value(KEY) as LoggerMeta | undefined;
}

/** The metadata as fields of a log line. */
export function loggerFields(context: RunContext): Readonly<Record<string, string>> {
  return Object.fromEntries(getLoggerMeta(context) ?? []);
}
