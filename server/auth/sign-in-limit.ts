import { AppError } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';
import { hashSecret } from './session';

const WINDOW_MS = 60_000;
const MAX_REMEMBERED = 20_000;
const MAX_WAITING = 200;
/** So much of a token that is no JWT is its beginning: nobody guesses it by chance. */
const BEGINNING = 16;

/** Counts sign-ins that fail, by where they come from and by how their token begins: never over everybody, so that no stranger locks anybody out. */
export interface SignInLimit {
  /** Throws too-many; else answers how to say that it failed. */
  begin(source: string, token: string): Fail;
  /** Tries a sign-in that takes its time. While those under way could use up the limit by failing, it waits for one of them. Throws too-many. */
  attempt<T>(by: { readonly source: string; readonly token: string }, work: (fail: Fail) => Promise<T>): Promise<T>;
}

/** Counts a failure, and answers how to say so. */
export type Fail = (sentence: string) => AppError;

/** A limit of so many failures within a minute. */
export function createSignInLimit(clock: Clock, most: number): SignInLimit {
  const failures = new Map<string, { readonly since: number; count: number }>();
  const countOf = (key: string) => {
    const held = failures.get(key);
    if (held !== undefined && monotonicMsOf(clock) - held.since < WINDOW_MS) return held;
    failures.delete(key);
    return undefined;
  };
  const add = (key: string) => {
    const held = countOf(key) ?? { since: monotonicMsOf(clock), count: 0 };
    held.count++;
    const [oldest] = failures.keys();
    if (failures.size >= MAX_REMEMBERED && oldest !== undefined) failures.delete(oldest);
    failures.set(key, held);
  };
  const underWay = new Map<string, Set<Promise<unknown>>>();
  let waiting = 0;
  const untilRoom = async (full: Set<Promise<unknown>>) => {
    if (waiting >= MAX_WAITING) {
      throw new AppError('too-many', 'too many people are signing in; try again in a second', {
        details: { retryAfterSeconds: 1 },
      });
    }
    waiting++;
    await Promise.race(full);
    waiting--;
  };
  const limit: SignInLimit = {
    async attempt({ source, token }, work) {
      const keys = keysOf(source, token).map(({ key }) => key);
      for (;;) {
        const fail = limit.begin(source, token);
        const fullAt = keys.find((key) => (underWay.get(key)?.size ?? 0) + (countOf(key)?.count ?? 0) >= most);
        const full = fullAt === undefined ? undefined : underWay.get(fullAt);
        if (full === undefined) return noted(underWay, keys, work(fail));
        await untilRoom(full);
      }
    },
    begin(source, token) {
      const keys = keysOf(source, token);
      for (const { key, what } of keys) {
        const held = countOf(key);
        if (held === undefined || held.count < most) continue;
        const retryAfterSeconds = Math.ceil((held.since + WINDOW_MS - monotonicMsOf(clock)) / 1000);
        const sentence = `${most} sign-ins ${what} failed within a minute, which is the limit (--max-sign-ins); try again in ${retryAfterSeconds} s`;
        throw new AppError('too-many', sentence, { details: { retryAfterSeconds } });
      }
      return (sentence) => {
        for (const { key } of keys) add(key);
        return new AppError('unauthenticated', sentence);
      };
    },
  };
  return limit;
}

/** Waits for what is under way, which is noted by its keys for so long. */
async function noted<T>(underWay: Map<string, Set<Promise<unknown>>>, keys: readonly string[], work: Promise<T>): Promise<T> {
  const settled = work.catch(() => undefined); // whoever tries hears of it
  for (const key of keys) underWay.set(key, (underWay.get(key) ?? new Set()).add(settled));
  try {
    return await work;
  } finally {
    for (const key of keys) {
      const others = underWay.get(key);
      others?.delete(settled);
      if (others?.size === 0) underWay.delete(key);
    }
  }
}

function keysOf(source: string, token: string) {
  return [
    { key: `source ${source}`, what: `from ${source}` },
    { key: `token ${hashSecret(beginningOf(token))}`, what: 'with this token' },
  ];
}

/** All JWTs of a cluster begin alike: what tells them apart is everything before the signature. */
function beginningOf(token: string): string {
  const signature = token.lastIndexOf('.');
  return signature > 0 ? token.slice(0, signature) : token.slice(0, BEGINNING);
}
