'use client';

import { FlaskConical, Server } from 'lucide-react';
import { useStatus } from '@/components/live/staleness';
import { t } from '@/lib/words/catalogue/console/shell';

/** Which cluster this page drives. A simulated one says so, everywhere and always. */
export function ClusterBadge() {
  const status = useStatus();
  if (!status) return null;
  const { kind, name, version } = status.cluster;
  const isSimulated = kind === 'embedded';
  const Icon = isSimulated ? FlaskConical : Server;
  const title = isSimulated ? t.simulatedCluster : name;
  return (
    <div className="flex min-h-8 min-w-0 items-center gap-2.5 px-2.5 lg:px-2" title={`${title}${version ? t.kubernetes(version) : ''}`}>
      <Icon size={15} aria-hidden className="shrink-0 text-odd" />
      <div className="min-w-0 leading-4 sm:sr-only lg:not-sr-only">
        <p className="truncate font-medium text-xs">{title}</p>
        {version ? <p className="truncate text-2xs text-ink-3">{t.kubernetesOf(version)}</p> : null}
      </div>
    </div>
  );
}
