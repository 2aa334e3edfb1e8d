import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '@/server/platform';
import type { Store } from '@/server/store';
import { OpeningStore, openStore } from '@/server/store';
import { ManualClock } from '@/test/support/manual-clock';
import type { TestPostgres } from '@/test/support/postgres';
import { startPostgres } from '@/test/support/postgres';
import { silentLog } from '../../support/silent-log';

/** A store that opens once it may, and counts tries and ends. */
function aStore() {
  const state = { opens: false, tries: 0, ended: 0 };
  const store = { [Symbol.asyncDispose]: async () => void state.ended++ } as unknown as Store;
  const open = async () => {
    state.tries++;
    if (!state.opens) throw new Error(`connection refused, try ${state.tries}`);
    return store;
  };
  return { state, store, open };
}

describe('a store that does not open at once', () => {
  it('[issue 10.6] is tried again with growing pauses, says meanwhile why the last try failed, and is open from then on', async () => {
    const { state, store, open } = aStore();
    const clock = new ManualClock();
    await using opening = new OpeningStore(open, { clock, log: silentLog });
    await expect(opening.now()).rejects.toThrow('connection refused, try 1');
    const seen: number[] = [];
    for (let second = 0; second < 100; second++) {
      await clock.advance(1000);
      if (state.tries !== seen.length + 1) seen.push(second + 1);
    }
    expect(seen).toEqual([1, 3, 7, 15, 31, 61, 91]); // pauses of 1, 2, 4, 8, 16, 30, 30 seconds
    await expect(opening.now()).rejects.toThrow('connection refused, try 8');
    state.opens = true;
    await clock.advance(30_000);
    expect(await opening.now()).toBe(store);
    expect(await opening.whenOpen).toBe(store);
    await clock.advance(120_000);
    expect(state.tries).toBe(9);
  });

  it('[issue 10.6] whoever asks during the first try waits for it', async () => {
    const { state, store, open } = aStore();
    state.opens = true;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await using opening = new OpeningStore(() => begun.then(open), { clock: new ManualClock(), log: silentLog });
    const asked = opening.now();
    begin();
    expect(await asked).toBe(store);
  });

  it('[issue 10.6] one that ends with the server is not tried again; one that opened is ended, once', async () => {
    const { state, open } = aStore();
    const clock = new ManualClock();
    const never = new OpeningStore(open, { clock, log: silentLog });
    await never.now().catch(() => undefined); // as told above
    await never[Symbol.asyncDispose]();
    await expect(never.whenOpen).rejects.toThrow('before its store was open');
    await clock.advance(120_000);
    expect([state.tries, state.ended]).toEqual([1, 0]);
    state.opens = true;
    const opened = new OpeningStore(open, { clock, log: silentLog });
    await opened.whenOpen;
    await opened[Symbol.asyncDispose]();
    expect(state.ended).toBe(1);
  });
});

describe('a Postgres that starts after the server', () => {
  let postgres: TestPostgres | undefined;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.addDatabase();
  }, 90_000);
  afterAll(async () => postgres?.[Symbol.asyncDispose]());

  it('[issue 10.6] is opened once it takes connections, and takes entries then', async () => {
    const clock = new ManualClock();
    const nowhere = url.replace(/%2F[^/]*\//, '%2Ftmp%2Fnobody-listens-here/');
    let place = nowhere;
    await using opening = new OpeningStore(() => openStore({ kind: 'postgres', url: place }, { clock, ids: systemIds, log: silentLog }), {
      clock,
      log: silentLog,
    });
    await expect(opening.now()).rejects.toThrow(/ENOENT/);
    place = url;
    await clock.advance(1000);
    const { audit } = await opening.whenOpen;
    expect(await audit.readRecent(1)).toEqual([]);
  }, 30_000);
});
