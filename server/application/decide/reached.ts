import { revisionNumberOf } from '@/server/dispatch';
import type { Observation } from '../observe/observe';
import { workloadNameOf } from '../render/render';
import type { Revision } from '../revision';

/**
 * The last revision that was reached before this one; undefined when there is none, and once this one is on record as reached. The status tells
 * it, but only a moment after it was reached, and a change of the application may come before: then its rollout knows, by where it set out from
 * or what it has completed.
 */
export function reachedBefore(revision: string, seen: Observation): { readonly name: string; readonly untold: Revision | undefined } | undefined {
  if (seen.latest === revision) return undefined;
  const others = [startOf(seen), completedBy(seen)].flatMap((one) => (one === undefined || one.name === revision ? [] : [one]));
  const newest = others.sort((left, right) => left.number - right.number).at(-1);
  if (newest !== undefined && newest.number > numberOf(seen.latest)) return { name: newest.name, untold: newest };
  return seen.latest === undefined ? undefined : { name: seen.latest, untold: undefined };
}

const numberOf = (revision: string | undefined) => (revision === undefined ? 0 : (revisionNumberOf(revision) ?? 0));

function startOf(seen: Observation): Revision | undefined {
  const [initial, ...others] = seen.rollout?.ro.spec.initialRevisions ?? [];
  return others.length > 0 ? undefined : revisionOf(initial?.revisionName, seen); // of several, none has all
}

function completedBy(seen: Observation): Revision | undefined {
  return seen.rollout?.completeSince === undefined ? undefined : revisionOf(seen.rollout.target, seen);
}

/** The revision whose workload has this name: each has one of its own under a rollout. */
function revisionOf(workload: string | undefined, { rollout, revisions, object }: Observation): Revision | undefined {
  const { component } = rollout ?? {};
  if (workload === undefined || component === undefined) return undefined;
  const application = { name: object.metadata.name ?? '', rollout: { component } };
  return revisions.find(({ name }) => workloadNameOf(application, component, name) === workload);
}
