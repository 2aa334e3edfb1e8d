import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { maskBesideOlder, maskForReading } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { DiffLine } from '@/lib/std/line-diff';
import { diffHunks } from '@/lib/std/line-diff';
import { withoutDispatchMetadata } from '@/server/dispatch';
import { toSortedYaml } from './manifest-text';

const MAX_LINES = 400;
/** What the server writes: it differs always and says nothing. */
const SERVERS = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];

/** An object as far as people write it: without its status, and without what the server alone writes. */
export function writable({ status: _status, metadata, apiVersion, kind, ...rest }: KubeObject): KubeObject {
  const own = Object.entries(metadata).filter(([name, value]) => value !== undefined && !SERVERS.includes(name));
  return { apiVersion, kind, metadata: Object.fromEntries(own), ...rest };
}

/** An object as far as people decide about it: without what a dispatch writes on it for itself either. */
export function comparable(object: KubeObject): Fields {
  return withoutDispatchMetadata({ ...writable(object) });
}

/** True when two states of an object say the same; values of Secrets count. */
export function isSame(before: KubeObject, after: KubeObject): boolean {
  return deepEqual(comparable(before), comparable(after));
}

/** How an object differs, line by line and without the values of Secrets; null when it does not. */
export function diffObjects(before: KubeObject, after: KubeObject): readonly DiffLine[] | null {
  if (isSame(before, after)) return null;
  const [old, fresh] = [comparable(before), comparable(after)];
  const lines = diffHunks(toSortedYaml(maskForReading(old).value), toSortedYaml(maskBesideOlder(old, fresh)));
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), { sign: '…', text: `${lines.length - MAX_LINES} more lines differ` }];
}

/** What an object becomes when a manifest is laid over it: maps are joined, everything else is replaced. */
export function mergeOnto(live: unknown, wanted: unknown): unknown {
  if (!isFields(live) || !isFields(wanted)) return wanted;
  const joined = Object.entries(wanted).map(([name, value]): [string, unknown] => [
    name,
    value === undefined ? live[name] : mergeOnto(live[name], value),
  ]);
  return { ...live, ...Object.fromEntries(joined) };
}
