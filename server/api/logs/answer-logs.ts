import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { FollowedLogs, LogsAsked } from '@/server/commands';
import type { Clock, Release } from '@/server/platform';
import type { ApiDeps } from '../api-deps';
import type { Asker, Connection } from '../route';
import { requireSession } from '../route';
import { toEventStream } from '../status/event-stream';

/** So that a right which is withdrawn ends within five seconds. */
const CHECK_EVERY_MS = 4000;

/** Answers with a stream of logs, which ends with the session and with the right to read it. It counts as open until then. */
export async function answerLogs(asked: LogsAsked, asker: Asker, { commands, clock }: Pick<ApiDeps, 'commands' | 'clock'>): Promise<Response> {
  const { connection } = asker;
  const endWait = connection.beginWait();
  try {
    const logs = await commands.followLogs(requireSession(asker), asked, connection.signal);
    const stopChecks = keepChecking(logs, connection, clock);
    const end = () => {
      stopChecks();
      connection.signal.removeEventListener('abort', end);
      logs.release();
      endWait();
    };
    connection.signal.addEventListener('abort', end, { once: true });
    if (connection.signal.aborted) end();
    return toEventStream(logs.events(), end);
  } catch (error) {
    endWait();
    throw error;
  }
}

/** Asks for session and right anew, whether anybody reads on or not. */
function keepChecking(logs: FollowedLogs, connection: Connection, clock: Clock): Release {
  let stopped = false;
  let cancel: Release = () => undefined;
  const check = async () => {
    const { session, notBefore } = await connection.check();
    if (session !== undefined) await logs.recheck(session, notBefore);
  };
  const next = () => {
    cancel = clock.schedule(CHECK_EVERY_MS, () => {
      check()
        .catch((error: unknown) => {
          // A cluster that cannot be asked takes no right away; the next look asks again.
          if (isAppError(error) && (error.code === 'forbidden' || error.code === 'unauthenticated')) logs.withdraw(messageOf(error));
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
