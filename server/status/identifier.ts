import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Names an object without a version: two versions of one kind are the same object. Namespace is empty for cluster-scoped ones, group for core. */
export interface ObjMetadata extends GroupKind {
  readonly namespace: string;
  readonly name: string;
}

const SEPARATOR = '_';
const COLON = '__';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC_KINDS: readonly string[] = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];

/** The identifier of an object. */
export function toObjMetadata(object: KubeObject): ObjMetadata {
  const { namespace = '', name = '' } = object.metadata;
  return { namespace, name, group: groupOf(object.apiVersion), kind: object.kind };
}

/** Text of an identifier. Colons, which only RBAC names may hold, are doubled separators there and written as they are elsewhere. */
export function formatObjMetadata({ namespace, name, group, kind }: ObjMetadata): string {
  const encoded = group === RBAC_GROUP && RBAC_KINDS.includes(kind) ? name.replaceAll(':', COLON) : name;
  return [namespace, encoded, group, kind].join(SEPARATOR);
}

/** Reads the text again. It is not quite the inverse: a doubled separator becomes a colon whatever the kind. Throws for text that is no identifier. */
export function parseObjMetadata(text: string, options: { readonly underscores?: 'refuse' | 'accept' } = {}): ObjMetadata {
  const [namespace, afterNamespace] = splitAt(text, text.indexOf(SEPARATOR));
  const [beforeKind, kind] = splitAt(afterNamespace, afterNamespace.lastIndexOf(SEPARATOR));
  const [encoded, group] = splitAt(beforeKind, beforeKind.lastIndexOf(SEPARATOR));
  const name = encoded.replaceAll(COLON, ':');
  if (name.includes(SEPARATOR) && options.underscores !== 'accept') throw new Error(`too many fields within: ${beforeKind}`);
  return { namespace, name, group, kind };
}

function splitAt(text: string, index: number): readonly [string, string] {
  if (index < 0) throw new Error(`unable to parse stored object metadata: ${text}`);
  return [text.slice(0, index), text.slice(index + 1)];
}

/** A key for maps. The text form would not do: it maps some pairs of identifiers onto one text. */
export function toIdentifierKey({ namespace, name, group, kind }: ObjMetadata): string {
  // The lengths say where each part ends, whatever it holds; a poll makes tens of thousands of these, and JSON costs twice as much.
  return `${namespace.length} ${name.length} ${group.length} ${namespace}${name}${group}${kind}`;
}

/** The identifier of a key; the inverse of `toIdentifierKey`. */
export function parseIdentifierKey(key: string): ObjMetadata {
  const [namespaceLength = '', nameLength = '', groupLength = ''] = key.split(' ', 3);
  const text = key.slice(namespaceLength.length + nameLength.length + groupLength.length + 3);
  const afterNamespace = Number(namespaceLength);
  const afterName = afterNamespace + Number(nameLength);
  const afterGroup = afterName + Number(groupLength);
  return {
    namespace: text.slice(0, afterNamespace),
    name: text.slice(afterNamespace, afterName),
    group: text.slice(afterName, afterGroup),
    kind: text.slice(afterGroup),
  };
}

/** Orders by namespace, group, kind, name, by code units. */
export function compareObjMetadata(left: ObjMetadata, right: ObjMetadata): number {
  for (const member of ['namespace', 'group', 'kind', 'name'] as const) {
    if (left[member] !== right[member]) return left[member] < right[member] ? -1 : 1;
  }
  return 0;
}

/** A kind as sentences name it: `Deployment.apps`, `Pod`. */
export function describeGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}
