import { AppError, isAppError } from '@/lib/contract/app-error';
import type { Right } from '../act';
import type { Session } from '../session';
import { grantCommands } from './grant-commands';

/** Names what is missing, and the commands by which an administrator gives it. */
export function refusal({ user }: Session, wanted: string, rights: readonly Right[]): AppError {
  return new AppError('forbidden', `${user} may not do this: it requires the right ${wanted}`, {
    details: { grant: grantCommands(user, rights) },
  });
}

/** A refusal as a value; anything else is thrown on. */
export function refusedAsError(error: unknown): Error {
  if (isAppError(error) && error.code === 'forbidden') return error;
  throw error;
}
