import type { Clock, Log } from '@/server/platform';
import { supervise } from '@/server/platform';

/** Asks the API server whom it takes this server for; undefined where it answers no such question. */
export type AskOwnUser = () => Promise<string | undefined>;

/** Asks until there is an answer, and tells when it is known; undefined until then, as where the API server answers no such question. */
export function learnOwnUser(ask: AskOwnUser, { clock, log }: { readonly clock: Clock; readonly log: Log }, onKnown: () => void) {
  const ending = new AbortController();
  let known: string | undefined;
  const learn = async () => {
    known = await ask();
    if (known !== undefined && !ending.signal.aborted) onKnown();
  };
  void supervise('own user', learn, { clock, log, signal: ending.signal });
  return { user: () => known, release: () => ending.abort() };
}
