import { messageOf } from '@/lib/contract/app-error';
import type { Clock, Log, Random } from '@/server/platform';
import type { BackOff, BackOffFactory } from '../back-off';
import { exponentialBackOff, retryWithBackOff } from '../back-off';
import { requireConfig } from '../errors';
import type { Resource } from '../resource/resource';
import { wrapWithInterceptor } from '../resource/wrapper/interceptor';

export interface RetryResourceConfig<TObject> {
  readonly logger: Log;
  readonly resource: Resource<TObject>;
  readonly backOff?: BackOff;
}

export interface RetryDeps {
  readonly clock: Clock;
  readonly random: Random;
}

const LONGEST_MS = 15 * 60_000;
const WRAP_RETRIES = 3;

/** Retries each step of a CRUD resource, or the whole of another one, under a back-off of its own. */
export function newRetryResource<TObject>(config: RetryResourceConfig<TObject>, deps: RetryDeps): Resource<TObject> {
  requireConfig(config.logger, 'Logger', 'wrapper');
  requireConfig(config.resource, 'Resource', 'wrapper');
  const { logger, resource } = config;
  const backOff = config.backOff ?? exponentialBackOff({ random: deps.random, maxElapsed: { ms: LONGEST_MS, clock: deps.clock } });
  return wrapWithInterceptor(resource, (operation, run) =>
    retryWithBackOff(run, backOff, {
      clock: deps.clock,
      notify: (error, waitMs) =>
        logger.warn({ resource: resource.name, operation, error: messageOf(error), waitMs }, 'resource failed, retrying'),
    }),
  );
}

export interface WrapRetryConfig<TObject> {
  readonly logger: Log;
  readonly resources: readonly Resource<TObject>[];
  /** Asked once per resource, since a back-off remembers; three growing waits when absent. */
  readonly backOffFactory?: BackOffFactory;
}

/** Retries each resource of a list. */
export function wrapWithRetry<TObject>(config: WrapRetryConfig<TObject>, deps: RetryDeps): readonly Resource<TObject>[] {
  const factory = config.backOffFactory ?? (() => exponentialBackOff({ random: deps.random, maxRetries: WRAP_RETRIES }));
  return config.resources.map((resource) => newRetryResource({ logger: config.logger, resource, backOff: factory() }, deps));
}
