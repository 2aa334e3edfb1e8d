import { readField, readNumber, readString } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { isForbidden } from '@/server/kube';
import type { ToldCondition } from '@/server/status';
import { tellConditions } from '@/server/status';
import type { CommandDeps } from './command-deps';
import { readAs } from './command-deps';
import { toYaml } from './manifest-text';

const MOST_EVENTS = 100;

/** An object as text, without the values of Secrets. */
export interface ManifestText {
  readonly manifest: string;
  readonly masked: boolean;
}

export interface EventView {
  readonly at: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** An object close up. */
export interface ObjectCloseUp extends ManifestText {
  readonly conditions: readonly ToldCondition[];
  readonly events: readonly EventView[];
}

/** Reads any object live and as the person, with what the cluster reported about it, newest first. */
export async function readObject(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<ObjectCloseUp> {
  const { apiVersion, kind, namespace: ns, name } = at;
  await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
  const object = await readAs(deps, session, at);
  return { ...toManifestText(object), conditions: tellConditions(object), events: await readEvents(deps, session, object) };
}

/** Reads an object live and as the person. */
export async function readManifest(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<ManifestText> {
  const { apiVersion, kind, namespace: ns, name } = at;
  await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
  return toManifestText(await readAs(deps, session, at));
}

function toManifestText(object: KubeObject): ManifestText {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  const { value, masked } = maskSecrets({ ...object, metadata });
  return { manifest: toYaml(value), masked };
}

async function readEvents(deps: CommandDeps, session: Session, object: KubeObject): Promise<readonly EventView[]> {
  const { uid, namespace = 'default' } = object.metadata;
  const events: EventView[] = [];
  try {
    const pages = deps.cluster.as(session.person).list({ apiVersion: 'v1', kind: 'Event', namespace }, { fieldSelector: `involvedObject.uid=${uid}` });
    for await (const page of pages) events.push(...page.items.filter((event) => readField(event, 'involvedObject', 'uid') === uid).map(toEventView));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    // Whoever may read the object but not events still sees the object, and why there are none.
    const message = `You may not read events about ${describeObject({ kind: object.kind, ...object.metadata })}.`;
    return [{ at: object.metadata.creationTimestamp ?? '', type: 'Normal', reason: 'Forbidden', message, count: 1 }];
  }
  return events.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, MOST_EVENTS);
}

function toEventView(event: KubeObject): EventView {
  const at = readString(event, 'series', 'lastObservedTime') ?? readString(event, 'lastTimestamp') ?? readString(event, 'eventTime');
  return {
    at: at ?? event.metadata.creationTimestamp ?? '',
    type: readString(event, 'type') ?? 'Normal',
    reason: readString(event, 'reason') ?? '',
    message: readString(event, 'message') ?? '',
    count: readNumber(event, 'series', 'count') ?? readNumber(event, 'count') ?? 1,
  };
}
