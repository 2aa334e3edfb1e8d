import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { isAlreadyExists, isForbidden, isNotFound } from '@/server/kube';
import type { ControllerHost } from '../host';
import { ExpiringLru } from './expiring-lru';
import { KeyQueue } from './key-queue';
import { EVENT } from './kinds';

export type EventType = 'Normal' | 'Warning';

/** Says what a component did to an object. Never fails and never waits. */
export type Recorder = (object: KubeObject, type: EventType, reason: string, message: string) => void;

/** Writes Event objects for the components of the simulated cluster. */
export interface EventWriter extends AsyncDisposable {
  recorder(component: string): Recorder;
}

interface Occurrence {
  readonly object: KubeObject;
  readonly component: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

interface Similar {
  readonly since: number;
  readonly messages: Set<string>;
}

interface Budget {
  readonly left: number;
  readonly at: number;
}

/** Events that still exist, by what they say. */
type Written = ExpiringLru<{ readonly key: ObjectKey; readonly name: string; count: number }>;

// The limits of the original's event correlator.
const BURST = 25;
const REFILL_MS = 300_000;
const SIMILAR = 10;
const SIMILAR_FOR_MS = 600_000;
// The programs whose components say something; all others are controllers.
const PROGRAMS: Readonly<Record<string, string>> = { kubelet: 'kubelet', 'default-scheduler': 'kube-scheduler' };
const BATCH = 16;

/**
 * Writes events one after the other, as the original's recorder and correlator do.
 *
 * 1. The same words about the same object raise the count of one event.
 * 2. From the tenth different message with one reason within ten minutes on, they are combined into one event.
 * 3. A component that says more than 25 things about one object is heard once in five minutes from then on.
 */
export function createEventWriter(host: ControllerHost): EventWriter {
  const waiting: Occurrence[] = [];
  const written: Written = new ExpiringLru(({ key }) => host.get(EVENT, key) === undefined);
  const similar = new ExpiringLru<Similar>(({ since }) => host.clock.now() - since >= SIMILAR_FOR_MS);
  const budgets = new ExpiringLru<Budget>(({ left, at }) => host.clock.now() - at >= (BURST - left) * REFILL_MS);

  const mayWrite = (key: string): boolean => {
    const now = host.clock.now();
    const budget = budgets.get(key) ?? { left: BURST, at: now };
    const left = Math.min(BURST, budget.left + (now - budget.at) / REFILL_MS);
    budgets.set(key, { left: left < 1 ? left : left - 1, at: now });
    return left >= 1;
  };
  const isOneOfMany = (group: string, message: string): boolean => {
    const now = host.clock.now();
    const known = similar.get(group);
    const { since, messages } = known && now - known.since < SIMILAR_FOR_MS ? known : { since: now, messages: new Set<string>() };
    if (messages.size < SIMILAR) messages.add(message);
    similar.set(group, { since, messages });
    return !messages.has(message);
  };
  const queue: KeyQueue = new KeyQueue({
    name: 'events',
    clock: host.clock,
    log: host.log,
    // A few at a time, so that a burst of remarks does not hold up the event loop.
    async work() {
      for (const next of waiting.splice(0, BATCH)) await write(host, next, written);
      if (waiting.length > 0) queue.add('write');
      return undefined;
    },
  });
  return {
    recorder: (component) => (object, type, reason, message) => {
      const about = `${component}/${object.metadata.uid}`;
      if (!mayWrite(about)) return;
      const words = isOneOfMany(`${about}/${type}/${reason}`, message) ? `(combined from similar events): ${message}` : message;
      waiting.push({ object, component, type, reason, message: words });
      queue.add('write');
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

async function write(host: ControllerHost, occurrence: Occurrence, written: Written): Promise<void> {
  const { object, component, type, reason, message } = occurrence;
  const namespace = object.metadata.namespace ?? 'default';
  const combined = message.startsWith('(combined');
  const key = [component, object.metadata.uid, type, reason, combined ? '' : message].join('\n');
  const time = toKubeTime(host.clock.now());
  const before = written.get(key);
  const fieldManager = PROGRAMS[component] ?? 'kube-controller-manager';
  try {
    if (before && host.get(EVENT, before.key)) {
      before.count++;
      const body = { count: before.count, lastTimestamp: time, message };
      await host.cluster.patch({ ...EVENT, namespace, name: before.name }, { type: 'merge', body }, { fieldManager });
      return;
    }
    const name = `${object.metadata.name ?? ''}.${hex(host)}`;
    const event = { ...EVENT, metadata: { name, namespace }, ...toEvent(object, component, { type, reason, message, time }) };
    await host.cluster.create(event, { fieldManager });
    written.set(key, { key: toObjectKey({ namespace, name }), name, count: 1 });
  } catch (error) {
    // An event is a remark: a namespace that is going, or an event that expired meanwhile, loses it, as in the original.
    if (!isNotFound(error) && !isForbidden(error) && !isAlreadyExists(error)) {
      host.log.debug({ reason, error: error instanceof Error ? error.message : String(error) }, 'event not written');
    }
  }
}

function toEvent(object: KubeObject, component: string, words: { type: EventType; reason: string; message: string; time: string }) {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    involvedObject: { kind: object.kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion: object.apiVersion, resourceVersion },
    reason: words.reason,
    message: words.message,
    source: { component },
    firstTimestamp: words.time,
    lastTimestamp: words.time,
    count: 1,
    type: words.type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  };
}

function hex(host: ControllerHost): string {
  return Array.from({ length: 16 }, () => Math.floor(host.random() * 16).toString(16)).join('');
}
