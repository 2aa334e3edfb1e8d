import { describe, expect, it } from 'vitest';
import { RepairLog } from '@/server/application/repair-log';
import { RevertThrottle } from '@/server/application/revert-throttle';

describe('reverts that are repeated', () => {
  it('[dispatch 13] the pauses grow up to five minutes, by application and object, and are forgotten with the application', () => {
    const pace = new RevertThrottle();
    const [web, api] = ['shop/web', 'shop/api'] as Parameters<RevertThrottle['note']>[0][];
    if (web === undefined || api === undefined) throw new Error('never');
    const at = (ms: number) => ms as Parameters<RevertThrottle['note']>[2];
    const waits = Array.from({ length: 14 }, () => pace.note(web, 'ConfigMap a', at(0)).waitMs / 1000);
    expect(waits).toEqual([0, 0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300]);
    expect([
      pace.waitMs(web, 'ConfigMap a', at(1000)),
      pace.waitMs(web, 'ConfigMap b', at(0)),
      pace.waitMs(api, 'ConfigMap a', at(0)),
    ]).toEqual([299_000, 0, 0]);
    for (let more = 0; more < 6; more++) pace.note(web, 'ConfigMap b', at(0));
    expect([pace.nextMs(web, at(1000)), pace.nextMs(web, at(6000)), pace.nextMs(api, at(0))]).toEqual([4000, 294_000, undefined]);
    pace.forget(web);
    expect(pace.nextMs(web, at(0))).toBeUndefined();
  });

  it('[dispatch 13] the log of repairs forgets the oldest when it is full, and tells it again', () => {
    const log = new RepairLog();
    const now = 1_000 as Parameters<RepairLog['take']>[1];
    expect([log.take('a', now), log.take('a', now)]).toEqual([0, undefined]);
    for (let at = 0; at < 5000; at++) log.take(`other ${at}`, now);
    expect(log.take('a', now)).toBe(0);
  });

  it('[dispatch 13] the pauses begin afresh after ten quiet minutes, and the nearest one counts', () => {
    const pace = new RevertThrottle();
    const at = (ms: number) => ms as Parameters<RevertThrottle['note']>[2];
    const web = 'shop/web' as Parameters<RevertThrottle['note']>[0];
    for (let time = 0; time < 8; time++) pace.note(web, 'far', at(0));
    for (let time = 0; time < 6; time++) pace.note(web, 'near', at(0));
    expect(pace.nextMs(web, at(0))).toBe(5000);
    expect(pace.note(web, 'near', at(600_000)).count).toBe(7);
    expect(pace.nextMs(web, at(600_001))).toBe(9999);
    expect(pace.note(web, 'far', at(600_001)), 'it was forgotten').toEqual({ count: 1, waitMs: 0 });
    expect(pace.note(web, 'near', at(1_200_001)).count).toBe(1);
  });

  it('[dispatch 13] the log counts what it did not tell, for a minute, and forgets no other for one that is told again', () => {
    const log = new RepairLog();
    const take = (key: string, ms: number) => log.take(key, ms as Parameters<RepairLog['take']>[1]);
    expect([take('a', 0), take('a', 1), take('a', 59_999), take('a', 60_000), take('a', 60_001)]).toEqual([
      0,
      undefined,
      undefined,
      2,
      undefined,
    ]);
    expect([take('b', 60_001), take('b', 60_002)]).toEqual([0, undefined]);
    expect(take('a', 60_003)).toBeUndefined();
  });
});
