import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { isUnschedulable, SCHEDULE_WINDOW_MS } from '../kinds/pod';
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

/** When the first of these pods has had its time; undefined when there is none. */
export function nextWindowEnd(tree: ResourceStatus): Instant | undefined {
  const ends = unschedulablePods(tree).flatMap(({ resource }) => {
    const createdAt = parseInstant(resource?.metadata.creationTimestamp);
    return createdAt === undefined ? [] : [createdAt + SCHEDULE_WINDOW_MS];
  });
  return ends.length === 0 ? undefined : toInstant(Math.min(...ends));
}
