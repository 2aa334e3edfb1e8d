import { Skeleton, SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/pages';

/** Stands in place of a page while the server reads what it shows. */
export default function Loading() {
  return (
    <div role="status" aria-busy="true">
      <h1 className="sr-only">{t.readingThePage}</h1>
      <Skeleton height="h-5" className="mb-6 w-48" />
      <Panel>
        <SkeletonRows />
      </Panel>
    </div>
  );
}
