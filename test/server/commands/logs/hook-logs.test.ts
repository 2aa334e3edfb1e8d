import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import { readLogs } from '@/server/commands/read-logs';
import { refusalOf } from '../objects/rig';
import type { Played } from './played-logs';
import { aPod, playLogs } from './played-logs';

describe('[issue 12.6] the logs of a hook', () => {
  const session = { user: 'ann', person: { user: 'ann' } } as unknown as Session;
  const read = async (
    of: object,
    {
      pods = [],
      answers = ['a line'],
      get,
    }: { pods?: readonly KubeObject[]; answers?: readonly Played[]; get?: () => Promise<KubeObject> },
  ) => {
    const { cluster, asked } = playLogs(...answers);
    const rights: unknown[] = [];
    const lists: unknown[] = [];
    const whole = {
      ...cluster,
      get,
      async *list(at: object, options: object) {
        lists.push({ ...at, ...options });
        yield { items: pods, resourceVersion: '1' };
      },
    };
    const deps = {
      cluster: { as: () => whole },
      auth: { authorise: async (_session: object, act: object) => void rights.push(act) },
    } as unknown as CommandDeps;
    const found = await readLogs(deps, session, { kind: 'Job', ns: 'shop', name: 'hook', ...of });
    return { found, asked, rights, lists };
  };
  const made = (name: string, hour: number, ...containers: readonly string[]): KubeObject => ({
    ...aPod(name, undefined, { creationTimestamp: `2026-01-01T0${hour}:00:00Z` }),
    spec: { initContainers: [{ name: 'init' }, {}], containers: containers.map((container) => ({ name: container })) },
  });

  it('are those of its five newest pods and ten containers at most, in their order, the last 200 lines of each', async () => {
    const { found, asked, rights, lists } = await read({}, { pods: [3, 1, 6, 2, 5, 4].map((hour) => made(`p${hour}`, hour, 'app')) });
    expect(found.map(({ pod, container }) => `${pod} ${container}`)).toEqual(
      ['p6', 'p5', 'p4', 'p3', 'p2'].flatMap((pod) => [`${pod} init`, `${pod} app`]),
    );
    expect(asked[0]).toMatchObject({
      pod: '/api/v1/namespaces/shop/pods/p6/log',
      query: { container: 'init', tailLines: '200', limitBytes: '65536' },
    });
    expect([rights, lists]).toEqual([
      [{ kind: 'view-logs', ns: 'shop' }],
      [expect.objectContaining({ namespace: 'shop', kind: 'Pod', labelSelector: 'job-name=hook', limit: 50 })],
    ]);
    expect((await read({}, { pods: [made('p', 1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')] })).found).toHaveLength(10);
  });

  it('are of five pods, whatever the containers of each, and nothing more is read of one than is told', async () => {
    const single = (name: string, hour: number) => ({ ...made(name, hour), spec: { containers: [{ name: 'app' }] } });
    const { found, asked } = await read(
      {},
      { pods: [1, 2, 3, 4, 5, 6, 7].map((hour) => single(`p${hour}`, hour)), answers: ['x'.repeat(1_000_000)] },
    );
    expect(found.map(({ pod }) => pod)).toEqual(['p7', 'p6', 'p5', 'p4', 'p3']);
    expect(asked.map(({ pieces }) => pieces < 70)).toEqual([true, true, true, true, true]);
  });

  it('are those of a pod, and none where it is gone', async () => {
    const { found } = await read({ kind: 'Pod', name: 'p' }, { get: async () => made('p', 1, 'app'), answers: ['one', 'two'] });
    expect(found).toEqual([
      { pod: 'p', container: 'init', text: 'one', why: null },
      { pod: 'p', container: 'app', text: 'two', why: null },
    ]);
    expect((await read({ kind: 'Pod' }, { get: () => Promise.reject(refusalOf(404, 'NotFound')) })).found).toEqual([]);
    await expect(read({ kind: 'Pod' }, { get: () => Promise.reject(refusalOf(403, 'Forbidden')) })).rejects.toMatchObject({
      status: { code: 403 },
    });
  });

  it('are 64 KB at most, and say why one cannot be read', async () => {
    const pods = [{ ...made('p', 1, 'app'), spec: { containers: [{ name: 'app' }] } }];
    expect((await read({}, { pods, answers: ['x'.repeat(70_000)] })).found[0]?.text).toHaveLength(65_536);
    const signs = '€'.repeat(2000);
    expect((await read({}, { pods, answers: [signs] })).found[0]?.text).toBe(signs);
    const why = async (body: string) => (await read({}, { pods, answers: [{ status: 400, body }] })).found[0];
    expect(await why('{"message":"it has not started"}')).toEqual({ pod: 'p', container: 'app', text: '', why: 'it has not started' });
    for (const body of ['', '{}', 'no JSON']) expect((await why(body))?.why).toBe('the cluster answered 400');
  });
});
