'use client';

import { useMutation } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { asSentence } from '@/components/ui/as-sentence';
import { Button } from '@/components/ui/button';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { Verified } from '@/lib/contract/audit-chain';
import { t } from '@/lib/words/catalogue/console/activity';
import { readVerification } from './activity-queries';

/** Checks that nobody has changed the record, and says what was found beside the button; who may not read it is told why not. */
export function VerifyRecord({ blocked }: { readonly blocked: string | null }) {
  const verify = useMutation({ mutationFn: readVerification, retry: false });
  return (
    <>
      <span role="status" className="text-xs empty:absolute">
        {verify.data ? <Finding found={verify.data} /> : null}
        {verify.error ? (
          <span className="text-bad">
            <Sentence text={asSentence(verify.error.message)} />
          </span>
        ) : null}
      </span>
      <Button blocked={blocked} onClick={() => verify.mutate()} pending={verify.isPending ? t.checkingEveryEntry : null}>
        <ShieldCheck size={13} aria-hidden /> {t.verify}
      </Button>
    </>
  );
}

function Finding({ found }: { readonly found: Verified }) {
  if (found.intact) {
    return (
      <span className="inline-flex items-center gap-1.5 text-good">
        <ShieldCheck size={13} aria-hidden /> {t.allEntriesAreIntact(found.entries)}
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-1.5 text-bad">
      <ShieldAlert size={13} aria-hidden />{' '}
      {rich(t.theRecordIsBrokenAt(found.brokenAt ?? t.unknown, <Sentence text={asSentence(found.why ?? '')} />))}
    </span>
  );
}
