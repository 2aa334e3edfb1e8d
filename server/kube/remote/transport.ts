import type { Dispatcher } from 'undici';
import { AppError } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import type { Clock, Log, Random, Registry } from '@/server/platform';
import { Counter, Histogram, VERSION } from '@/server/platform';
import type { CallStats } from '../call-stats';
import type { Connected, Person } from '../cluster';
import { getApiStatus, KubeTransportError } from '../errors';
import { retryAfterOf } from './answers';
import type { Connections } from './connections';
import type { Access } from './credentials';
import type { HeaderLines } from './identity';
import { identityHeaders } from './identity';
import type { Throttle } from './throttle';
import { upgrade } from './upgrade';
import { createWebSocket } from './web-socket';

/** Who asks where no part of the program is named: whoever looks at it. */
const CONSOLE = 'console';
const ATTEMPTS = 4;
const REPEAT = { firstMs: 100, longestMs: 60_000, spread: [0.5, 1.5] } as const;
const LONGEST_ASKED_WAIT_MS = 10_000;
const WORTH_ANOTHER_TRY = new Set([429, 500, 502, 503, 504]);

/** One request as it goes out. */
export interface Call {
  /** For sentences and metrics: `list Deployments`. */
  readonly what: string;
  readonly verb: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: HeaderLines;
  readonly body?: string;
  readonly person?: Person | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The part of this program that asks. */
  readonly agent?: string | undefined;
  readonly lane: 'short' | 'stream';
  /** Called when nothing is awaited any more before the request leaves. */
  readonly beforeSend?: (() => void) | undefined;
  /** Reading twice does no harm, so a failed attempt may be repeated. */
  readonly repeatable: boolean;
  /** Probes go past the throttle: they must tell the truth under load. */
  readonly unthrottled?: boolean;
}

/** Sends requests and gives the answer, whatever its status; throws only when there is none. */
export interface Transport {
  send(call: Call): Promise<Dispatcher.ResponseData>;
  /** Opens a WebSocket; throws what the server says no with. */
  connect(call: Call, protocol: string): Promise<Connected>;
}

interface TransportDeps {
  readonly connections: Connections;
  readonly throttles: { readonly engine: Throttle; readonly person: Throttle };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry;
  /** Hears of every request, for the engine page. */
  readonly calls?: CallStats;
}

/** A transport that throttles by identity, repeats reads with jitter and honours Retry-After. */
export function createTransport({ connections, throttles, clock, random, log, metrics, calls }: TransportDeps): Transport {
  const meter = createMeter(metrics);

  async function attempt(call: Call): Promise<Dispatcher.ResponseData> {
    const person = call.person;
    if (!call.unthrottled) await takeTurn(person === undefined ? throttles.engine : throttles.person, person?.user ?? '', call.signal);
    const { access, lanes } = await connections.current({ certificate: person?.token === undefined });
    call.beforeSend?.();
    const startedAt = clock.now();
    try {
      const answer = await lanes[call.lane].request({
        method: call.method as Dispatcher.HttpMethod,
        path: pathOf(access, call),
        headers: headersOf(access, call),
        body: call.body ?? null,
        signal: call.signal ?? null,
      });
      meter(call.verb, String(answer.statusCode), clock.now() - startedAt);
      calls?.answered({ verb: call.verb, what: call.what, status: answer.statusCode, tookMs: clock.now() - startedAt });
      return answer;
    } catch (error) {
      call.signal?.throwIfAborted();
      meter(call.verb, 'none', clock.now() - startedAt);
      calls?.answered({ verb: call.verb, what: call.what, status: undefined, tookMs: clock.now() - startedAt });
      throw toTransportError(error, call.what);
    }
  }

  async function takeTurn(throttle: Throttle, caller: string, signal: AbortSignal | undefined): Promise<void> {
    const askedAt = clock.now();
    if (await throttle.admit(caller, signal)) calls?.throttled(clock.now() - askedAt);
  }

  return {
    async connect(call, protocol) {
      const { person, signal, what } = call;
      await takeTurn(person === undefined ? throttles.engine : throttles.person, person?.user ?? '', signal);
      const { access, lanes } = await connections.current({ certificate: person?.token === undefined });
      call.beforeSend?.();
      const startedAt = clock.now();
      const note = (status: number | undefined) => calls?.answered({ verb: call.verb, what, status, tookMs: clock.now() - startedAt });
      try {
        const { socket, head } = await upgrade(lanes.stream, {
          path: pathOf(access, call),
          headers: headersOf(access, call),
          protocol,
          signal,
          what,
        });
        note(101);
        return createWebSocket(socket, head, what);
      } catch (error) {
        note(getApiStatus(error)?.code);
        signal?.throwIfAborted();
        throw error;
      }
    },
    async send(call) {
      for (let number = 1; ; number++) {
        const last = number === ATTEMPTS || !call.repeatable;
        try {
          const answer = await attempt(call);
          const waitMs = last ? undefined : waitBeforeRepeat(answer, call, number);
          if (waitMs === undefined) return answer;
          await answer.body.dump();
          log.debug({ what: call.what, status: answer.statusCode, waitMs }, 'repeating a read');
          await clock.sleep(waitMs, call.signal);
        } catch (error) {
          if (last || !(error instanceof KubeTransportError)) throw error;
          await clock.sleep(backOffMs(REPEAT, number - 1, random), call.signal);
        }
      }
    },
  };

  /** Undefined when the answer is final. */
  function waitBeforeRepeat(answer: Dispatcher.ResponseData, call: Call, number: number): number | undefined {
    if (answer.statusCode === 401 && call.person?.token === undefined) return connections.refresh() ? 0 : undefined;
    if (!WORTH_ANOTHER_TRY.has(answer.statusCode)) return undefined;
    const askedMs = (retryAfterOf(answer) ?? 0) * 1000;
    return askedMs > LONGEST_ASKED_WAIT_MS ? undefined : Math.max(askedMs, backOffMs(REPEAT, number - 1, random));
  }
}

function pathOf(access: Access, { path }: Call): string {
  return `${new URL(access.server).pathname.replace(/\/$/, '')}${path}`;
}

function headersOf(access: Access, { agent, headers, person }: Call): HeaderLines {
  return {
    'user-agent': `slipway/${VERSION} (${agent ?? CONSOLE})`,
    ...headers,
    ...identityHeaders(access.authorization, person ?? access.actingAs),
  };
}

function toTransportError(error: unknown, what: string): unknown {
  if (error instanceof AppError || error instanceof KubeTransportError) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'UND_ERR_INVALID_ARG')
    return new AppError('invalid', `${what} cannot be sent: ${(error as Error).message}`, { cause: error });
  const said = error instanceof Error ? error.message || String(code ?? error.name) : String(error);
  return new KubeTransportError(`${what} got no answer: ${said}`, { cause: error });
}

const REQUESTS = 'slipway_kube_requests_total';
const SECONDS = 'slipway_kube_request_seconds';

type Meter = (verb: string, code: string, ms: number) => void;

function createMeter(registry: Registry | undefined): Meter {
  if (registry === undefined) return () => undefined;
  // A second cluster of this process takes the names over.
  registry.removeSingleMetric(REQUESTS);
  registry.removeSingleMetric(SECONDS);
  const requests = new Counter({
    name: REQUESTS,
    help: 'Requests to the API server by verb and status; status none means no answer.',
    labelNames: ['verb', 'code'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: SECONDS,
    help: 'Time until the head of the answer.',
    labelNames: ['verb'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  });
  return (verb, code, ms) => {
    requests.inc({ verb, code });
    seconds.observe({ verb }, ms / 1000);
  };
}
