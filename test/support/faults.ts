import type { ObservedRequest, RequestInterceptor } from '@/server/embedded/request-interceptor';
import { KubeApiError } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';

/** Which requests a fault meets; what is absent meets all. */
export interface FaultMatch {
  readonly verb?: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The error that stands for the death of the process at a crash point. */
export class CrashError extends Error {}

type Effect =
  | { readonly do: 'fail'; readonly error: () => Error }
  | { readonly do: 'delay'; readonly ms: number }
  | { readonly do: 'crash'; readonly when: 'before-commit' | 'after-commit' };

interface Fault {
  readonly match: FaultMatch;
  readonly effect: Effect;
  left: number;
}

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** What goes wrong on an embedded cluster that was started with it. */
export class FaultDoor implements RequestInterceptor {
  readonly #clock: Clock;
  readonly #faults = new Set<Fault>();
  readonly #watches = new Set<{ readonly request: ObservedRequest; readonly end: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers matching requests with an error, so many times (once unless told). The release ends it earlier. */
  fail(
    match: FaultMatch,
    code: number,
    options: { readonly times?: number; readonly retryAfterSeconds?: number; readonly message?: string } = {},
  ): Release {
    const { times = 1, retryAfterSeconds, message = `injected ${code}` } = options;
    const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
    const error = () => new KubeApiError({ code, reason: REASONS[code] ?? 'InternalError', message, ...details });
    return this.#add({ match, effect: { do: 'fail', error }, left: times });
  }

  /** Makes matching requests wait, until released. */
  delay(match: FaultMatch, ms: number, times = Number.POSITIVE_INFINITY): Release {
    return this.#add({ match, effect: { do: 'delay', ms }, left: times });
  }

  /** Throws a CrashError in the next matching write, before or after it is committed. */
  crash(match: FaultMatch, when: 'before-commit' | 'after-commit'): Release {
    return this.#add({ match, effect: { do: 'crash', when }, left: 1 });
  }

  /** Ends all matching watches now, as a cut connection does. */
  cutWatches(match: FaultMatch = {}): void {
    for (const { request, end } of [...this.#watches]) if (isMet(match, request)) end();
  }

  /** Cuts all matching watches and answers new ones 503 until released. */
  refuseWatches(match: Omit<FaultMatch, 'verb'> = {}): Release {
    const release = this.fail({ ...match, verb: 'watch' }, 503, { times: Number.POSITIVE_INFINITY });
    this.cutWatches(match);
    return release;
  }

  async before(request: ObservedRequest): Promise<void> {
    const delay = this.#take(request, 'delay');
    if (delay?.do === 'delay') await this.#clock.sleep(delay.ms);
    const failure = this.#take(request, 'fail');
    if (failure?.do === 'fail') throw failure.error();
  }

  at(when: 'before-commit' | 'after-commit', request: ObservedRequest): void {
    for (const fault of this.#faults) {
      if (fault.effect.do !== 'crash' || fault.effect.when !== when || !isMet(fault.match, request)) continue;
      this.#faults.delete(fault);
      throw new CrashError(`crash ${when} of ${request.verb} ${request.kind} ${request.name ?? ''}`);
    }
  }

  watching(request: ObservedRequest, end: () => void): Release {
    const watch = { request, end };
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }

  #take(request: ObservedRequest, kind: Effect['do']): Effect | undefined {
    for (const fault of this.#faults) {
      if (fault.effect.do !== kind || !isMet(fault.match, request)) continue;
      fault.left--;
      if (fault.left <= 0) this.#faults.delete(fault);
      return fault.effect;
    }
    return undefined;
  }

  #add(fault: Fault): Release {
    this.#faults.add(fault);
    return () => void this.#faults.delete(fault);
  }
}

// True when everything the match names is so.
function isMet(match: FaultMatch, request: ObservedRequest): boolean {
  return (Object.keys(match) as (keyof FaultMatch)[]).every((key) => match[key] === undefined || match[key] === request[key]);
}
