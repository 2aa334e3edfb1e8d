import { beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '@/server/kube';
import { KubeApiError, readServerIdentity } from '@/server/kube';
import { silentLog } from '../../support/silent-log';

const { signal } = new AbortController();
const slept: number[] = [];
const DEPS = { log: silentLog, clock: { sleep: async (ms: number) => void slept.push(ms) } };
const uidOf: Cluster['get'] = async ({ name }) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, uid: `${name === 'kube-system' ? '05c4fbae' : 'ffffffff'}-2981-4406` },
});

function answering(status: number, text: string, get = uidOf): Cluster {
  const body = (async function* () {
    yield new TextEncoder().encode(text);
  })();
  const port: Pick<Cluster, 'request' | 'get'> = { request: async () => ({ status, headers: {}, body }), get };
  return port as Cluster; // nothing else of the port is asked
}

describe('what an API server says that it is', () => {
  beforeEach(() => void slept.splice(0));

  it.each([
    [200, '{"gitVersion":"v1.36.2"}', 'v1.36.2'],
    [200, '{}', null],
    [200, 'not json', null],
    [403, '{"gitVersion":"v1.36.2"}', null],
  ])('[cluster 1] its version is read from an answer %s %s as %s', async (status, text, version) => {
    expect(await readServerIdentity({ ...DEPS, cluster: answering(status, text) }, signal)).toEqual({ version, id: '05c4fbae' });
  });

  it('[issue 14.3] its id is unknown where the namespace kube-system may not be read, and stops nothing', async () => {
    const cluster = answering(200, '{"gitVersion":"v1.36.2"}', async () => {
      throw new KubeApiError({ code: 403, reason: 'Forbidden', message: 'forbidden' });
    });
    expect(await readServerIdentity({ ...DEPS, cluster }, signal)).toEqual({ version: 'v1.36.2', id: null });
    expect(slept).toEqual([]);
  });

  it('[issue 14.3] its id is asked for again where there was no answer', async () => {
    let asked = 0;
    const cluster = answering(200, '{}', (at) => (++asked < 3 ? Promise.reject(new Error('no answer')) : uidOf(at)));
    expect((await readServerIdentity({ ...DEPS, cluster }, signal)).id).toBe('05c4fbae');
    expect(slept).toEqual([500, 1000]);
    const mute = answering(200, '{}', () => Promise.reject(new Error('no answer')));
    expect((await readServerIdentity({ ...DEPS, cluster: mute }, signal)).id).toBeNull();
    expect(slept).toEqual([500, 1000, 500, 1000, 2000]);
  });
});
