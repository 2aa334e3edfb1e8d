import { AppError } from '@/lib/contract/app-error';
import type { Session } from '@/server/auth';
import type { Registry, Release } from '@/server/platform';
import { Gauge } from '@/server/platform';

const MAX_OF_USER = 256;
const MAX_IN_ALL = 2000;

/** Counts an answer that stays open; throws too-many when a person, or all together, hold more than that. */
export type BeginLongRunningRequest = (session: Pick<Session, 'user'> | undefined) => Release;

const NOBODY = { user: '' };

/** Each open answer is a connection and a listener. The command signs in anew each time, so a person is counted, not a session. */
export function limitLongRunningRequests(registry: Registry): BeginLongRunningRequest {
  const held = new Map<string, number>();
  let inAll = 0;
  new Gauge({
    name: 'slipway_status_waits',
    help: 'Answers about statuses that are open: streams, and waits for a state',
    registers: [registry],
    collect() {
      this.set(inAll);
    },
  });
  return ({ user } = NOBODY) => {
    const own = held.get(user) ?? 0;
    if (own >= MAX_OF_USER)
      throw new AppError('too-many', `${user} already follows ${own} statuses, which is the limit for one person; end one and try again`);
    if (inAll >= MAX_IN_ALL)
      throw new AppError('too-many', `${inAll} statuses are already followed, which is the limit of this server; try again later`);
    held.set(user, own + 1);
    inAll++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      inAll--;
      const left = (held.get(user) ?? 1) - 1;
      if (left === 0) held.delete(user);
      else held.set(user, left);
    };
  };
}
