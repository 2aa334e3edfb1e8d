import { Compass } from 'lucide-react';
import Link from 'next/link';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import { t } from '@/lib/words/catalogue/console/pages';

const LINK = 'rounded-sm font-medium text-accent hover:underline';

/** Says that nothing is at an address, and leads to what is on record of it. */
export function NothingHere({ history }: { readonly history: string }) {
  return (
    <>
      <PageHead title={t.notFound} />
      <Panel>
        <Empty
          icon={<Compass size={17} aria-hidden />}
          title={t.thereIsNothingAtThis}
          action={
            <Link href="/" className={LINK}>
              {t.goToTheInbox}
            </Link>
          }
        >
          {rich(
            t.theObjectWasDeletedOr(
              <Link href={history} className={LINK}>
                {t.activity}
              </Link>,
            ),
          )}
        </Empty>
      </Panel>
    </>
  );
}
