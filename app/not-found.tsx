import Link from 'next/link';
import { Logo } from '@/components/shell/logo';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/pages';

/** What stands at an address that no page has, outside the console's frame. */
export default function NotFound() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col justify-center px-4 py-12">
      <Logo />
      <div className="mt-6">
        <PageHead breadcrumbs={[{ label: t.inbox, href: '/' }]} title={t.notFound} />
      </div>
      <Panel>
        <Empty
          title={t.thereIsNoPageAt}
          action={
            <Link href="/" className="rounded-sm font-medium text-accent hover:underline">
              {t.goToTheInbox}
            </Link>
          }
        >
          {t.theLinkMayBeIncomplete}
        </Empty>
      </Panel>
    </main>
  );
}
