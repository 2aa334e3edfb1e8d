import { describe, expect, it } from 'vitest';
import { getApiStatus, isConflict, isExpired, isNotFound } from '@/server/kube';
import { CrashError } from '@/test/support/faults';
import { at, CONFIG_MAP, configMap, startFaulty } from '../cluster';

const ALL = { ...CONFIG_MAP, namespace: 'default' };

describe('[cluster V3] the fault door', () => {
  it('[cluster V3] answers chosen requests with an error so many times', async () => {
    await using embedded = await startFaulty();
    const { cluster, faults } = embedded;
    faults.fail({ verb: 'create', kind: 'ConfigMap' }, 409, { times: 2 });
    faults.fail({ verb: 'get', name: 'a' }, 429, { retryAfterSeconds: 7 });
    await expect(cluster.create(configMap('a'))).rejects.toSatisfy(isConflict);
    await expect(cluster.create(configMap('a'))).rejects.toSatisfy(isConflict);
    await cluster.create(configMap('a'));
    const limited = await cluster.get(at('a')).catch((error: unknown) => error);
    expect(getApiStatus(limited)?.reason).toBe('TooManyRequests');
    expect(getApiStatus(limited)?.details?.retryAfterSeconds).toBe(7);
    expect((await cluster.get(at('a'))).metadata.name).toBe('a');
  });

  it('[cluster V3] delays by the clock', async () => {
    await using embedded = await startFaulty();
    const release = embedded.faults.delay({ verb: 'get' }, 5000);
    await embedded.cluster.create(configMap('a'));
    let isThere = false;
    const read = embedded.cluster.get(at('a')).then(() => {
      isThere = true;
    });
    await embedded.clock.advance(4999);
    expect(isThere).toBe(false);
    await embedded.clock.advance(1);
    await read;
    release();
    await embedded.cluster.get(at('a'));
  });

  it('[cluster V3] cuts watches and refuses new ones until released', async () => {
    await using embedded = await startFaulty();
    const { cluster, faults } = embedded;
    const events = cluster.watch(ALL)[Symbol.asyncIterator]();
    const next = events.next();
    await cluster.create(configMap('a'));
    await next;
    const release = faults.refuseWatches({ kind: 'ConfigMap' });
    expect((await events.next()).done).toBe(true);
    const refused = await cluster
      .watch(ALL)
      [Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => getApiStatus(error)?.code);
    expect(refused).toBe(503);
    release();
    const again = cluster.watch(ALL)[Symbol.asyncIterator]();
    expect((await again.next()).value?.object.metadata.name).toBe('a');
    await again.return?.();
    faults.fail({ verb: 'watch' }, 410);
    await expect(cluster.watch(ALL)[Symbol.asyncIterator]().next()).rejects.toSatisfy(isExpired);
  });

  it('[cluster V3] crashes before a commit, which then never was, or after it', async () => {
    await using embedded = await startFaulty();
    const { cluster, faults } = embedded;
    faults.crash({ verb: 'create', kind: 'ConfigMap' }, 'before-commit');
    await expect(cluster.create(configMap('a'))).rejects.toBeInstanceOf(CrashError);
    await expect(cluster.get(at('a'))).rejects.toSatisfy(isNotFound);
    faults.crash({ verb: 'create', kind: 'ConfigMap' }, 'after-commit');
    await expect(cluster.create(configMap('a'))).rejects.toBeInstanceOf(CrashError);
    expect((await cluster.get(at('a'))).metadata.name).toBe('a');
  });
});
