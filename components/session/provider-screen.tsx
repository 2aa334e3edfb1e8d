'use client';

import { useEffect, useRef, useState } from 'react';
import { postJson } from '@/components/live/request';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { rich } from '@/components/ui/words/rich';
import { messageOf } from '@/lib/contract/app-error';
import { signInPath } from '@/lib/contract/pages/return-path';
import { providerAddress, sessionView } from '@/lib/contract/requests';
import { t } from '@/lib/words/catalogue/console/session';
import { continueSignedIn, readReturnPath, redirectToSignIn, storeReturnPath } from './sign-in-redirect';

type Attempt = { readonly kind: 'ready' } | { readonly kind: 'going' } | { readonly kind: 'refused'; readonly sentence: string };

interface ProviderScreenProps {
  /** Where the provider sends people back to: only what begins there can end there. */
  readonly address: string | undefined;
  /** What the provider sent this browser back with. */
  readonly returned: { readonly code: string; readonly state: string } | null;
  /** True when the provider sent this browser back without. */
  readonly wasRefused: boolean;
  /** Who is signed in already. */
  readonly signedInAs: string | null;
  /** The page of ours that is gone to afterwards. */
  readonly returnTo: string;
}

const REFUSED = t.theProviderRefusedTheSign;

/** The way in by the provider of the organisation, and back from there. */
export function ProviderScreen({ address, returned, wasRefused, signedInAs, returnTo }: ProviderScreenProps) {
  const [attempt, setAttempt] = useState<Attempt>(startOf(returned, wasRefused));
  const tried = useRef(false);
  // The provider's own address of ours says nothing of where one wanted to go.
  const wanted = () => (returned !== null || wasRefused ? readReturnPath(returnTo) : returnTo);
  const refuse = (error: unknown) => setAttempt({ kind: 'refused', sentence: messageOf(error) });

  useEffect(() => {
    if (returned === null && address !== undefined && new URL(address).origin !== globalThis.location.origin)
      redirectToSignIn(address, returnTo);
  }, [returned, address, returnTo]);

  // A code works once: the ref keeps a second run of the effect from spending it again.
  useEffect(() => {
    if (returned === null || tried.current) return;
    tried.current = true;
    globalThis.history.replaceState(null, '', signInPath(wanted()));
    postJson('/api/v1/session/provider/return', returned, sessionView).then(() => continueSignedIn(wanted()), refuse);
  });

  const go = () => {
    setAttempt({ kind: 'going' });
    storeReturnPath(wanted());
    postJson('/api/v1/session/provider', {}, providerAddress).then(({ address }) => globalThis.location.assign(address), refuse);
  };

  return (
    <main className="flex min-h-dvh items-center justify-center px-4">
      <div className="w-full max-w-sm space-y-5">
        <div>
          <h1 className="font-semibold text-xl">{t.signInToSlipway}</h1>
          {signedInAs === null ? (
            <p className="mt-1 text-pretty text-ink-3">{t.yourOrganisationsProviderConfirmsYour}</p>
          ) : (
            <p className="mt-1 text-pretty text-ink-3">
              {rich(
                t.youAreSignedInAs(
                  signedInAs,
                  <a href={returnTo} className="underline">
                    {t.staySignedInAs(signedInAs)}
                  </a>,
                ),
              )}
            </p>
          )}
        </div>
        {attempt.kind === 'refused' ? <Refusal sentence={attempt.sentence} /> : null}
        <Button
          type="button"
          look="primary"
          size="md"
          className="w-full"
          onClick={go}
          pending={attempt.kind === 'going' ? t.signingIn : null}
        >
          {t.signInWithYourProvider}
        </Button>
      </div>
    </main>
  );
}

function startOf(returned: ProviderScreenProps['returned'], wasRefused: boolean): Attempt {
  if (returned !== null) return { kind: 'going' };
  return wasRefused ? { kind: 'refused', sentence: REFUSED } : { kind: 'ready' };
}
