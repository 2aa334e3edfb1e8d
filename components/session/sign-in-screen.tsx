'use client';

import type { FormEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { postJson, RequestError } from '@/components/live/request';
import { asSentence } from '@/components/ui/as-sentence';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { TextField } from '@/components/ui/form/field';
import { rich } from '@/components/ui/words/rich';
import { messageOf } from '@/lib/contract/app-error';
import { signInPath } from '@/lib/contract/pages/return-path';
import type { SessionView } from '@/lib/contract/requests';
import { sessionView } from '@/lib/contract/requests';
import { t } from '@/lib/words/catalogue/console/session';
import { continueSignedIn } from './sign-in-redirect';

type Attempt = { readonly kind: 'ready' } | { readonly kind: 'sending' } | { readonly kind: 'refused'; readonly sentence: string };

type Mode = Exclude<SessionView['mode'], 'oidc'>;

/** Where a token comes from, and where another one does. */
const SOURCE: Readonly<Record<Mode, { readonly first: string; readonly again: string }>> = {
  local: {
    first: t.openTheAddressThatThe,
    again: t.aPrintedTokenWorksOnce,
  },
  token: {
    first: t.pasteABearerTokenFor,
    again: t.itMayHaveExpiredKubectl,
  },
};

interface SignInScreenProps {
  readonly mode: Mode;
  /** The token of the address. */
  readonly token: string | null;
  /** Who is signed in already: then an address changes nothing unasked, wherever it was found. */
  readonly signedInAs: string | null;
  /** The page of ours that is gone to afterwards. */
  readonly returnTo: string;
}

/** The way in: by the address that the server printed, or by a token typed here. */
export function SignInScreen({ mode, token, signedInAs, returnTo }: SignInScreenProps) {
  const asks = token !== null && signedInAs !== null;
  const [typed, setTyped] = useState(asks ? token : '');
  const [attempt, setAttempt] = useState<Attempt>(token === null || asks ? { kind: 'ready' } : { kind: 'sending' });
  const tried = useRef(false);
  const field = useRef<HTMLInputElement>(null);

  const signIn = (given: string) => {
    setAttempt({ kind: 'sending' });
    postJson('/api/v1/session', { token: given }, sessionView).then(
      () => continueSignedIn(returnTo),
      (error: unknown) => {
        setAttempt({ kind: 'refused', sentence: sentenceOf(error, mode) });
        field.current?.focus();
        field.current?.select();
      },
    );
  };

  // A token works once: the ref keeps a second run of the effect from spending it again.
  useEffect(() => {
    if (token === null || tried.current) return;
    tried.current = true;
    globalThis.history.replaceState(null, '', signInPath(returnTo));
    if (!asks) signIn(token);
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') signIn(typed.trim());
  };

  return (
    <main className="flex min-h-dvh items-center justify-center px-4">
      <div className="w-full max-w-sm">
        <h1 className="font-semibold text-xl">{t.signInToSlipway}</h1>
        {signedInAs === null ? (
          <p className="mt-1 text-pretty text-ink-3">{SOURCE[mode].first}</p>
        ) : (
          <p className="mt-1 text-pretty text-ink-3">
            {rich(
              t.youAreSignedInAsSigning(
                signedInAs,
                asks ? t.theTokenOfThisAddress : t.anotherToken,
                <a href={returnTo} className="underline">
                  {t.staySignedInAs(signedInAs)}
                </a>,
              ),
            )}
          </p>
        )}
        <form onSubmit={submit} className="mt-5 space-y-3">
          <TextField
            ref={field}
            required
            label={t.token}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          {attempt.kind === 'refused' ? <Refusal sentence={attempt.sentence} /> : null}
          <Button type="submit" look="primary" size="md" className="w-full" pending={attempt.kind === 'sending' ? t.signingIn : null}>
            {t.signIn}
          </Button>
        </form>
      </div>
    </main>
  );
}

function sentenceOf(error: unknown, mode: Mode): string {
  const said = asSentence(messageOf(error));
  return error instanceof RequestError && error.code === 'unauthenticated' ? `${said} ${SOURCE[mode].again}` : said;
}
