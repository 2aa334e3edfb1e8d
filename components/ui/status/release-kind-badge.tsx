import { FLUX_RELEASE } from '@/lib/contract/flux-kind';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import { groupOf } from '@/lib/kube/object';
import { t } from '@/lib/words/catalogue/releases/releases';
import { Badge } from '../badge';

const OLDER = KINDS.olderHelmRelease;
const TOLD: Readonly<Partial<Record<ReleaseRow['kind'], { word: string; title: string }>>> = {
  [FLUX_RELEASE]: { word: t.flux, title: t.drivenByFluxSlipwayShows },
  'helmrelease-v1beta1': { word: groupOf(OLDER.apiVersion), title: nameOfKind(OLDER) },
};

/** What tells a HelmRelease from another of its name: that Flux drives it, or the older group. Nothing for any other kind. */
export function ReleaseKindBadge({ kind }: { readonly kind: ReleaseRow['kind'] }) {
  const told = TOLD[kind];
  return told === undefined ? null : (
    <Badge className="ml-1.5">
      <span title={told.title}>{told.word}</span>
    </Badge>
  );
}
