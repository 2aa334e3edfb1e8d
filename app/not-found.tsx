import Link from 'next/link';
import { Mark } from '@/components/shell/mark';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';

/** What stands at an address that no page has, outside the console's frame. */
export default function NotFound() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col justify-center px-4 py-12">
      <Mark />
      <div className="mt-6">
        <PageHead trail={[{ label: 'Inbox', href: '/' }]} title="Not found" />
      </div>
      <Panel>
        <Empty
          title="There is no page at this address"
          action={
            <Link href="/" className="rounded-sm font-medium text-accent hover:underline">
              Go to the inbox
            </Link>
          }
        >
          The link may be incomplete.
        </Empty>
      </Panel>
    </main>
  );
}
