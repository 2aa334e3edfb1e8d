import { messageOf } from '@/lib/contract/app-error';
import { isFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { RenderPreview } from '@/server/application';
import { renderPreview } from '@/server/application';
import type { Session } from '@/server/auth';
import type { LiveState } from '@/server/dispatch';
import { LABEL, readTracker } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { isNoMatch, isNotFound } from '@/server/kube';
import type { CommandDeps } from './command-deps';

const AT_ONCE = 16;

/** What saving would do to one object. */
export interface PreviewedChange {
  readonly id: string;
  readonly verdict: string;
  readonly why: string;
}

/** Renders an application as it would be and tells, object by object, what that changes; everything is read as the person. */
export async function previewChanges(deps: CommandDeps, session: Session, application: KubeObject): Promise<readonly PreviewedChange[]> {
  const cluster = deps.cluster.as(session.person);
  const { name = '', namespace = '' } = application.metadata;
  const revisions = await listAll(cluster, { ...KINDS.applicationRevision, namespace }, `${LABEL.appName}=${name}`);
  const found = await listAll(cluster, KINDS.resourceTracker, `${LABEL.appName}=${name}`);
  const trackers = found.filter((tracker) => tracker.metadata.labels?.[LABEL.appNamespace] === namespace).map(readTracker);
  const live = await readStates(cluster, trackers.flatMap((tracker) => tracker.entries).map(toAddress));
  const preview = renderPreview(application, { revisions, trackers, live: (entry) => stateOf(live, toAddress(entry)) });
  return [...(await renderedChanges(cluster, preview)), ...collected(preview)];
}

async function renderedChanges(cluster: Cluster, { rendered, revision }: RenderPreview): Promise<readonly PreviewedChange[]> {
  const addresses = rendered.manifests.map(({ apiVersion, kind, metadata }) => toAddress({ apiVersion, kind, ...metadata }));
  const live = await readStates(cluster, addresses);
  return rendered.manifests.map((manifest, index): PreviewedChange => {
    const at = addresses[index] ?? { ...manifest, name: '' };
    const id = describeObject(at);
    const state = stateOf(live, at);
    if (state.kind === 'absent') return { id, verdict: 'new', why: `revision ${revision.name} makes it` };
    if (state.kind === 'unknown') return { id, verdict: 'unknown', why: state.why };
    if (covers(state.object, withoutMarks(manifest))) return { id, verdict: 'kept', why: 'it is as written already' };
    return { id, verdict: 'changed', why: `revision ${revision.name} changes it` };
  });
}

/** What the end of the change deletes or holds back; what is rendered anew is told above. */
function collected({ garbage }: RenderPreview): readonly PreviewedChange[] {
  const gone = garbage?.items.filter(({ verdict }) => verdict === 'deleted' || verdict === 'held') ?? [];
  const changes = gone.map(({ entry, verdict, why }) => ({ id: describeObject(entry), verdict, why }));
  return garbage?.refused === undefined ? changes : [...changes, { id: 'collection', verdict: 'held', why: garbage.refused }];
}

/** True when everything that is wanted stands in the live object; what others added there does not count. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(live) && live.length === wanted.length && wanted.every((item, at) => covers(live[at], item));
  if (isFields(wanted)) return isFields(live) && Object.entries(wanted).every(([name, value]) => value === undefined || covers(live[name], value));
  return deepEqual(live, wanted);
}

// Labels and annotations name the revision, so they always differ.
function withoutMarks(manifest: KubeObject): Omit<KubeObject, 'metadata'> {
  const { metadata: _marks, ...rest } = manifest;
  return rest;
}

type Address = TypeRef & { readonly namespace?: string | undefined; readonly name?: string | undefined };

function toAddress({ apiVersion, kind, namespace, name = '' }: Address): ObjectAddress {
  return { apiVersion, kind, ...(namespace ? { namespace } : {}), name };
}

const keyOf = (at: ObjectAddress) => `${at.apiVersion} ${describeObject(at)}`;

function stateOf(states: ReadonlyMap<string, LiveState>, at: ObjectAddress): LiveState {
  return states.get(keyOf(at)) ?? { kind: 'unknown', why: 'it was not read' };
}

async function readStates(cluster: Cluster, addresses: readonly ObjectAddress[]): Promise<ReadonlyMap<string, LiveState>> {
  const wanted = [...new Map(addresses.map((at) => [keyOf(at), at])).entries()];
  const states = new Map<string, LiveState>();
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    await Promise.all(wanted.slice(from, from + AT_ONCE).map(async ([key, at]) => states.set(key, await readState(cluster, at))));
  }
  return states;
}

async function readState(cluster: Cluster, at: ObjectAddress): Promise<LiveState> {
  try {
    return { kind: 'present', object: await cluster.get(at) };
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return { kind: 'absent' };
    return { kind: 'unknown', why: `${describeObject(at)} cannot be read: ${messageOf(error)}` };
  }
}

async function listAll(cluster: Cluster, of: TypeRef & { readonly namespace?: string }, labelSelector: string): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  for await (const page of cluster.list(of, { labelSelector })) items.push(...page.items);
  return items;
}
