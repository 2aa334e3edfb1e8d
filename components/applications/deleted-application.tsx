import Link from 'next/link';
import { Empty } from '@/components/ui/data/empty';
import { t } from '@/lib/words/catalogue/delivery/applications';

/** Stands where an application was, and leads to what is on record of it. */
export function DeletedApplication({ ns, name }: { readonly ns: string; readonly name: string }) {
  const history = `/activity?${new URLSearchParams({ application: name, ns })}`;
  return (
    <Empty
      title={t.thereIsNoApplicationIn(name, ns)}
      action={
        <Link href={history} className="rounded-sm font-medium text-accent hover:underline">
          {t.openItsHistory}
        </Link>
      }
    >
      {t.itWasDeletedItsHistory}
    </Empty>
  );
}
