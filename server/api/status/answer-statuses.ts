import { AppError } from '@/lib/contract/app-error';
import type { StatusesBody, WaitOutcome, WantedState } from '@/lib/contract/object-statuses';
import type { Statuses } from '@/server/status';
import { toIdentifierKey } from '@/server/status';
import type { ApiDeps } from '../api-deps';
import type { Connection } from '../route';
import { toEventStream } from './event-stream';
import type { Following } from './follow';
import { follow, provenanceAt, waitUntilKnown } from './follow';
import { toStatusesBody } from './status-body';

/** How statuses are asked for. */
export interface WaitQuery {
  readonly watch: boolean;
  readonly wanted: WantedState | undefined;
  readonly timeoutMs: number;
}

/** What is asked about. */
interface Asked extends Pick<Following, 'set' | 'freshness' | 'check'> {
  /** Called when the one object that is asked about is not in our copies and nobody waits for that; may throw not-found. */
  readonly whenAbsent?: () => Promise<void>;
}

/** How a wait ended, as a status of HTTP: a script that only looks at success never takes a wait that did not reach for one that did. */
export const OUTCOME_STATUS = { reached: 200, failed: 409, timeout: 408 } as const satisfies Record<WaitOutcome, number>;

/** Answers with what is known now, with how a wait ended, or with a stream. It counts as open, and what it follows is held, until the answer is complete. */
export async function answerStatuses(
  query: WaitQuery,
  connection: Connection,
  { statuses, clock }: Pick<ApiDeps, 'statuses' | 'clock'>,
  open: () => Promise<Asked>,
): Promise<StatusesBody | Response> {
  const endLongRunning = connection.beginLongRunning();
  let asked: Asked | undefined;
  const release = () => {
    asked?.set.release();
    endLongRunning();
  };
  try {
    asked = await open();
    const following = {
      ...asked,
      signal: connection.signal,
      clock,
      provenanceOf: statuses.provenanceOf,
      ...toWait(query, asked, statuses),
    };
    await refuseAbsent(query, following);
    if (query.watch) return stream(following, release);
    const answer = await answerOnce(following);
    release();
    return answer;
  } catch (error) {
    release();
    throw error;
  }
}

function toWait({ wanted, timeoutMs }: WaitQuery, { set }: Asked, statuses: Pick<Statuses, 'confirm'>): Pick<Following, 'wait'> {
  if (wanted === undefined) return {};
  return { wait: { wanted, timeoutMs, confirm: (outcome) => statuses.confirm(set, outcome) } };
}

async function refuseAbsent({ wanted }: WaitQuery, following: Following & Asked): Promise<void> {
  if (following.whenAbsent === undefined || wanted === 'deleted') return;
  await waitUntilKnown(following);
  const [only] = following.set.followed();
  if (only !== undefined && following.set.statusOf(toIdentifierKey(only.identifier))?.status === 'NotFound') await following.whenAbsent();
}

function stream(following: Following, release: () => void): Response {
  const leaving = new AbortController();
  const signal = AbortSignal.any([following.signal, leaving.signal]);
  return toEventStream(follow({ ...following, signal }), () => {
    leaving.abort();
    release();
  });
}

async function answerOnce(following: Following): Promise<StatusesBody | Response> {
  if (following.wait !== undefined) return answerWait(following);
  await waitUntilKnown(following);
  return toStatusesBody(following.set, following.freshness(), provenanceAt(following));
}

async function answerWait(following: Following): Promise<Response> {
  for await (const event of follow(following)) {
    if (event?.event !== 'end') continue;
    const { outcome } = event.data;
    if (outcome === 'ended') break;
    const body: StatusesBody = { ...toStatusesBody(following.set, following.freshness(), provenanceAt(following)), outcome };
    return Response.json(body, { status: OUTCOME_STATUS[outcome] });
  }
  // Ended by the session or a right, which says so itself; otherwise the client is gone, and nobody reads this.
  await following.check();
  throw new AppError('unavailable', 'the wait was ended; try again');
}
