import { describe, expect, it } from 'vitest';
import type { Cluster } from '@/server/kube';
import { readServerVersion } from '@/server/kube';

const { signal } = new AbortController();

function answering(status: number, text: string): Cluster {
  const body = (async function* () {
    yield new TextEncoder().encode(text);
  })();
  const port: Pick<Cluster, 'request'> = { request: async () => ({ status, headers: {}, body }) };
  return port as Cluster; // nothing else of the port is asked
}

describe('the version of an API server', () => {
  it.each([
    [200, '{"gitVersion":"v1.36.2"}', 'v1.36.2'],
    [200, '{}', null],
    [200, 'not json', null],
    [403, '{"gitVersion":"v1.36.2"}', null],
  ])('[cluster 1] is read from an answer %s %s as %s', async (status, text, version) => {
    expect(await readServerVersion(answering(status, text), signal)).toBe(version);
  });
});
