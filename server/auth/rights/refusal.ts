import { AppError, isAppError } from '@/lib/contract/app-error';
import type { Right } from '../act';
import type { Session } from '../session';
import { grantCommands, viewCommands } from './grant-commands';

/** Names what is missing, and the commands by which an administrator gives it. */
export function refusal({ user }: Session, wanted: string, rights: readonly Right[]): AppError {
  return new AppError('forbidden', `${user} may not do this: it requires the right ${wanted}`, {
    details: { grant: grantCommands(user, rights) },
  });
}

/** Says that somebody may list nothing at all, in one namespace or in all, and which role lets them. */
export function nothingListed({ user }: Session, ns: string | undefined): AppError {
  const where = ns === undefined ? 'all namespaces; choose a namespace to see what you may list in it' : `namespace ${ns}`;
  return new AppError('forbidden', `${user} may not list any kind in ${where}`, { details: { grant: viewCommands(user, ns) } });
}

/** A refusal as a value; anything else is thrown on. */
export function refusedAsError(error: unknown): Error {
  if (isAppError(error) && error.code === 'forbidden') return error;
  throw error;
}
