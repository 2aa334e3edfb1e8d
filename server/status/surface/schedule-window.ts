import { isUnschedulable } from '../kinds/pod';
import { decodeConditions } from '../object-conditions';
import type { ResourceStatus } from '../resource-status';

/** The pods of a tree in progress that no node fits yet. */
export function unschedulablePods({ status, error, identifier, resource, generated }: ResourceStatus): readonly ResourceStatus[] {
  if (status !== 'InProgress' || error !== undefined) return [];
  const below = generated.flatMap(unschedulablePods);
  const isPod = identifier.group === '' && identifier.kind === 'Pod';
  if (!isPod || resource === undefined || !isUnschedulable(decodeConditions(resource))) return below;
  return [{ identifier, status, message: '', resource, generated: [] }, ...below];
}
