import type { EdgeKind } from '@/lib/contract/graph-rows';
import { EDGE_KINDS } from '@/lib/contract/graph-rows';
import { t } from '@/lib/words/catalogue/delivery/graph';

const SAID: Readonly<Record<EdgeKind, string>> = {
  owns: t.ownsWhatGoesWithIts,
  records: t.recordsATrackerAppliedIt,
  selects: t.selectsSendsTrafficToIts,
  routes: t.routesForwardsRequests,
  scales: t.scalesSetsItsReplicas,
};

const LINE: Readonly<Record<EdgeKind, string>> = {
  owns: 'border-ink-4',
  records: 'border-ink-4 border-dotted',
  selects: 'border-accent',
  routes: 'border-accent border-dashed',
  scales: 'border-ink-3 border-dotted',
};

/** What each kind of line means; of those that are there. */
export function GraphLegend({ kinds }: { readonly kinds: ReadonlySet<EdgeKind> }) {
  return (
    <ul aria-label={t.linesOfTheGraph} className="flex flex-wrap gap-x-4 gap-y-0.5 text-2xs text-ink-3">
      {EDGE_KINDS.filter((kind) => kinds.has(kind)).map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span aria-hidden className={`w-5 border-t-[1.5px] ${LINE[kind]}`} />
          {SAID[kind]}
        </li>
      ))}
    </ul>
  );
}
