import type { LogsInput } from '@/server/commands';
import type { ApiDeps } from '../api-deps';
import type { Caller } from '../route';
import { requireSession } from '../route';
import { toEventStream } from '../status/event-stream';
import { recheckAccess } from '../status/recheck-access';

/** Answers with a stream of logs, which ends with the session and with the right to read it. It counts as open until then. */
export async function answerLogs(
  asked: LogsInput,
  caller: Caller,
  { commands, clock }: Pick<ApiDeps, 'commands' | 'clock'>,
): Promise<Response> {
  const { connection } = caller;
  const endLongRunning = connection.beginLongRunning();
  try {
    const logs = await commands.followLogs(requireSession(caller), asked, connection.signal);
    const stopChecks = recheckAccess({
      connection,
      clock,
      recheck: async ({ session, notBefore }) => session && logs.recheck(session, notBefore),
      onGone: (sentence) => logs.withdraw(sentence),
    });
    const end = () => {
      stopChecks();
      connection.signal.removeEventListener('abort', end);
      logs.release();
      endLongRunning();
    };
    connection.signal.addEventListener('abort', end, { once: true });
    if (connection.signal.aborted) end();
    return toEventStream(logs.events(), end);
  } catch (error) {
    endLongRunning();
    throw error;
  }
}
