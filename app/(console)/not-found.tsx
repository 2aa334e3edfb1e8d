import { Compass } from 'lucide-react';
import Link from 'next/link';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/pages';

/** Stands in place of a page whose object is not there. */
export default function NotFoundInConsole() {
  return (
    <>
      <PageHead title={t.notFound} />
      <Panel>
        <Empty
          icon={<Compass size={17} aria-hidden />}
          title={t.thereIsNothingAtThis}
          action={
            <Link href="/" className="rounded-sm font-medium text-accent hover:underline">
              {t.goToTheInbox}
            </Link>
          }
        >
          {t.theObjectWasDeletedOr}
        </Empty>
      </Panel>
    </>
  );
}
