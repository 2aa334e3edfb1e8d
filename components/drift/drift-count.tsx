import { Badge } from '@/components/ui/badge';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';

/** How many objects of an application are not as they are wanted, and how many a policy leaves so. */
export function DriftCount({ row: { drifted, left } }: { readonly row: Pick<ApplicationRow, 'drifted' | 'left'> }) {
  if (drifted === 0 && left === 0) return <span className="text-ink-3">–</span>;
  return (
    <span className="inline-flex gap-1 align-top">
      {drifted > 0 ? <Badge tone="warn">{t.drifted(drifted)}</Badge> : null}
      {left > 0 ? <Badge>{t.drifted(left)}</Badge> : null}
    </span>
  );
}
