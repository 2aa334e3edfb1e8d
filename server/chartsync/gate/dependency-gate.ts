import { deepEqual } from '@/lib/std/deep-equal';
import { formatRelease } from '@/lib/words/format-release';
import type { ExtendedRelease } from '../model/declared';
import type { GatedChart, Pulled } from '../ports';
import { identifyChart, treeOf } from './chart-identity';
import type { Gates } from './gates';

/**
 * Keeps what the chart of an approved commit depends on as it was approved with it, or released with it since: a range, or an archive that changes under its
 * version, would change the release with nobody's approval. Like a chart that is pulled it moves with a resource that is changed after its first release, and
 * with the next commit that is approved.
 */
export async function allowedWith(
  resource: ExtendedRelease,
  { found, attempted, isChanged }: Pulled,
  gates: Pick<Gates, 'of' | 'change'>,
): Promise<GatedChart> {
  const { dependencies, revision } = found;
  const approved = gates.of(resource)?.approved;
  if (dependencies === undefined || approved == null || approved.commit !== revision) return { chart: found };
  const kept = approved.dependencies ?? undefined;
  if (deepEqual(kept, dependencies)) return { chart: found };
  const isMoved =
    kept === undefined &&
    approved.chart !== treeOf(approved.chart) &&
    approved.chart !== identifyChart(treeOf(approved.chart), dependencies);
  if ((kept === undefined && !isMoved) || (isChanged && attempted.revision !== undefined)) {
    await gates.change(resource, (gate) =>
      gate.approved?.commit === revision ? { ...gate, approved: { ...gate.approved, dependencies: [...dependencies] } } : gate,
    );
    return { chart: found };
  }
  const moved = dependencies.filter((one) => !kept?.some((before) => deepEqual(before, one)));
  const before = (kept ?? []).filter((one) => !dependencies.some((now) => deepEqual(now, one)));
  return { waits: formatRelease({ id: 'gate.dependencies-moved', commit: revision, now: moved, before }) };
}
