import { z } from 'zod';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { getFrameworkError } from '@/server/framework/operatorkit/errors';
import { Informer } from '@/server/framework/operatorkit/surface/informer';
import type { Watcher, WatcherEvent } from '@/server/framework/operatorkit/surface/watcher';
import { KubeApiError } from '@/server/kube';
import { Registry } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import type { CaseDifference } from '../case';
import { compare, compareUnordered } from '../compare';
import { compareMetrics } from './compare-run';
import type { FrameworkCase } from './schema';
import { anyObject } from './schema';

const session = z.array(z.object({ atMs: z.number(), type: z.string(), object: anyObject }));
type Session = z.infer<typeof session>;
const status = z.object({ code: z.number(), reason: z.string().default(''), message: z.string().default('') });

interface Emitted {
  readonly channel: 'update' | 'delete';
  readonly key: string;
  readonly atMs: number;
}

/** A cluster that plays one session per opened watch; after the last one the world stays as it is. */
class ScriptedWatcher implements Watcher {
  readonly #sessions: readonly Session[];
  readonly #clock: ManualClock;
  readonly #world = new Map<string, KubeObject>();
  #opened = 0;

  constructor(sessions: readonly Session[], clock: ManualClock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  async list() {
    const opened = this.#opened++;
    const played = this.#sessions[opened];
    if (played !== undefined) {
      this.#world.clear();
      for (const event of played) if (isListed(event)) this.#world.set(toObjectKey(event.object.metadata), event.object);
    }
    return { objects: [...this.#world.values()], resourceVersion: String(opened) };
  }

  async *watch(resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatcherEvent, void, void> {
    const openedAt = this.#clock.now();
    for (const event of this.#sessions[Number(resourceVersion)] ?? []) {
      if (isListed(event)) continue;
      await this.#clock.sleep(openedAt + event.atMs - this.#clock.now(), signal);
      // On the wire this is how a watch fails; what reads the wire throws it.
      if (event.type === 'ERROR' && status.safeParse(event.object).success) throw new KubeApiError(status.parse(event.object));
      this.#follow(event);
      yield { type: event.type, object: event.object };
    }
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }

  #follow({ type, object }: Session[number]): void {
    const key = toObjectKey(object.metadata);
    if (type === 'DELETED') this.#world.delete(key);
    else if (type === 'ADDED' || type === 'MODIFIED') this.#world.set(key, object);
  }
}

function isListed(event: Session[number]): boolean {
  return event.atMs === 0 && event.type === 'ADDED';
}

export async function runInformerCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const clock = new ManualClock();
  const metrics = new Registry();
  const watcher = new ScriptedWatcher(z.array(session).parse(given.sessions), clock);
  const timing = z.object({ rateWaitMs: z.number().optional(), resyncPeriodMs: z.number().optional() }).parse(given);
  const informer = new Informer(
    {
      watcher,
      ...(timing.rateWaitMs === undefined ? {} : { rateWaitMs: timing.rateWaitMs }),
      ...(timing.resyncPeriodMs === undefined ? {} : { resyncPeriodMs: timing.resyncPeriodMs }),
    },
    { clock, metrics },
  );
  const startedAt = clock.now();
  const stopping = new AbortController();
  const emitted: Emitted[] = [];
  const errors: { class: string; atMs: number }[] = [];
  const consuming = (async () => {
    for await (const event of informer.watch(stopping.signal)) {
      const atMs = clock.now() - startedAt;
      if (event.type === 'error') errors.push({ class: classOf(event.error), atMs });
      else emitted.push({ channel: event.type, key: toObjectKey(event.object.metadata), atMs });
    }
  })();
  await clock.advance(z.number().parse(when.runForMs));
  const differences = [
    ...(then.emitted === undefined ? [] : compareEmitted(z.array(z.unknown()).parse(then.emitted), emitted)),
    ...compareErrors(then.errors, errors),
    ...(await compareMetrics(then.metrics, metrics)),
  ];
  stopping.abort(new Error('the case is over'));
  await consuming;
  return differences;
}

/** Compares errors of the stream by the fields the case names. */
function compareErrors(wanted: unknown, found: readonly object[]): readonly CaseDifference[] {
  if (wanted === undefined) return [];
  const expected = z.array(z.unknown()).parse(wanted);
  if (expected.length !== found.length) return [{ at: 'errors', expected, found }];
  return expected.flatMap((error, index) => compareFields(`errors[${index}]`, error, found[index]));
}

/** Compares the fields that a case names. */
function compareFields(at: string, expected: unknown, found: object | undefined): readonly CaseDifference[] {
  if (!isFields(expected) || found === undefined) return [{ at, expected, found }];
  const held: Readonly<Record<string, unknown>> = { ...found };
  return Object.entries(expected).flatMap(([name, value]) => compare(`${at}.${name}`, value, held[name]));
}

function classOf(error: unknown): string {
  const kind = getFrameworkError(error)?.kind;
  return kind === undefined ? 'User' : kind.charAt(0).toUpperCase() + kind.slice(1);
}

const anyOrder = z.object({ anyOrder: z.array(z.object({ channel: z.string(), key: z.string() })), atMs: z.array(z.number()) });
const within = z.object({ withinMs: z.tuple([z.number(), z.number()]), event: z.object({ channel: z.string(), key: z.string() }) });

function compareEmitted(expected: readonly unknown[], emitted: readonly Emitted[]): readonly CaseDifference[] {
  const differences: CaseDifference[] = [];
  let next = 0;
  for (const [index, entry] of expected.entries()) {
    const at = `emitted[${index}]`;
    if (isFields(entry) && 'anyOrder' in entry) {
      const group = anyOrder.parse(entry);
      const found = emitted.slice(next, next + group.anyOrder.length);
      next += group.anyOrder.length;
      differences.push(
        ...compare(
          `${at}.atMs`,
          group.atMs,
          found.map(({ atMs }) => atMs),
        ),
      );
      differences.push(...compareUnordered(at, group.anyOrder.map(plain), found.map(plain)));
    } else if (isFields(entry) && 'withinMs' in entry) {
      const { withinMs, event } = within.parse(entry);
      const found = emitted[next++];
      const inTime = found !== undefined && found.atMs >= withinMs[0] && found.atMs <= withinMs[1];
      differences.push(...compare(`${at}.event`, plain(event), found && plain(found)));
      if (!inTime) differences.push({ at: `${at}.withinMs`, expected: withinMs, found: found?.atMs });
    } else differences.push(...compareFields(at, entry, emitted[next++]));
  }
  return next === emitted.length ? differences : [...differences, { at: 'emitted (beyond)', expected: [], found: emitted.slice(next) }];
}

function plain({ channel, key }: { readonly channel: string; readonly key: string }) {
  return { channel, key };
}
