import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ProviderScreen } from '@/components/session/provider-screen';
import { SignInScreen } from '@/components/session/sign-in-screen';
import { returnPath } from '@/lib/contract/pages/return-path';
import { t } from '@/lib/words/catalogue/console/pages';
import { runtime } from '@/server/runtime';
import type { SearchParams } from '../search-params';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: t.signIn, referrer: 'no-referrer' };

/** The way in, also for those who are signed in as somebody else. */
export default async function SignInPage({ searchParams }: { searchParams: SearchParams }) {
  const { token, code, state, error, next } = await searchParams;
  const returnTo = returnPath(typeof next === 'string' ? next : null);
  // A session that cannot be read now keeps nobody from signing in.
  const reads = await runtime()
    .reads((await headers()).get('cookie'))
    .catch(() => undefined);
  const mode = runtime().signIn;
  const signedInAs = reads?.session.user ?? null;
  if (mode !== 'oidc')
    return <SignInScreen mode={mode} token={typeof token === 'string' ? token : null} signedInAs={signedInAs} returnTo={returnTo} />;
  const returned = typeof code === 'string' && typeof state === 'string' ? { code, state } : null;
  return (
    <ProviderScreen
      address={runtime().signInAt?.()}
      returned={returned}
      wasRefused={error !== undefined}
      signedInAs={signedInAs}
      returnTo={returnTo}
    />
  );
}
