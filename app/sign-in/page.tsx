import type { Metadata } from 'next';
import { SignInScreen } from '@/components/session/sign-in-screen';
import type { SearchParams } from '../search-params';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Sign in', referrer: 'no-referrer' };

export default async function SignInPage({ searchParams }: { searchParams: SearchParams }) {
  const { token } = await searchParams;
  return <SignInScreen token={typeof token === 'string' ? token : null} />;
}
