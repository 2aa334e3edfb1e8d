import { messageOf } from '@/lib/contract/app-error';
import type { Release } from './clock';
import type { Log } from './log';
import type { Registry } from './metrics';
import { Counter } from './metrics';

/** Where failures arrive that nobody awaited: the process. */
export interface UnhandledSource {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  off(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/** Logs and counts failures that nobody handles, of ours or of a library, instead of leaving them to whoever listens; undone by the release. */
export function countUnhandled(source: UnhandledSource, log: Log, metrics: Registry): Release {
  const counter = new Counter({
    name: 'slipway_unhandled_errors_total',
    help: 'Unhandled promise rejections',
    registers: [metrics],
  });
  const listener = (reason: unknown) => {
    counter.inc();
    log.error({ error: messageOf(reason), stack: reason instanceof Error ? reason.stack : undefined }, 'an error was not handled');
  };
  source.on('unhandledRejection', listener);
  return () => void source.off('unhandledRejection', listener);
}

/**
 * Ends the process with exit code 1 where an error comes to nobody, after its message and stack were printed. By itself Node prints the members of the
 * error as well, which may be the answer of a cluster or the parameters of a query.
 */
export function endOnUncaught(source: Pick<NodeJS.Process, 'on' | 'exit' | 'stderr'>): void {
  source.on('uncaughtException', (error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    source.stderr.write(`slipway: ended by an error that was not handled, which is a bug in Slipway: ${stack ?? messageOf(error)}\n`);
    source.exit(1);
  });
}
