import type { ObjectEvent, ObjectEvents } from '@/lib/contract/object-rows';
import { MAX_EVENTS } from '@/lib/contract/object-rows';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { hideCredentials } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { compareResourceVersions } from '@/lib/kube/resource-version';

/** What an event is about, as far as it says. */
export interface About {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ns: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/** What an event is about. */
export function aboutOf(event: KubeObject): About {
  const told = readField(event, 'involvedObject');
  return {
    apiVersion: readString(told, 'apiVersion') ?? 'v1',
    kind: readString(told, 'kind') ?? '',
    ns: readString(told, 'namespace') || undefined,
    name: readString(told, 'name') ?? '',
    uid: readString(told, 'uid') ?? '',
  };
}

/** When an event was seen last. */
export function lastSeen(event: KubeObject): string {
  const at = readString(event, 'series', 'lastObservedTime') ?? readString(event, 'lastTimestamp') ?? readString(event, 'eventTime');
  return at ?? event.metadata.creationTimestamp ?? '';
}

function firstSeen(event: KubeObject): string {
  return readString(event, 'firstTimestamp') ?? readString(event, 'eventTime') ?? event.metadata.creationTimestamp ?? lastSeen(event);
}

/** How often it was seen: who reports by the newer API counts in a series. */
function countOf(event: KubeObject): number {
  return readNumber(event, 'series', 'count') ?? readNumber(event, 'count') ?? 1;
}

/** By the newer API, whose events say a time of their own. */
const isNewer = (event: KubeObject) => readString(event, 'eventTime') !== undefined;

/**
 * Events as lines, newest first; those of one second, which is as much as most reporters tell, in the order in which they were written. Both groups tell the same objects, so those of the core group are read. What one reporter says of one object in the same words
 * is one line: its counts are added up, except where a reporter tells the same by both APIs.
 */
export function toEventLines(events: Iterable<KubeObject>): Pick<ObjectEvents, 'events' | 'cut'> {
  const lines = new Map<string, { line: ObjectEvent; newer: number; older: number; version: string }>();
  for (const event of events) {
    const line = toLine(event);
    const version = event.metadata.resourceVersion ?? '';
    const held = lines.get(line.key) ?? { line, newer: 0, older: 0, version };
    const [newer, older] = isNewer(event) ? [held.newer + line.count, held.older] : [held.newer, held.older + line.count];
    const last = held.line.at < line.at ? line : held.line;
    const newest = compareResourceVersions(held.version, version) < 0 ? version : held.version;
    const [since = ''] = [held.line.since, line.since].sort();
    lines.set(line.key, {
      newer,
      older,
      version: newest,
      line: { ...last, since, count: Math.max(newer, older), series: held.line.series || line.series },
    });
  }
  const all = [...lines.values()]
    .sort((a, b) => compare(secondOf(b), secondOf(a)) || compareResourceVersions(b.version, a.version) || compare(a.line.key, b.line.key))
    .map(({ line }) => line);
  return { events: all.slice(0, MAX_EVENTS), cut: Math.max(0, all.length - MAX_EVENTS) };
}

const secondOf = ({ line }: { readonly line: ObjectEvent }) => line.at.slice(0, 'yyyy-mm-ddThh:mm:ss'.length);

function toLine(event: KubeObject): ObjectEvent {
  const { apiVersion, kind, ns, name, uid } = aboutOf(event);
  const by = readString(event, 'reportingComponent') || readString(event, 'source', 'component') || '';
  const [type, reason] = [readString(event, 'type') ?? 'Normal', readString(event, 'reason') ?? ''];
  const message = hideCredentials(readString(event, 'message') ?? '');
  return {
    key: JSON.stringify([uid || `${kind}/${ns}/${name}`, type, reason, message, by]),
    at: lastSeen(event),
    since: firstSeen(event),
    type,
    reason,
    message,
    count: countOf(event),
    series: readField(event, 'series') !== undefined,
    by,
    about: { apiVersion, kind, ns: ns ?? null, name },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
