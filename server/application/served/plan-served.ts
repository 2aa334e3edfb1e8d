import { extractAppRevisionName, recordedIds } from '@/server/dispatch';
import type { RunPlan, ServedPlan } from '../decide/model';
import type { Observation } from '../observe/observe';
import type { RenderRevision } from './render-revision';
import { servedRevisions } from './served-revisions';

type Planned = Pick<RunPlan, 'application' | 'revision' | 'rendered' | 'restore' | 'dispatch' | 'rollout'>;

/** What revisions keep that the rollout of a plan serves beside what the plan applies: what they were applied with, as long as their record lists it. */
export function planServed(plan: Planned, seen: Observation, renderOf: RenderRevision): readonly ServedPlan[] {
  const { application, revision, rollout, dispatch, rendered, restore } = plan;
  if (rollout.kind !== 'ensure' && rollout.kind !== 'leave') return [];
  const applied = dispatch ? rendered.manifests : (restore?.rendered.manifests ?? []);
  const named = (tracker: { readonly name: string }) => extractAppRevisionName(tracker.name, application.namespace);
  const others = seen.trackers.filter(
    (tracker) => tracker.deletionTimestamp === undefined && !(dispatch && named(tracker) === revision.name),
  );
  const served = servedRevisions(seen.rollout, {
    trackers: others,
    applied: new Set(applied.flatMap(recordedIds)),
    to: rollout.kind === 'ensure' ? rollout.target.revisionName : seen.rollout?.target,
    from: rollout.kind === 'ensure' ? rollout.initial?.entry.revisionName : undefined,
  });
  return served.flatMap(({ tracker, workload, ids }) => {
    const stored = seen.revisions.find(({ name }) => name === named({ name: tracker }));
    const all = stored && renderOf(stored);
    if (stored === undefined || all === undefined) return [];
    const manifests = all.manifests.filter((manifest) => recordedIds(manifest).some((id) => ids.has(id)));
    const { name, number, hash } = stored;
    return manifests.length === 0 ? [] : [{ revision: { name, number, hash, stored }, rendered: { ...all, manifests }, workload }];
  });
}
