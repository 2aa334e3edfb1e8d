import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';

/** The kinds of resources that declare releases, as they stand in addresses; `helmrelease-v2` is that of Flux. */
export const RELEASE_KIND_NAMES = ['fluxhelmrelease', 'helmrelease', 'helmrelease-v1beta1'] as const;
export type ReleaseKindName = (typeof RELEASE_KIND_NAMES)[number];

/** The kind of each. */
export const RELEASE_TYPES = {
  fluxhelmrelease: KINDS.fluxHelmRelease,
  helmrelease: KINDS.helmRelease,
  'helmrelease-v1beta1': KINDS.olderHelmRelease,
} as const satisfies Readonly<Record<ReleaseKindName, TypeRef>>;

/** How a kind that declares releases stands in addresses, at whatever version; undefined for any other kind. */
export function releaseKindOf({ apiVersion, kind }: TypeRef): ReleaseKindName | undefined {
  return RELEASE_KIND_NAMES.find((name) => {
    const type = RELEASE_TYPES[name];
    return type.kind === kind && groupOf(type.apiVersion) === groupOf(apiVersion);
  });
}

/** The same by the name that tells it from every other kind of ours. */
export function releaseKindNamed(kind: string): ReleaseKindName | undefined {
  return RELEASE_KIND_NAMES.find((name) => nameOfKind(RELEASE_TYPES[name]) === kind);
}

/** How a decision names the kind of the resource that it is about: where two kinds have a name, the group tells the older one. */
export interface ReleaseKindRef {
  readonly kind: string;
  readonly group?: string | undefined;
}

/** How a decision names a kind that declares releases. */
export function toReleaseKindRef({ apiVersion, kind }: TypeRef): ReleaseKindRef {
  const group = groupOf(apiVersion);
  return { kind, ...(group === groupOf(KINDS.olderHelmRelease.apiVersion) ? { group } : {}) };
}

/** The kind that a decision names; undefined where it declares no releases. */
export function readReleaseKindRef({ kind, group }: Partial<ReleaseKindRef>): ReleaseKindName | undefined {
  return RELEASE_KIND_NAMES.find((name) => {
    const ref = toReleaseKindRef(RELEASE_TYPES[name]);
    return ref.kind === kind && ref.group === group;
  });
}

/** The type of such a kind. */
export function readReleaseType(ref: Partial<ReleaseKindRef>): TypeRef | undefined {
  const name = readReleaseKindRef(ref);
  return name && RELEASE_TYPES[name];
}
