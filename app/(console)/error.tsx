'use client';

import { Button } from '@/components/ui/button';
import { ErrorPanel } from '@/components/ui/data/error-panel';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { t } from '@/lib/words/catalogue/console/pages';

/** Stands in place of a page that threw; the frame around it stays. */
export default function ErrorInConsole({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const trace = error.digest ? t.inTheServersLog(error.digest) : '';
  return (
    <>
      <PageHead title={t.thisPageFailed} />
      <Panel>
        <ErrorPanel
          title={t.somethingWentWrong}
          sentence={t.nothingWasChangedOnThe(trace)}
          action={<Button onClick={reset}>{t.tryAgain}</Button>}
        />
      </Panel>
    </>
  );
}
