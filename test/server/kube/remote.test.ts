import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNestedDeeper } from '@/lib/kube/depth';
import type { KubeApiError, ServerSource } from '@/server/kube';
import { createRemoteCluster, isConflict, isExpired, isTransportFailure, withCaller } from '@/server/kube';
import { createRandom, VERSION } from '@/server/platform';
import { createFastClock } from '@/test/support/fast-clock';
import { silentLog } from '../../support/silent-log';
import { AT, CONFIG_MAPS, isRead, startRig } from './rig';
import type { Received } from './stand-in';
import { acts, give, isList, isWatch, kubeconfigOf } from './stand-in';

const OBJECT = { ...CONFIG_MAPS, metadata: { namespace: 'default', name: 'a' } };
const isWrite = ({ method }: Received) => method !== 'GET';

async function allItems<Item>(pages: AsyncIterable<{ readonly items: readonly Item[] }>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page.items);
  return items;
}

describe('requests', () => {
  it('[cluster C4] reads are repeated after resets and 5xx, with the wait that Retry-After asks for', async () => {
    await using rig = await startRig(100);
    rig.standIn.fault(isRead, acts.reset);
    rig.standIn.fault(isRead, acts.status(503, 'ServiceUnavailable'));
    rig.standIn.fault(isRead, acts.status(429, 'TooManyRequests', { 'retry-after': '3' }));
    rig.standIn.fault(isRead, give(OBJECT));
    const startedAt = rig.clock.now();
    expect(await rig.cluster.get(AT)).toEqual(OBJECT);
    expect(rig.clock.now() - startedAt).toBeGreaterThanOrEqual(3_000);
    expect(rig.standIn.received.filter(isRead)).toHaveLength(4);
  });

  it('[cluster C4] a write is sent once, whatever comes of it', async () => {
    await using rig = await startRig(100);
    rig.standIn.fault(isWrite, acts.status(503, 'ServiceUnavailable', { 'retry-after': '1' }));
    rig.standIn.fault(isWrite, acts.reset);
    rig.standIn.fault(isWrite, acts.status(429, 'TooManyRequests', { 'retry-after': '7' }));
    rig.standIn.fault(isWrite, acts.status(500, 'InternalError'));
    await expect(rig.cluster.create(OBJECT)).rejects.toMatchObject({ status: { code: 503, details: { retryAfterSeconds: 1 } } });
    expect(isTransportFailure(await rig.cluster.update(OBJECT).catch((error: unknown) => error))).toBe(true);
    await expect(rig.cluster.patch(AT, { type: 'merge', body: {} })).rejects.toMatchObject({ status: { reason: 'TooManyRequests' } });
    await expect(rig.cluster.delete(AT)).rejects.toMatchObject({ status: { reason: 'InternalError' } });
    expect(rig.standIn.received.filter(isWrite)).toHaveLength(4);
  });

  it('[issue 10] what is written and not stored, as a review and a dry run, is repeated like a read', async () => {
    await using rig = await startRig(100);
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec: { user: 'ann' } };
    const ask = [
      () => rig.cluster.create(review),
      () => rig.cluster.create(OBJECT, { dryRun: true }),
      () => rig.cluster.update(OBJECT, { dryRun: true }),
      () => rig.cluster.patch(AT, { type: 'merge', body: {} }, { dryRun: true }),
    ];
    for (const one of ask) {
      rig.standIn.fault(isWrite, acts.reset);
      rig.standIn.fault(isWrite, acts.status(503, 'ServiceUnavailable'));
      rig.standIn.fault(isWrite, give(OBJECT));
      expect(await one()).toEqual(OBJECT);
    }
    expect(rig.standIn.received.filter(isWrite)).toHaveLength(3 * ask.length);
  });

  it('[issue 13] every request names this program, its version and the part of it that asks; the console where none is named', async () => {
    await using rig = await startRig(100);
    rig.standIn.fault(isWrite, give(OBJECT), 3);
    const rollout = withCaller(rig.cluster, 'rollout');
    await rollout.update(OBJECT);
    await rollout.as({ user: 'ann', groups: [] }).patch(AT, { type: 'merge', body: {} });
    await rig.cluster.create(OBJECT);
    const agents = rig.standIn.received.filter(isWrite).map(({ headers }) => headers['user-agent']);
    expect(agents).toEqual([`slipway/${VERSION} (rollout)`, `slipway/${VERSION} (rollout)`, `slipway/${VERSION} (console)`]);
  });

  it('[cluster C3] an answer that is no success carries the whole Status; what is none is a failure of transport', async () => {
    await using rig = await startRig(100);
    const causes = [{ reason: 'FieldValueInvalid', message: 'no', field: 'spec.x' }];
    rig.standIn.fault(isWrite, (_received, response) => {
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          kind: 'Status',
          code: 409,
          reason: 'Conflict',
          message: 'changed',
          details: { name: 'a', kind: 'configmaps', causes },
        }),
      );
    });
    const conflict = (await rig.cluster.update(OBJECT).catch((error: unknown) => error)) as KubeApiError;
    expect(isConflict(new Error('wrapped', { cause: conflict }))).toBe(true);
    expect(conflict.status).toEqual({
      code: 409,
      reason: 'Conflict',
      message: 'changed',
      details: { name: 'a', kind: 'configmaps', causes },
    });
    rig.standIn.fault(isRead, acts.page);
    const page = await rig.cluster.get(AT).catch((error: unknown) => error);
    expect([isTransportFailure(page), String(page)]).toEqual([
      true,
      'KubeTransportError: the answer to get ConfigMap a in default is not valid JSON',
    ]);
    await rig.standIn.stop();
    expect(isTransportFailure(await rig.cluster.create(OBJECT).catch((error: unknown) => error))).toBe(true);
  });

  it('[cluster C1] patches go with their media type, options in the query, warnings to the caller', async () => {
    await using rig = await startRig();
    rig.standIn.fault(isWrite, give(OBJECT, { warning: ['299 - "first \\"one\\""', '299 - "second"'] }), 9);
    const warnings: string[] = [];
    const options = {
      fieldManager: 'us',
      fieldValidation: 'Strict',
      dryRun: true,
      onWarning: (text: string) => warnings.push(text),
    } as const;
    await rig.cluster.patch(AT, { type: 'apply', body: OBJECT }, { ...options, force: true, subresource: 'status' });
    for (const type of ['json', 'merge', 'strategic'] as const) await rig.cluster.patch(AT, { type, body: [] });
    await rig.cluster.delete(AT, { preconditions: { uid: 'u', resourceVersion: '5' }, propagationPolicy: 'Orphan' });
    const [apply, ...others] = rig.standIn.received.filter(isWrite);
    expect(`${apply?.path}?${apply?.query}`).toBe(
      '/api/v1/namespaces/default/configmaps/a/status?fieldManager=us&fieldValidation=Strict&dryRun=All&force=true',
    );
    expect(warnings).toEqual(['first "one"', 'second']);
    expect([apply, ...others.slice(0, 3)].map((received) => received?.headers['content-type'])).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
    expect(JSON.parse(others[3]?.body ?? '')).toMatchObject({
      preconditions: { uid: 'u', resourceVersion: '5' },
      propagationPolicy: 'Orphan',
    });
  });

  it('[cluster C1] an address without a name or namespace is refused before it could mean a whole collection', async () => {
    await using rig = await startRig();
    for (const at of [
      { ...AT, name: '' },
      { ...AT, name: '..' },
      { ...AT, namespace: '' },
    ])
      await expect(rig.cluster.delete(at)).rejects.toMatchObject({ code: 'invalid' });
    expect(rig.standIn.received.filter(isWrite)).toEqual([]);
  });

  it('[cluster C1] a list is read page by page, gunzipped, its items typed; a failing page fails the list', async () => {
    await using rig = await startRig(100);
    for (let at = 0; at < 5; at++) rig.standIn.put(`m${at}`);
    const pages: number[] = [];
    for await (const page of rig.cluster.list(CONFIG_MAPS, { limit: 2 })) pages.push(page.items.length);
    expect(pages).toEqual([2, 2, 1]);
    expect((await allItems(rig.cluster.list(CONFIG_MAPS)))[0]).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm0' },
    });
    expect(rig.standIn.received.filter(isList)[0]?.headers['accept-encoding']).toBe('gzip');
    rig.standIn.fault((received) => isList(received) && received.query.get('continue') === '4', acts.status(410, 'Expired'));
    expect(isExpired(await allItems(rig.cluster.list(CONFIG_MAPS, { limit: 2 })).catch((error: unknown) => error))).toBe(true);
  });

  it('[cluster I2] a list above a megabyte is parsed off the main thread, whole and in order', async () => {
    await using rig = await startRig();
    for (let at = 0; at < 600; at++) rig.standIn.put(`m${at}`, { text: 'x'.repeat(20_000) });
    const items = await allItems(rig.cluster.list(CONFIG_MAPS, { limit: 1000, omitManagedFields: true }));
    expect(items).toHaveLength(600);
    expect(items.map((item) => item.metadata.name)).toEqual(Array.from({ length: 600 }, (_none, at) => `m${at}`));
    expect(items.every((item) => item.metadata.managedFields === undefined)).toBe(true);
    await allItems(rig.cluster.list(CONFIG_MAPS, { limit: 10 }));
    expect(await rig.metrics.getSingleMetricAsString('slipway_kube_lists_parsed_off_thread_total')).toMatch(/total 1$/);
  });

  it('[issue 10.4] what somebody nested without end comes by get, list and watch, cut where nobody reads on, and everything beside it whole', async () => {
    const nested = `${'['.repeat(9900)}${']'.repeat(9900)}`;
    const deep = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"deep","resourceVersion":"7"},"data":${nested}}`;
    for (const beside of [10, 2_000_000]) {
      await using rig = await startRig();
      const other = `{"metadata":{"name":"a"},"data":{"text":"${'x'.repeat(beside)}"}}`;
      rig.standIn.fault(isList, acts.body(`{"kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":[${deep},${other}]}`));
      const [cut, whole] = await allItems(rig.cluster.list(CONFIG_MAPS));
      expect([isNestedDeeper(cut, 601), isNestedDeeper(cut, 590), whole?.data]).toEqual([false, true, { text: 'x'.repeat(beside) }]);
      rig.standIn.fault(isRead, acts.body(deep));
      const read = await rig.cluster.get(AT);
      expect(isNestedDeeper(read, 601)).toBe(false);
      await expect(rig.cluster.update({ ...read, ...CONFIG_MAPS })).rejects.toThrow('nested deeper than 600 levels');
      rig.standIn.fault(isWatch, acts.body(`{"type":"ADDED","object":${deep}}\n`));
      const told: string[] = [];
      for await (const { type, object } of rig.cluster.watch(CONFIG_MAPS, { resourceVersion: '6' }))
        told.push(`${type} ${object.metadata.name}`);
      expect(told).toEqual(['ADDED deep']);
    }
  });

  it('[cluster C1] an aborted watch ends without a word, an aborted read throws the reason', async () => {
    await using rig = await startRig();
    const abort = new AbortController();
    const events: string[] = [];
    rig.standIn.put('a');
    for await (const event of rig.cluster.watch(CONFIG_MAPS, { resourceVersion: '100', signal: abort.signal })) {
      events.push(event.type);
      abort.abort(new Error('enough'));
    }
    expect(events).toEqual(['ADDED']);
    rig.standIn.fault(isWatch, acts.hang);
    for await (const event of rig.cluster.watch(CONFIG_MAPS, { signal: AbortSignal.timeout(20) })) events.push(event.type);
    rig.standIn.fault(isRead, acts.hang);
    await expect(rig.cluster.get(AT, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
    expect(events).toHaveLength(1);
  });
});

describe('identity', () => {
  const headersOf = (received: Received | undefined) =>
    (received?.rawHeaders ?? []).flatMap((name, at, all) =>
      at % 2 === 0 && /^(impersonate|authorization)/i.test(name)
        ? [`${name.toLowerCase()}: ${Buffer.from(all[at + 1] ?? '', 'latin1').toString('utf8')}`]
        : [],
    );

  it('[cluster C2] impersonation sends user, every group, uid and extra; a token stands for itself', async () => {
    await using rig = await startRig();
    rig.standIn.fault(isRead, give(OBJECT), 9);
    await rig.cluster.get(AT);
    await rig.cluster.as({ user: 'zoé', groups: ['a', 'b'], uid: 'u-1', extra: { 'Example.com/Team': ['x', 'y'] } }).get(AT);
    await rig.cluster.as({ user: 'ann', groups: ['system:masters'], token: 'anns-token' }).get(AT);
    expect(rig.standIn.received.filter(isRead).map(headersOf)).toEqual([
      ['authorization: Bearer our-token'],
      [
        'authorization: Bearer our-token',
        'impersonate-user: zoé',
        'impersonate-group: a',
        'impersonate-group: b',
        'impersonate-uid: u-1',
        'impersonate-extra-example.com%2fteam: x',
        'impersonate-extra-example.com%2fteam: y',
      ],
      ['authorization: Bearer anns-token'],
    ]);
  });

  it('[cluster C2, issue 10.1] no one may act as nobody, as a part of the cluster or in a group of it, nor slip an identity in by a header', async () => {
    await using rig = await startRig();
    for (const person of [
      { user: '', groups: [] },
      { user: ' ', groups: ['a'] },
      { user: 'a', groups: [''] },
      { user: 'system:admin', groups: [] },
      { user: 'system:kube-scheduler', groups: [] },
      { user: 'a', groups: ['b', 'system:masters'] },
      { user: 'system:serviceaccount:shop:robot', groups: ['system:serviceaccounts'] },
      { user: 'a', groups: [], token: '' },
      // White space around a name does not arrive.
      { user: 'ann ', groups: [] },
      { user: ' system:admin', groups: [] },
      { user: '\u00a0ann', groups: [] },
      { user: 'a', groups: ['b', ' system:masters'] },
      { user: 'a', groups: ['admins\t'] },
    ]) {
      expect(() => rig.cluster.as(person), JSON.stringify(person)).toThrow();
    }
    expect(() => rig.cluster.as({ user: 'ann lee', groups: ['of two words'] })).not.toThrow();
    expect(() => rig.cluster.as({ user: 'system:serviceaccount:shop:robot', groups: [] })).not.toThrow();
    await expect(rig.cluster.as({ user: 'a\nImpersonate-Group: system:masters', groups: [] }).get(AT)).rejects.toMatchObject({
      code: 'invalid',
    });
    await rig.cluster
      .as({ user: 'ann', groups: [] })
      .request({ path: '/readyz', headers: { Authorization: 'Bearer mine', 'impersonate-user': 'admin' } });
    expect(headersOf(rig.standIn.received.find(({ path }) => path === '/readyz'))).toEqual([
      'authorization: Bearer our-token',
      'impersonate-user: ann',
    ]);
  });

  it('[cluster C4] one class of callers does not wait for the other, and callers take turns', async () => {
    await using rig = await startRig(1);
    rig.standIn.fault(isRead, give(OBJECT), 99);
    const rates = { engine: { qps: 1, burst: 1 }, person: { qps: 50, burst: 2 } };
    await using cluster = createRemoteCluster({
      source: { kind: 'kubeconfig', path: rig.standIn.kubeconfig },
      clock: rig.clock,
      random: createRandom(1),
      log: silentLog,
      rates,
    });
    const order: string[] = [];
    const ask = (user: string) =>
      cluster
        .as({ user, groups: [] })
        .get(AT)
        .then(() => order.push(user));
    await cluster.discovery.resolve(CONFIG_MAPS).catch(() => undefined); // spends the engine's burst on discovery
    await Promise.all([...Array.from({ length: 6 }, () => ask('greedy')), ask('modest')]);
    expect(order).toHaveLength(7);
    expect(order.indexOf('modest')).toBeLessThan(5);
  });
});

describe('credentials', () => {
  async function openWith(source: (folder: string) => Promise<ServerSource>) {
    const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
    const cluster = createRemoteCluster({
      source: await source(folder),
      clock: createFastClock(10_000),
      random: createRandom(1),
      log: silentLog,
    });
    const close = async () => {
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    };
    return { cluster, folder, [Symbol.asyncDispose]: close };
  }
  const authorization = (received: Received | undefined) => received?.headers.authorization;

  it('[cluster C4] an exec plugin is asked once, and again when its token is refused', async () => {
    await using rig = await startRig();
    await using opened = await openWith(async (folder) => {
      const script = `date +%s%N > ${folder}/asked; printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"token-%s"}}' "$(wc -l < ${folder}/count)"`;
      await writeFile(join(folder, 'count'), 'x\n');
      const user = `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: sh, args: ["-c", ${JSON.stringify(script)}], interactiveMode: Never } }`;
      await writeFile(join(folder, 'config'), kubeconfigOf(rig.standIn.url, user));
      return { kind: 'kubeconfig', path: join(folder, 'config') };
    });
    rig.standIn.fault(isRead, give(OBJECT), 2);
    await opened.cluster.get(AT);
    await writeFile(join(opened.folder, 'count'), 'x\nx\n');
    await opened.cluster.get(AT);
    rig.standIn.fault(isRead, acts.status(401, 'Unauthorized'));
    rig.standIn.fault(isRead, give(OBJECT));
    await opened.cluster.get(AT);
    expect(rig.standIn.received.filter(isRead).map(authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('[cluster C4] a kubeconfig that is missing, broken or lacks the context is named in the error', async () => {
    await using rig = await startRig();
    const missing = createRemoteCluster({
      source: { kind: 'kubeconfig', path: '/nowhere/config' },
      clock: rig.clock,
      random: createRandom(1),
      log: silentLog,
    });
    await expect(missing.create(OBJECT)).rejects.toThrow('/nowhere/config');
    const source = { kind: 'kubeconfig', path: rig.standIn.kubeconfig, context: 'prod' } as const;
    const lacking = createRemoteCluster({ source, clock: rig.clock, random: createRandom(1), log: silentLog });
    await expect(lacking.request({ path: '/readyz' })).rejects.toThrow('has no context "prod", only main');
  });

  it('[cluster C4] a kubeconfig that acts for another sends all it names', async () => {
    await using rig = await startRig();
    await using opened = await openWith(async (folder) => {
      await writeFile(join(folder, 'config'), kubeconfigOf(rig.standIn.url, '{ token: t, as: boss, as-groups: [g, h], as-uid: u }'));
      return { kind: 'kubeconfig', path: join(folder, 'config') };
    });
    rig.standIn.fault(isRead, give(OBJECT));
    await opened.cluster.get(AT);
    expect(rig.standIn.received.find(isRead)?.headers).toMatchObject({
      'impersonate-user': 'boss',
      'impersonate-group': 'g, h',
      'impersonate-uid': 'u',
    });
  });
});
