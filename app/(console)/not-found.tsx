import { Compass } from 'lucide-react';
import Link from 'next/link';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';

/** Stands in place of a page whose object is not there. */
export default function NotFoundInConsole() {
  return (
    <>
      <PageHead title="Not found" />
      <Panel>
        <Empty
          icon={<Compass size={17} aria-hidden />}
          title="There is nothing at this address"
          action={
            <Link href="/" className="rounded-sm font-medium text-accent hover:underline">
              Go to the inbox
            </Link>
          }
        >
          The object was deleted or is in another namespace. Its history is under Activity.
        </Empty>
      </Panel>
    </>
  );
}
