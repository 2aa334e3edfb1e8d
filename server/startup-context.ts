import type { RequestInterceptor } from '@/server/embedded';
import type { Clock, Config, Lifetimes, Log, Registry } from '@/server/platform';

/** What a server stands on besides its settings; the machine's own unless told. */
export interface StartupOptions {
  readonly clock: Clock;
  /** Who comes between a request and its answer on the embedded cluster. */
  readonly interference?: RequestInterceptor;
}

/** What everything that is started at the beginning is given. */
export interface StartupContext extends StartupOptions {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Registry;
  readonly lifetimes: Lifetimes;
  readonly ending: AbortSignal;
  readonly bootId: string;
  /** Resolves once the address is told: what computes long and nobody waits for yet begins then, the store and the engines. */
  readonly told: Promise<void>;
}
