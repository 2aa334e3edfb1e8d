import { formatList } from './figures';

/** What some finalizers wait for, in the words of who uses the cluster; of others their name is all there is to say. */
const WAIT_FOR: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/pvc-protection', 'no Pod uses it'],
  ['kubernetes.io/pv-protection', 'no claim is bound to it'],
  ['foregroundDeletion', 'what it owns is gone'],
  ['slipway.dev/helm-uninstall', 'Helm has uninstalled its release'],
]);

/** Until when finalizers hold an object that is being deleted: `until no Pod uses it (kubernetes.io/pvc-protection)`. */
export function formatUntilReleased(finalizers: readonly string[]): string {
  const unknown = finalizers.filter((name) => !WAIT_FOR.has(name));
  const known = finalizers.flatMap((name) => (WAIT_FOR.has(name) ? `${WAIT_FOR.get(name)} (${name})` : []));
  const removed = unknown.length === 0 ? [] : [`${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} removed`];
  return `until ${formatList([...known, ...removed])}`;
}

/** That an object is being deleted, and what still holds it. */
export function formatTerminating(finalizers: readonly string[]): string {
  return finalizers.length === 0 ? 'it is being deleted' : `it is being deleted, held ${formatUntilReleased(finalizers)}`;
}
