import { AppError } from '@/lib/contract/app-error';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const CONTROL = /\p{Cc}/u;

/** Refuses names that the cluster keeps to itself; whoever bore one would pass for a part of the cluster. */
export function requireOrdinaryUser(user: string): void {
  if (user.trim() === '') throw new AppError('unauthenticated', 'the sign-in names no user');
  // No request could be made as such a person, and a note, which lists one person per line, would name several.
  if (CONTROL.test(user))
    throw new AppError('forbidden', 'the user name that signs in must not contain line breaks or other control characters');
  // A header does not keep white space around a name: whoever is called so would act as somebody else.
  if (user !== user.trim()) throw new AppError('forbidden', 'the user name that signs in must not begin or end with white space');
  if (user.startsWith('system:') && !user.startsWith(SERVICE_ACCOUNT)) {
    throw new AppError('forbidden', `${user} is a part of the cluster and cannot sign in here; use a person or a service account`);
  }
}

/** Tells loopback addresses, which only this machine can reach. */
export function isLoopback(address: string): boolean {
  const bare = address.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:/i, '');
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}
