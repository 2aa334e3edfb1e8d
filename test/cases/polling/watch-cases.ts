import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import { toIso } from '@/lib/std/instant';
import type { CollectionAddress, WatchEvent } from '@/server/kube';
import { createRandom } from '@/server/platform';
import type { CollectionWatch } from '@/server/status/surface/collection-watch';
import { StatusWatcher } from '@/server/status/surface/status-watcher';
import type { RestScopeStrategy } from '@/server/status/surface/targets';
import { REST_SCOPE_STRATEGIES } from '@/server/status/surface/targets';
import { ManualClock } from '@/test/support/manual-clock';
import type { CaseDifference } from '../case';
import { compare, compareUnordered } from '../compare';
import { compareStatus, toView } from './compare-status';
import type { PollingCase, StatusView } from './schema';
import { apiError, identifier, kubeObject, mapperError, statusView, typeDefinition } from './schema';
import { ScriptedApi } from './scripted-api';
import { ScriptedMapper } from './scripted-types';

const step = z.union([
  z.object({ add: kubeObject }),
  z.object({ update: kubeObject }),
  z.object({ delete: kubeObject }),
  z.object({ advanceMs: z.number() }),
  z.object({ cancel: z.literal(true) }),
]);

const given = z.object({
  identifiers: z.array(identifier),
  strategy: z.string().optional(),
  initial: z.array(kubeObject).default([]),
  steps: z.array(step).default([]),
  types: z.array(typeDefinition).default([]),
  errors: z.array(apiError).default([]),
  mapperErrors: z.array(mapperError).default([]),
});
type Given = z.infer<typeof given>;

const expectedEvent = z.object({
  after: z.number(),
  type: z.string(),
  resource: statusView.optional(),
  error: z.string().optional(),
  errorContains: z.string().optional(),
});

const expectation = z.strictObject({
  events: z.array(expectedEvent),
  watchesStarted: z.array(z.unknown()).optional(),
  childCalls: z.array(z.unknown()).optional(),
  closed: z.boolean().optional(),
});

interface FoundEvent {
  readonly after: number;
  readonly type: string;
  readonly resource?: StatusView;
  readonly error?: string;
}

interface OpenWatch {
  readonly of: CollectionAddress;
  readonly channel: Channel<WatchEvent>;
}

/** A cluster that changes step by step, with its open watches. */
class WatchRun {
  readonly clock = new ManualClock();
  readonly stopping = new AbortController();
  readonly events: FoundEvent[] = [];
  readonly watchesStarted: unknown[] = [];
  readonly childCalls: unknown[] = [];
  closed = false;
  readonly #given: Given;
  readonly #open = new Set<OpenWatch>();
  #objects: readonly KubeObject[] = [];
  #step = -1;

  constructor(parsed: Given) {
    this.#given = parsed;
    this.#objects = parsed.initial.map((object) => this.#stamp(object));
  }

  async run(): Promise<void> {
    const world = () => ({ objects: this.#objects, errors: this.#given.errors });
    const expire = () => this.stopping.abort(new DOMException('the deadline has passed', 'TimeoutError'));
    const lists = new ScriptedApi(world, () => undefined, expire);
    const watcher = new StatusWatcher({
      api: new ScriptedApi(
        world,
        ({ verb, kind, namespace, rest }) => void this.childCalls.push({ after: this.#step, call: `${verb} ${kind} ${namespace}${rest}` }),
        expire,
      ),
      source: {
        list: async (of, signal) => ({ objects: (await lists.listPage(of, { signal })).items, resourceVersion: '1' }),
        watch: (of, _resourceVersion, signal) => this.#watch(of, signal),
      },
      mapper: new ScriptedMapper(this.#given.types, this.#given.mapperErrors, () => this.#step),
      clock: this.clock,
      random: createRandom(5),
    });
    const consuming = this.#consume(watcher);
    await this.clock.settle();
    for (const [index, one] of this.#given.steps.entries()) {
      this.#step = index;
      await this.#take(one);
      await this.clock.settle();
    }
    const { closed } = this;
    this.stopping.abort(new DOMException('the script is over', 'AbortError'));
    await consuming;
    this.closed = closed;
  }

  async #consume(watcher: StatusWatcher): Promise<void> {
    const strategy = toStrategy(this.#given.strategy);
    for await (const event of watcher.watch(this.#given.identifiers, { signal: this.stopping.signal, ...(strategy ? { strategy } : {}) })) {
      const at = { after: this.#step, type: event.type };
      if (event.type === 'Update') this.events.push({ ...at, resource: toView(event.resource) });
      else if (event.type === 'Error') this.events.push({ ...at, error: event.error.text });
      else this.events.push(at);
    }
    this.closed = true;
  }

  async #take(one: Given['steps'][number]): Promise<void> {
    if ('advanceMs' in one) await this.clock.advance(one.advanceMs);
    else if ('cancel' in one) this.stopping.abort(new DOMException('cancelled', 'AbortError'));
    else if ('add' in one) this.#put('ADDED', one.add);
    else if ('update' in one) this.#put('MODIFIED', one.update);
    else this.#put('DELETED', one.delete);
  }

  #put(type: 'ADDED' | 'MODIFIED' | 'DELETED', given: KubeObject): void {
    const object = this.#stamp(given);
    const others = this.#objects.filter((held) => !isSame(held, object));
    this.#objects = type === 'DELETED' ? others : [...others, object];
    for (const { of, channel } of this.#open) if (isIn(object, of)) void channel.send({ type, object });
  }

  #stamp(object: KubeObject): KubeObject {
    if (object.metadata.creationTimestamp !== 'NOW') return object;
    return { ...object, metadata: { ...object.metadata, creationTimestamp: toIso(this.clock.now()) } };
  }

  #watch(of: CollectionAddress, signal: AbortSignal): ReturnType<CollectionWatch['watch']> {
    this.watchesStarted.push({ after: this.#step, target: `${of.kind} ${of.namespace ?? '*'}` });
    const open: OpenWatch = { of, channel: new Channel(Number.POSITIVE_INFINITY) };
    this.#open.add(open);
    signal.addEventListener(
      'abort',
      () => {
        this.#open.delete(open);
        open.channel.close({ error: signal.reason });
      },
      { once: true },
    );
    return open.channel;
  }
}

/** Names of the cases; a name that does not exist stands for a number that no strategy has. */
function toStrategy(name: string | undefined): RestScopeStrategy | undefined {
  if (name === undefined) return undefined;
  return REST_SCOPE_STRATEGIES.find((known) => known === name) ?? ('9' as RestScopeStrategy);
}

function isSame(left: KubeObject, right: KubeObject): boolean {
  return (
    left.kind === right.kind &&
    groupOf(left.apiVersion) === groupOf(right.apiVersion) &&
    left.metadata.name === right.metadata.name &&
    left.metadata.namespace === right.metadata.namespace
  );
}

function isIn(object: KubeObject, of: CollectionAddress): boolean {
  return (
    object.kind === of.kind &&
    groupOf(object.apiVersion) === groupOf(of.apiVersion) &&
    (of.namespace === undefined || object.metadata.namespace === of.namespace)
  );
}

export async function runWatchCase(testCase: PollingCase): Promise<readonly CaseDifference[]> {
  const expected = expectation.parse(testCase.then);
  const run = new WatchRun(given.parse(testCase.given));
  await run.run();
  const atStart = (event: { readonly after: number }) => event.after === -1;
  const later = (event: { readonly after: number }) => event.after !== -1;
  return [
    ...compareStart(expected.events.filter(atStart), run.events.filter(atStart)),
    ...compareLater(expected.events.filter(later), run.events.filter(later)),
    ...(expected.watchesStarted ? compareUnordered('watchesStarted', expected.watchesStarted, run.watchesStarted) : []),
    ...(expected.childCalls ? compareUnordered('childCalls', expected.childCalls, run.childCalls) : []),
    ...(expected.closed === undefined ? [] : compare('closed', expected.closed, run.closed)),
  ];
}

type ExpectedEvent = z.infer<typeof expectedEvent>;

function compareEvent(at: string, expected: ExpectedEvent, found: FoundEvent): readonly CaseDifference[] {
  const head = compare(at, { after: expected.after, type: expected.type }, { after: found.after, type: found.type });
  const fits =
    expected.errorContains === undefined ? expected.error === found.error : found.error?.includes(expected.errorContains) === true;
  const error = fits ? [] : [{ at: `${at}.error`, expected: expected.error ?? expected.errorContains, found: found.error }];
  const resource = expected.resource && found.resource ? compareStatus(`${at}.resource`, expected.resource, found.resource) : [];
  return [...head, ...error, ...resource];
}

/** The order of Sync and the first updates is not defined. */
function compareStart(expected: readonly ExpectedEvent[], found: readonly FoundEvent[]): readonly CaseDifference[] {
  const rest = [...found];
  const missing = expected.filter((event) => {
    const index = rest.findIndex((candidate) => compareEvent('', event, candidate).length === 0);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  return missing.length + rest.length === 0 ? [] : [{ at: 'events at the start, in any order', expected: missing, found: rest }];
}

function compareLater(expected: readonly ExpectedEvent[], found: readonly FoundEvent[]): readonly CaseDifference[] {
  if (expected.length !== found.length) return [{ at: 'events after the start', expected, found }];
  return expected.flatMap((event, index) => {
    const other = found[index];
    return other === undefined ? [] : compareEvent(`events after the start[${index}]`, event, other);
  });
}
