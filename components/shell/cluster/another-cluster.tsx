import { Compass } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { withoutCluster } from '@/components/live/address/cluster-param';
import { useStatus } from '@/components/live/staleness';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/shell';
import { showHidden } from '@/lib/words/show-hidden';

const LONGEST = 40;

/** Stands in place of a page whose address names another cluster than the one that this console shows. */
export function AnotherCluster({ named }: { readonly named: string }) {
  const [path, params] = [usePathname(), useSearchParams()];
  const cluster = useStatus()?.cluster;
  const here = cluster?.kind === 'embedded' ? t.simulatedCluster : (cluster?.name ?? '');
  const query = withoutCluster(new URLSearchParams(params)).toString();
  return (
    <>
      <PageHead title={t.anotherCluster} />
      <Panel>
        <Empty
          icon={<Compass size={17} aria-hidden />}
          title={t.theAddressNamesCluster({ named: showHidden(named.slice(0, LONGEST)), here, id: cluster?.id ?? '' })}
          action={
            <a
              href={query === '' ? path : `${path}?${query}`}
              data-reloads=""
              className="rounded-sm font-medium text-accent hover:underline"
            >
              {t.openTheSameAddressHere}
            </a>
          }
        >
          {t.anObjectOfTheSameName}
        </Empty>
      </Panel>
    </>
  );
}
