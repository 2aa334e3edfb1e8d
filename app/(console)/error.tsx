'use client';

import { Button } from '@/components/ui/button';
import { ErrorPanel } from '@/components/ui/data/error-panel';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';

/** Stands in place of a page that threw; the frame around it stays. */
export default function ErrorInConsole({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const trace = error.digest ? ` In the server's log: ${error.digest}.` : '';
  return (
    <>
      <PageHead title="This page failed" />
      <Panel>
        <ErrorPanel title="Something went wrong" sentence={`Nothing was changed on the cluster.${trace}`} action={<Button onClick={reset}>Try again</Button>} />
      </Panel>
    </>
  );
}
