import type { StatusPolicy } from '@/lib/contract/health';
import type { Instant } from '@/lib/std/instant';
import { isUnschedulable } from '../kinds/pod';
import { decodeConditions } from '../object-conditions';
import { statusHoldsUntil } from '../policies';
import type { ResourceStatus } from '../resource-status';

/** The pods of a tree in progress that no node fits yet. */
export function unschedulablePods({ status, error, identifier, resource, generated }: ResourceStatus): readonly ResourceStatus[] {
  if (status !== 'InProgress' || error !== undefined) return [];
  const below = generated.flatMap(unschedulablePods);
  const isPod = identifier.group === '' && identifier.kind === 'Pod';
  if (!isPod || resource === undefined || !isUnschedulable(decodeConditions(resource))) return below;
  return [{ identifier, status, message: '', resource, generated: [] }, ...below];
}

/** When the passage of time alone changes something in a tree; undefined when it never does. */
export function treeHoldsUntil(tree: ResourceStatus, now: Instant, policies: readonly StatusPolicy[]): Instant | undefined {
  const own = tree.resource === undefined || tree.error !== undefined ? undefined : statusHoldsUntil(tree.resource, now, { policies });
  return tree.generated.reduce<Instant | undefined>((first, child) => {
    const end = treeHoldsUntil(child, now, policies);
    return first === undefined || (end !== undefined && end < first) ? (end ?? first) : first;
  }, own);
}
