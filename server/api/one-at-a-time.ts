import { AppError } from '@/lib/contract/app-error';
import type { Session } from '@/server/auth';
import type { Release } from '@/server/platform';

/** Begins a walk over the whole record for a person; throws too-many while they have another one under way. */
export type BeginReading = (session: Pick<Session, 'user'> | undefined) => Release;

/** Exporting and checking the record reads all of it, so each person does so once at a time, over however many sessions. */
export function createOneAtATime(): BeginReading {
  const reading = new Set<string>();
  return (session) => {
    const user = session?.user ?? '';
    if (reading.has(user)) throw new AppError('too-many', `${user} exports or checks the record already, one at a time; wait until that is done, or cancel it`);
    reading.add(user);
    let over = false;
    return () => {
      if (!over) reading.delete(user);
      over = true;
    };
  };
}
