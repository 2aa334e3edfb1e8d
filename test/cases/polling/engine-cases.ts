import { z } from 'zod';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { CachingClusterReader } from '@/server/status/cluster/caching-reader';
import type { ClusterReader, ClusterReaderFactory } from '@/server/status/cluster/cluster-reader';
import { DirectClusterReader } from '@/server/status/cluster/direct-reader';
import { toObjMetadata } from '@/server/status/identifier';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import { defaultStatusReaders } from '@/server/status/readers/default-readers';
import type { StatusReader } from '@/server/status/readers/status-reader';
import { ManualClock } from '@/test/support/manual-clock';
import type { CaseDifference } from '../case';
import { compare } from '../compare';
import { compareStatus, toView } from './compare-status';
import type { PollingCase, StatusView } from './schema';
import { apiError, identifier, kubeObject, mapperError, status, statusView, typeDefinition } from './schema';
import type { World } from './scripted-api';
import { ScriptedApi } from './scripted-api';
import { ScriptedMapper } from './scripted-types';

const tick = z.object({
  objects: z.array(kubeObject).optional(),
  bulk: z.array(z.object({ count: z.number(), namePrefix: z.string(), object: kubeObject })).optional(),
  errors: z.array(apiError).optional(),
  now: z.string().optional(),
  durationMs: z.number().optional(),
});

const given = z.object({
  identifiers: z.array(identifier),
  reader: z.enum(['caching', 'direct']).default('caching'),
  pollIntervalMs: z.number().default(1000),
  ticks: z.array(tick),
  types: z.array(typeDefinition).default([]),
  mapperErrors: z.array(mapperError).default([]),
  factoryError: z.string().optional(),
  customReaders: z
    .array(z.object({ supports: z.object({ group: z.string(), kind: z.string() }), status, message: z.string() }))
    .default([]),
  cancelAfterEvents: z.number().optional(),
});
type Given = z.infer<typeof given>;
type Tick = z.infer<typeof tick>;

const expectation = z.strictObject({
  events: z.array(
    z.object({
      tick: z.number().optional(),
      type: z.string(),
      resource: statusView.optional(),
      error: z.string().optional(),
      errorContains: z.string().optional(),
    }),
  ),
  apiCalls: z.array(z.array(z.string())),
  pollStartsMs: z.array(z.number()).optional(),
});

interface FoundEvent {
  readonly tick: number | undefined;
  readonly type: string;
  readonly resource?: StatusView;
  readonly error?: string;
}

/** What is left out of a tick carries over from the one before. */
function carryOver(ticks: readonly Tick[]): readonly Tick[] {
  let before: Tick = {};
  return ticks.map((one) => {
    before = { ...before, durationMs: undefined, ...one };
    return before;
  });
}

function worldOf({ objects = [], bulk = [], errors = [] }: Tick): World {
  const copies = bulk.flatMap(({ count, namePrefix, object }) =>
    Array.from({ length: count }, (_, index) => ({ ...object, metadata: { ...object.metadata, name: `${namePrefix}${index}` } })),
  );
  return { objects: [...objects, ...copies], errors };
}

/** One run of the engine over a script of polls. */
class EngineRun {
  readonly clock = new ManualClock();
  readonly stopping = new AbortController();
  readonly apiCalls: string[][] = [];
  readonly pollStartsMs: number[] = [];
  readonly events: FoundEvent[] = [];
  readonly #given: Given;
  readonly #ticks: readonly Tick[];
  readonly #worlds = new Map<Tick, World>();
  #tick = -1;

  constructor(parsed: Given) {
    this.#given = parsed;
    this.#ticks = carryOver(parsed.ticks);
  }

  /** Runs until the stream ends; true when it did. */
  async run(): Promise<boolean> {
    const { mapperErrors, types, identifiers, pollIntervalMs, customReaders, cancelAfterEvents } = this.#given;
    const custom = customReaders.map(toReader);
    const engine = new PollerEngine({
      api: new ScriptedApi(
        () => this.#world(),
        ({ verb, apiVersion, kind, namespace, rest }) => this.apiCalls.at(-1)?.push(`${verb} ${apiVersion} ${kind} ${namespace}${rest}`),
        () => this.stopping.abort(new DOMException('the deadline has passed', 'TimeoutError')),
      ),
      mapper: new ScriptedMapper(types, mapperErrors, () => this.#tick),
      clock: this.clock,
      readers: defaultStatusReaders({ now: () => parseInstant(this.#current().now) ?? toInstant(0) }, { custom }),
      clusterReaderFactory: this.#factory(),
    });
    let ended = false;
    const consuming = (async () => {
      for await (const event of engine.poll(identifiers, { signal: this.stopping.signal, pollIntervalMs })) {
        const at = this.#tick < 0 ? undefined : this.#tick;
        if (event.type === 'Update') this.events.push({ tick: at, type: 'Update', resource: toView(event.resource) });
        if (event.type === 'Error') this.events.push({ tick: at, type: 'Error', error: event.error.text });
        if (this.events.length === cancelAfterEvents) this.stopping.abort(new DOMException('enough', 'AbortError'));
      }
      ended = true;
    })();
    await this.clock.settle();
    const step = Math.max(1, pollIntervalMs);
    const slowMs = this.#ticks.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
    const rounds = this.#ticks.length + Math.ceil(slowMs / step) + 20;
    for (let round = 0; !ended && round < rounds; round++) await this.clock.advance(step);
    if (ended) await consuming;
    return ended;
  }

  #current(): Tick {
    return this.#ticks[Math.max(0, this.#tick)] ?? {};
  }

  #world(): World {
    const current = this.#current();
    const world = this.#worlds.get(current) ?? worldOf(current);
    this.#worlds.set(current, world);
    return world;
  }

  #factory(): ClusterReaderFactory {
    return async (api, mapper, identifiers) => {
      if (this.#given.factoryError !== undefined) throw new Error(this.#given.factoryError);
      const reader =
        this.#given.reader === 'direct' ? new DirectClusterReader(api, mapper) : new CachingClusterReader(api, mapper, identifiers);
      return this.#counting(reader);
    };
  }

  /** A poll begins with its sync: the place to turn the script's page, and to end it after the last one. */
  #counting(reader: ClusterReader): ClusterReader {
    return {
      sync: async (signal) => {
        if (this.#tick + 1 >= this.#ticks.length) {
          this.stopping.abort(new DOMException('the script is over', 'AbortError'));
          signal.throwIfAborted();
        }
        this.#tick++;
        this.apiCalls.push([]);
        this.pollStartsMs.push(this.clock.now());
        await reader.sync(signal);
        const { durationMs } = this.#current();
        if (durationMs !== undefined) await this.clock.sleep(durationMs, signal);
      },
      get: (signal, wanted) => reader.get(signal, wanted),
      listNamespaceScoped: (signal, of, namespace, selector) => reader.listNamespaceScoped(signal, of, namespace, selector),
      listClusterScoped: (signal, of, selector) => reader.listClusterScoped(signal, of, selector),
    };
  }
}

function toReader(definition: Given['customReaders'][number]): StatusReader {
  const told = (of: ReturnType<typeof toObjMetadata>) => ({
    identifier: of,
    status: definition.status,
    message: definition.message,
    generated: [],
  });
  return {
    supports: ({ group, kind }) => group === definition.supports.group && kind === definition.supports.kind,
    readStatus: async (_signal, _reader, wanted) => told(wanted),
    readStatusForObject: async (_signal, _reader, object) => told(toObjMetadata(object)),
  };
}

export async function runEngineCase(testCase: PollingCase): Promise<readonly CaseDifference[]> {
  const run = new EngineRun(given.parse(testCase.given));
  const expected = expectation.parse(testCase.then);
  const ended = await run.run();
  const first = run.pollStartsMs[0] ?? 0;
  return [
    ...compareEvents(expected.events, run.events),
    ...compare('apiCalls', expected.apiCalls, run.apiCalls),
    ...(expected.pollStartsMs
      ? compare(
          'pollStartsMs',
          expected.pollStartsMs,
          run.pollStartsMs.map((at) => at - first),
        )
      : []),
    ...(ended ? [] : [{ at: 'stream', expected: 'closed', found: 'open' }]),
  ];
}

function compareEvents(expected: z.infer<typeof expectation>['events'], found: readonly FoundEvent[]): readonly CaseDifference[] {
  if (expected.length !== found.length) return [{ at: 'events', expected, found }];
  return expected.flatMap((event, index) => {
    const other = found[index];
    if (other === undefined) return [];
    const at = `events[${index}]`;
    const error = event.errorContains !== undefined && other.error?.includes(event.errorContains) ? other.error : event.error;
    const head = compare(at, { tick: event.tick, type: event.type, error }, { tick: other.tick, type: other.type, error: other.error });
    return event.resource && other.resource ? [...head, ...compareStatus(`${at}.resource`, event.resource, other.resource)] : head;
  });
}
