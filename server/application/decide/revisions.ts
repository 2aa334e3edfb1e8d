import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { extractAppRevisionName, revisionNumberOf } from '@/server/dispatch';
import type { Observation } from '../observe/observe';
import { render, workloadNameOf } from '../render/render';
import type { Revision } from '../revision';
import { snapshotOf } from '../revision';
import type { ParsedApplication, Rendered } from '../spec/model';
import type { RestorePlan, RunPlan } from './model';

/** Revisions kept beside those in use, unless the application says how many. */
const KEPT = 10;

/** The oldest revisions beyond the limit. One that a tracker or the status names is in use and stays. */
export function revisionsToPrune({ revision, application }: RunPlan, seen: Observation): readonly Revision[] {
  const inUse = new Set([
    revision.name,
    seen.latest,
    ...seen.trackers.map(({ name }) => extractAppRevisionName(name, application.namespace)),
  ]);
  const kept = application.policies.garbage.applicationRevisionLimit ?? KEPT;
  const idle = seen.revisions.filter(({ name }) => !inUse.has(name));
  return idle.slice(0, Math.max(0, idle.length - kept));
}

/**
 * The last revision that was reached before this one; undefined when there is none, and once this one is on record as reached. The status tells
 * it, but only a moment after it was reached, and a change of the application may come before: then its rollout knows, by where it set out from
 * or what it has completed.
 */
export function reachedBefore(
  revision: string,
  seen: Observation,
): { readonly name: string; readonly unreported: Revision | undefined } | undefined {
  if (seen.latest === revision) return undefined;
  const others = [startOf(seen), completedBy(seen)].flatMap((one) => (one === undefined || one.name === revision ? [] : [one]));
  const newest = others.sort((left, right) => left.number - right.number).at(-1);
  if (newest !== undefined && newest.number > numberOf(seen.latest)) return { name: newest.name, unreported: newest };
  return seen.latest === undefined ? undefined : { name: seen.latest, unreported: undefined };
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

/**
 * What goes back to the stable revision once the one that followed it is rejected: what both share and only one of them can have its way
 * with. Workloads that the rollout moves carry the revision in their name, so they are never among it. Undefined without a stable revision.
 */
export function planRestore(
  application: ParsedApplication,
  { rejected, stable }: { readonly rejected: Rendered; readonly stable: string | undefined },
  seen: Observation,
): RestorePlan | undefined {
  const stored = seen.revisions.find(({ name }) => name === stable);
  if (stored === undefined) return undefined;
  const taken = new Set(rejected.manifests.map((manifest) => identityOf(manifest, application)));
  const rendered = render(snapshotOf(stored, seen.object), stored.name, { revisionHash: stored.hash });
  const manifests = rendered.manifests.filter((manifest) => taken.has(identityOf(manifest, application)));
  if (manifests.length === 0) return undefined;
  return { revision: { name: stored.name, number: stored.number, hash: stored.hash, stored }, rendered: { ...rendered, manifests } };
}

function identityOf({ apiVersion, kind, metadata }: KubeObject, { namespace }: ParsedApplication): string {
  return `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? namespace}/${metadata.name}`;
}
