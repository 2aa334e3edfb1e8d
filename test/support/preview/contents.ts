import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { LABEL } from '@/server/dispatch';

/** What is in a cluster: the content of each object by id, without what any dispatch keeps for itself. */
export type Contents = ReadonlyMap<string, { readonly uid: string; readonly content: string }>;

export const THING = { apiVersion: 'things.example.dev/v1', kind: 'Thing' };

/** The kinds of what applications hold. */
export const CONTENTS: readonly TypeRef[] = [
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  KINDS.deployment,
  THING,
];

const OWN_LABELS: readonly string[] = Object.values(LABEL);

/** The content of an object, without status and what says whose it is. */
export function contentOf({ metadata, status: _status, ...rest }: KubeObject): string {
  const words = (all: Readonly<Record<string, string>> | undefined) =>
    Object.entries(all ?? {}).filter(
      ([key]) => !OWN_LABELS.includes(key) && !key.includes('last-applied') && !key.startsWith('deployment.kubernetes.io/'),
    );
  return JSON.stringify([rest, words(metadata.labels).sort(), words(metadata.annotations).sort()]);
}
