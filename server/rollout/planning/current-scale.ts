import { StageFault } from '../fault';
import type { Revisions, TargetRevision } from '../model';

/** The figures planning goes by. A revision without an actual scale has none that anybody reports. */
export interface Scales {
  readonly actual: ReadonlyMap<string, number | undefined>;
  /** Revisions that have a StagePodAutoscaler. */
  readonly staged: ReadonlySet<string>;
  /** Ready replicas that all revisions together keep. One that should carry its share of them counts as having it. */
  readonly floor?: number | undefined;
}

/** How many replicas carry how much traffic, and what every revision that takes part has. */
export interface CurrentScale {
  readonly currentReplicas: number;
  readonly currentTraffic: number;
  readonly replicas: ReadonlyMap<string, number>;
}

/** True for an entry that takes part in a stage: it does not stay, and it carries traffic. */
export function isEligible(revision: TargetRevision): boolean {
  return revision.direction !== 'stay' && revision.percent !== undefined && revision.percent !== 0;
}

/** Replicas of one entry: its actual scale, or its share of the minimum while it idles and was never staged. */
export function replicasOf(revision: TargetRevision, scales: Scales): number {
  const { revisionName, minScale, percent = 0 } = revision;
  const held = scales.actual.get(revisionName);
  if (held === undefined) throw new StageFault('PodAutoscalerNotFound', `the scale of revision ${revisionName} is unknown`);
  const kept = Math.floor(((scales.floor ?? 0) * percent) / 100);
  const actual = Math.max(held, kept);
  const idles = !scales.staged.has(revisionName) && minScale !== undefined && actual <= minScale;
  return idles ? Math.max(kept, Math.trunc((minScale * percent) / 100)) : actual;
}

/** The entry that says how many replicas carry how much traffic: the denser among staged ones, the sparser where none was staged. */
export function currentScaleOf(revisions: Revisions, scales: Scales): CurrentScale {
  const eligible = revisions.filter(isEligible);
  const replicas = new Map<string, number>();
  let best: { readonly n: number; readonly t: number } | undefined;
  for (const revision of eligible) {
    const n = replicasOf(revision, scales);
    const t = revision.percent ?? 0;
    replicas.set(revision.revisionName, n);
    if (best === undefined) best = { n, t };
    else if (scales.staged.has(revision.revisionName) ? n * best.t > best.n * t : n * best.t < best.n * t) best = { n, t };
  }
  if (best === undefined) throw new StageFault('NothingToScale', 'no revision of the rollout has traffic that could be moved');
  return { currentReplicas: best.n, currentTraffic: best.t, replicas };
}

/** How many replicas and how much traffic one stage moves. The order of operations matters: nothing is rounded in between. */
export function stageSize(
  currentReplicas: number,
  currentTraffic: number,
  ratio: number,
): { readonly replicas: number; readonly traffic: number } {
  const replicas = Math.floor((currentReplicas * ratio) / currentTraffic) || 1;
  return { replicas, traffic: Math.ceil((replicas * currentTraffic) / currentReplicas) };
}
