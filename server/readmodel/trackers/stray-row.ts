import type { StrayRow } from '@/lib/contract/tracker-rows';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { controllerOf, groupOf, toObjectKey } from '@/lib/kube/object';
import { mayBePasted, shellWord } from '@/lib/std/text/shell-word';
import type { FactsDeps } from '../applications/application-facts';
import { applicationKeys, isOwnKind, kindKey } from '../cluster-view';
import type { ListShape } from '../views/list-view';

/** Made by the cluster after a Service, with its labels and without an owner. */
const COPIED: ReadonlySet<string> = new Set(['/Endpoints']);
const SEPARATOR = '|';

/** Where the table of strays has an object. */
export function strayKey({ apiVersion, kind, metadata }: KubeObject): string {
  return [groupOf(apiVersion), kind, toObjectKey(metadata)].join(SEPARATOR);
}

/** True for kinds that applications dispatch objects of. */
export function mayHoldStrays(type: TypeRef): boolean {
  return !isOwnKind(type) && !COPIED.has(kindKey(type));
}

/** True for what an application dispatches: it carries the application's labels, and nothing but a tracker owns it. */
export function isStrayCandidate(object: KubeObject): boolean {
  if (object.metadata.labels?.[LABELS.appName] === undefined || !mayHoldStrays(object)) return false;
  return (object.metadata.ownerReferences ?? []).every(({ kind }) => kind === KINDS.resourceTracker.kind);
}

/** The object that a key of the table of strays names, as it is now. */
export function strayObject(key: string, view: FactsDeps['view']): KubeObject | undefined {
  return view.get(typeOf(key), toKey(key));
}

/** The line of the table of strays; undefined for what a tracker lists, and while trackers or applications are not known whole. */
export function toStrayRow(key: string, { view, tracked }: Pick<FactsDeps, 'view' | 'tracked'>): StrayRow | undefined {
  const type = typeOf(key);
  const object = strayObject(key, view);
  const application = object === undefined ? undefined : applicationKeys(object)[0];
  if (object === undefined || application === undefined || !isStrayCandidate(object) || tracked.isListed(type, toKey(key)))
    return undefined;
  if ([KINDS.resourceTracker, KINDS.application].some((kind) => !view.open(kind).health().synced)) return undefined;
  const { labels = {}, namespace, name = '', creationTimestamp } = object.metadata;
  const state = view.get(KINDS.application, application) === undefined ? 'gone' : 'there';
  return {
    key,
    apiVersion: object.apiVersion,
    kind: object.kind,
    ns: namespace ?? null,
    name,
    application: labels[LABELS.appName] ?? '',
    applicationNs: labels[LABELS.appNamespace] ?? namespace ?? null,
    state,
    createdAt: creationTimestamp ?? null,
    why: [state === 'gone' ? 'its application is gone' : 'its application exists', reasonOf(object, view)].join(', '),
    command: commandOf(object),
  };
}

function reasonOf(object: KubeObject, view: FactsDeps['view']): string {
  const owner = controllerOf(object) ?? object.metadata.ownerReferences?.[0];
  if (owner === undefined) return 'no tracker lists it and none owns it';
  const tracker = view.get(KINDS.resourceTracker, owner.name);
  return tracker?.metadata.uid === owner.uid
    ? `${owner.name} owns it and does not list it`
    : `${owner.name}, which owned it, is gone and no other tracker lists it`;
}

/**
 * kubectl takes a kind with its version and group. Names are of whoever made the object, and some kinds take nearly any: what a shell could read is quoted,
 * and one with invisible characters gets no command.
 */
function commandOf({ apiVersion, kind, metadata: { name = '', namespace } }: KubeObject): string | null {
  if (!mayBePasted(name)) return null;
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return `kubectl delete ${group === '' ? kind : `${kind}.${version}.${group}`} ${shellWord(name)}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}

function typeOf(key: string): TypeRef {
  const [group = '', kind = ''] = key.split(SEPARATOR);
  return { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind };
}

function toKey(key: string): ObjectKey {
  return key.split(SEPARATOR)[2] ?? '';
}

export const strayList: ListShape<StrayRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.kind} ${row.name} ${row.application}`,
  filter: (row) => row.state,
  sorts: {
    name: (row) => row.name,
    kind: (row) => row.kind,
    application: (row) => `${row.applicationNs}/${row.application}`,
    created: (row) => row.createdAt ?? '',
  },
  defaultSort: 'application',
};
