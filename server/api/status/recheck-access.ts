import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { Clock, Release } from '@/server/platform';
import type { Connection, Recheck } from '../route';

/** So that a right which is withdrawn ends within five seconds. */
const CHECK_EVERY_MS = 4000;

/** What an open answer goes by. */
interface Checked {
  readonly connection: Pick<Connection, 'check'>;
  readonly clock: Clock;
  /** Asks for further rights, of the person as the cluster knows them now. */
  readonly recheck: (present: Recheck) => Promise<void>;
  /** Called once session or right is gone, with the sentence. */
  readonly onGone: (sentence: string) => void;
}

/** Asks for session and right anew until the release, whether anybody reads on or not. A cluster that cannot be asked takes no right away. */
export function recheckAccess({ connection, clock, recheck, onGone }: Checked): Release {
  let stopped = false;
  let cancel: Release = () => undefined;
  const check = async () => recheck(await connection.check());
  const next = () => {
    cancel = clock.schedule(CHECK_EVERY_MS, () => {
      check()
        .catch((error: unknown) => {
          if (stopped || !isAppError(error) || (error.code !== 'forbidden' && error.code !== 'unauthenticated')) return;
          stopped = true;
          onGone(messageOf(error));
        })
        .finally(() => stopped || next());
    });
  };
  next();
  return () => {
    stopped = true;
    cancel();
  };
}
