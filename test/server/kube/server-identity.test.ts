import { describe, expect, it } from 'vitest';
import type { Cluster } from '@/server/kube';
import { readServerIdentity } from '@/server/kube';

const { signal } = new AbortController();
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
  it.each([
    [200, '{"gitVersion":"v1.36.2"}', 'v1.36.2'],
    [200, '{}', null],
    [200, 'not json', null],
    [403, '{"gitVersion":"v1.36.2"}', null],
  ])('[cluster 1] its version is read from an answer %s %s as %s', async (status, text, version) => {
    expect(await readServerIdentity(answering(status, text), signal)).toEqual({ version, id: '05c4fbae' });
  });

  it('[issue 14.3] its id is unknown where the namespace kube-system may not be read, and stops nothing', async () => {
    const refusing = answering(200, '{"gitVersion":"v1.36.2"}', async () => {
      throw new Error('forbidden');
    });
    expect(await readServerIdentity(refusing, signal)).toEqual({ version: 'v1.36.2', id: null });
  });
});
