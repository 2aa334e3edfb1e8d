'use client';

import { useStatus } from '@/components/live/staleness';
import { usePrinting } from '@/components/ui/print/use-printing';
import { epochNow } from '@/components/ui/time/use-now';
import { useZone } from '@/components/ui/time/zone';
import { t } from '@/lib/words/catalogue/console/shell';
import { formatMoment } from '@/lib/words/times';

/** On paper alone: who printed it, when, and of which cluster and address it is. */
export function PrintedBy({ user }: { readonly user: string }) {
  const zone = useZone();
  const cluster = useStatus()?.cluster;
  if (!usePrinting()) return null;
  const name = cluster === undefined ? '' : cluster.kind === 'embedded' ? t.simulatedCluster : t.clusterNamed(cluster.name);
  return (
    <p className="mb-4 hidden border-b pb-2 text-ink-2 text-xs wrap-anywhere print:block">
      {t.printedBy({ user, at: formatMoment(epochNow(), zone), cluster: name, address: globalThis.location.href })}
    </p>
  );
}
