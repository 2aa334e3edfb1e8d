import { describe, expect, it } from 'vitest';
import { createRandom } from '@/server/platform';
import { startDayServer } from '../long/day/day-server';
import { takeFigures } from '../long/day/figures';
import { DayTraffic } from '../long/day/traffic';
import { Dice } from '../support/preview/random-application';

/** A part of an hour of a day; `test:long -- day` lives all of it, and compares the heap. */
const SEED = 7;
const MINUTES = 5;
const SLOW_MS = 300_000;

describe('a server that lives on a clock that the test moves', { timeout: SLOW_MS }, () => {
  it('[issue 10.6] holds the same open after a part of a day of random traffic as before it, and has a record that is whole', async () => {
    await using server = await startDayServer();
    const { day } = server;
    const traffic = new DayTraffic(server, new Dice(createRandom(SEED)));
    await traffic.begin();
    const first = await takeFigures(server);
    for (let minute = 0; minute < MINUTES; minute++) await traffic.minute();
    await traffic.rest();
    const last = await takeFigures(server);
    expect(last.handles).toEqual(first.handles);
    for (const { live } of [first, last]) expect(Object.values(live)).toEqual([0, 0]);
    const done = traffic.done();
    // What was told to fail may fail what somebody does; everything else has one of the answers that it may have.
    const broken = Object.keys(done).filter((what) => / 500|: 500/.test(what) && !what.includes('injected') && !what.startsWith('fail: '));
    expect(broken).toEqual([]);
    expect(Object.keys(done).length, JSON.stringify(done)).toBeGreaterThan(5);
    expect((await day.during(server.owner.get('/api/v1/activity/verify'))).body).toMatchObject({ intact: true });
  });
});
