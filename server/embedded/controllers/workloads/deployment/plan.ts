import type { Deployment, RevisionSet, Revisions } from './model';
import { allOf, byAge, DESIRED_REPLICAS, MAX_REPLICAS, sumOf } from './model';

/** Bring one set to a size. */
export interface Scale {
  readonly set: RevisionSet;
  readonly to: number;
}

/** Size that a set of the present template gets now: as much as surge allows, at most all. */
export function sizeOfCurrent(deployment: Deployment, sets: readonly RevisionSet[], currentSize: number): number {
  if (deployment.strategy === 'Recreate') return deployment.replicas;
  const room = deployment.replicas + deployment.maxSurge - sumOf(sets, 'replicas');
  return room <= 0 ? currentSize : currentSize + Math.min(room, deployment.replicas - currentSize);
}

/** True when the Deployment's size changed since its sets were last sized: then they are scaled before anything rolls. */
export function isScalingEvent(deployment: Deployment, revisions: Revisions): boolean {
  return allOf(revisions).some((set) => {
    const desired = Number.parseInt(set.annotations[DESIRED_REPLICAS] ?? '', 10);
    return set.replicas > 0 && !Number.isNaN(desired) && desired !== deployment.replicas;
  });
}

/** The next step of a rolling update: grow the current set, or else shrink old ones as far as availability allows. */
export function planRolling(deployment: Deployment, { current, old }: Revisions & { current: RevisionSet }): readonly Scale[] {
  if (current.replicas > deployment.replicas) return [{ set: current, to: deployment.replicas }];
  const size = sizeOfCurrent(deployment, [...old, current], current.replicas);
  if (size !== current.replicas) return [{ set: current, to: size }];
  return planShrink(deployment, current, old.filter((set) => set.replicas > 0).sort(byAge));
}

// Unhealthy pods of old sets go first: they add nothing to availability, and kept they would block the update for ever.
function planShrink(deployment: Deployment, current: RevisionSet, old: readonly RevisionSet[]): readonly Scale[] {
  const minAvailable = deployment.replicas - deployment.maxUnavailable;
  const total = sumOf(old, 'replicas') + current.replicas;
  let unhealthy = total - minAvailable - (current.replicas - current.available);
  if (old.length === 0 || unhealthy <= 0) return [];
  const sizes = new Map(old.map((set) => [set, set.replicas]));
  for (const set of old) {
    const fewer = Math.min(Math.max(0, unhealthy), Math.max(0, set.replicas - set.available));
    sizes.set(set, set.replicas - fewer);
    unhealthy -= fewer;
  }
  let spare = sumOf(old, 'available') + current.available - minAvailable;
  for (const set of old) {
    const size = sizes.get(set) ?? 0;
    const fewer = Math.min(size, Math.max(0, spare));
    sizes.set(set, size - fewer);
    spare -= fewer;
  }
  return old.flatMap((set) => (sizes.get(set) === set.replicas ? [] : [{ set, to: sizes.get(set) ?? 0 }]));
}

/** Sizes after the Deployment was scaled, or while it is paused: spread in proportion, so that a bad revision does not gain. */
export function planScale(deployment: Deployment, revisions: Revisions): readonly Scale[] {
  const active = allOf(revisions).filter((set) => set.replicas > 0);
  if (active.length <= 1) {
    const newest = [...revisions.old].sort(byAge).at(-1);
    const only = active[0] ?? revisions.current ?? newest;
    return only && only.replicas !== deployment.replicas ? [{ set: only, to: deployment.replicas }] : [];
  }
  if (isSaturated(deployment, revisions.current)) {
    return revisions.old.filter((set) => set.replicas > 0).map((set) => ({ set, to: 0 }));
  }
  return deployment.strategy === 'RollingUpdate' ? planProportional(deployment, active) : [];
}

/** The size given back for every active set, changed or not: its annotations follow the Deployment's size. */
function planProportional(deployment: Deployment, active: readonly RevisionSet[]): readonly Scale[] {
  const allowed = deployment.replicas > 0 ? deployment.replicas + deployment.maxSurge : 0;
  const toAdd = allowed - sumOf(active, 'replicas');
  // Larger sets first; of equals the newer grows and the older shrinks.
  const ordered = [...active].sort((a, b) => b.replicas - a.replicas || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  let added = 0;
  const sizes = ordered.map((set) => {
    const share = toAdd === 0 || toAdd === added ? 0 : shareOf(deployment, set);
    const part = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    added += toAdd === 0 ? 0 : part;
    return toAdd === 0 ? set.replicas : set.replicas + part;
  });
  return ordered.map((set, at) => ({ set, to: at === 0 ? Math.max(0, (sizes[0] ?? 0) + toAdd - added) : (sizes[at] ?? 0) }));
}

function shareOf(deployment: Deployment, set: RevisionSet): number {
  if (deployment.replicas === 0) return -set.replicas;
  const before = Number.parseInt(set.annotations[MAX_REPLICAS] ?? '', 10) || readStatusReplicas(deployment);
  if (before === 0) return 0;
  return Math.round((set.replicas * (deployment.replicas + deployment.maxSurge)) / before) - set.replicas;
}

function readStatusReplicas(deployment: Deployment): number {
  const status = deployment.object.status as { readonly replicas?: number } | undefined;
  return status?.replicas ?? 0;
}

function isSaturated(deployment: Deployment, set: RevisionSet | undefined): boolean {
  if (!set) return false;
  const desired = Number.parseInt(set.annotations[DESIRED_REPLICAS] ?? '', 10);
  return set.replicas === deployment.replicas && desired === deployment.replicas && set.available === deployment.replicas;
}

/** Old sets beyond the history limit, the oldest revisions first; none that still has or expects pods. */
export function planCleanup(deployment: Deployment, old: readonly RevisionSet[]): readonly RevisionSet[] {
  if (deployment.revisionHistoryLimit === undefined) return [];
  const kept = old.filter((set) => set.object.metadata.deletionTimestamp === undefined);
  const surplus = kept.length - deployment.revisionHistoryLimit;
  if (surplus <= 0) return [];
  return [...kept]
    .sort((a, b) => a.revision - b.revision || byAge(a, b))
    .slice(0, surplus)
    .filter((set) => set.actual === 0 && set.replicas === 0 && set.observed);
}
