import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifests } from '@/server/installation';
import type { WatchEvent } from '@/server/kube';
import { getApiStatus, isForbidden, isNoMatch } from '@/server/kube';
import { openCluster } from '@/test/support/census';
import { at, CONFIG_MAP, configMap, startQuiet } from '../cluster';

describe('the in-process port', () => {
  it('[cluster C6] what it hands out cannot change what is stored, nor what a caller keeps', async () => {
    await using embedded = await startQuiet();
    const mine = configMap('a', { x: '1' });
    const created = await embedded.cluster.create(mine);
    expect(() => Object.assign(created.data as object, { x: '2' })).toThrow();
    Object.assign(mine.data as object, { x: '3' });
    expect((await embedded.cluster.get(at('a'))).data).toEqual({ x: '1' });
  });

  it('[cluster C5] a kind that is not served is told apart from an object that is not there', async () => {
    await using embedded = await startQuiet();
    await expect(embedded.cluster.get({ apiVersion: 'nowhere.io/v1', kind: 'Thing', name: 'a' })).rejects.toSatisfy(isNoMatch);
  });

  it('[cluster A2] who may do nothing with a namespace is told that it lies in itself, as Kubernetes says it, and who lists them that it lies nowhere', async () => {
    await using embedded = await startQuiet();
    const ann = embedded.cluster.as({ user: 'ann', groups: [] });
    const books = { apiVersion: 'v1', kind: 'Namespace', name: 'books' };
    const body = { ...books, metadata: { name: 'books' } };
    const refused = (verb: string, where: string) =>
      `is forbidden: User "ann" cannot ${verb} resource "namespaces" in API group "" ${where}`;
    await expect(ann.patch(books, { type: 'apply', body }, { fieldManager: 'helm' })).rejects.toThrow(
      `namespaces "books" ${refused('patch', 'in the namespace "books"')}`,
    );
    await expect(ann.get(books)).rejects.toThrow(`namespaces "books" ${refused('get', 'in the namespace "books"')}`);
    await expect(ann.create(body)).rejects.toThrow(`namespaces ${refused('create', 'at the cluster scope')}`);
    const listed = ann.list({ apiVersion: 'v1', kind: 'Namespace' }, { fieldSelector: 'metadata.name=books' });
    await expect(listed[Symbol.asyncIterator]().next()).rejects.toThrow(refused('list', 'at the cluster scope'));
  });

  it('[cluster T1] two runs with one seed are identical', async () => {
    const run = async () => {
      await using embedded = await startQuiet({ controllers: true, nodes: 2 });
      const { cluster, clock } = embedded;
      const labels = { app: 'web' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
      const spec = { replicas: 3, selector: { matchLabels: labels }, template };
      await cluster.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'web' }, spec });
      await clock.advance(60_000);
      const seen: unknown[] = [];
      for await (const page of cluster.list({ apiVersion: 'v1', kind: 'Pod' })) seen.push(...page.items);
      for await (const page of cluster.list({ apiVersion: 'v1', kind: 'Event' })) seen.push(...page.items);
      return JSON.stringify(seen);
    };
    const first = await run();
    expect(JSON.parse(first)).not.toEqual([]);
    expect(await run()).toBe(first);
  });

  it('[cluster T1] an event that nobody has read yet holds the clock', async () => {
    await using embedded = await startQuiet();
    const { cluster, clock } = embedded;
    const events = cluster.watch({ ...CONFIG_MAP, namespace: 'default' })[Symbol.asyncIterator]();
    await cluster.create(configMap('a'));
    await cluster.create(configMap('b'));
    expect((await events.next()).value?.object.metadata.name).toBe('a');
    let isSettled = false;
    const settled = clock.settle().then(() => {
      isSettled = true;
    });
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    expect((await events.next()).value?.object.metadata.name).toBe('b');
    await settled;
    await events.return?.();
  });

  it('[cluster R4] a watcher that does not read is ended, not buffered for without bound', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    const events = cluster.watch({ ...CONFIG_MAP, namespace: 'default' })[Symbol.asyncIterator]();
    await cluster.create(configMap('first'));
    await events.next();
    for (let count = 0; count < 10_001; count++)
      await cluster.patch(at('first'), { type: 'merge', body: { data: { count: String(count) } } });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('[cluster R4] bookmarks come each minute when asked for', async () => {
    await using embedded = await startQuiet();
    const events = embedded.cluster.watch({ ...CONFIG_MAP, namespace: 'default' }, { allowWatchBookmarks: true })[Symbol.asyncIterator]();
    const next = events.next() as Promise<IteratorResult<WatchEvent>>;
    await embedded.clock.advance(60_000);
    expect((await next).value).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap' } });
    await events.return?.();
  });

  it('[cluster T4] events are gone an hour after they last changed', async () => {
    await using embedded = await startQuiet();
    const { cluster, clock } = embedded;
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    const event = { apiVersion: 'v1', kind: 'Event', namespace: 'default', name: 'e' };
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: 'e' },
      involvedObject,
      reason: 'Seen',
    });
    await clock.advance(30 * 60_000);
    await cluster.patch(event, { type: 'merge', body: { count: 2 } });
    await clock.advance(59 * 60_000);
    expect((await cluster.get(event)).count).toBe(2);
    await clock.advance(60_000);
    await expect(cluster.get(event)).rejects.toThrow('not found');
  });

  it('[cluster T4] an object that etcd would not take is refused with its words', async () => {
    await using embedded = await startQuiet();
    const rules = [{ apiGroups: [''], resources: ['x'.repeat(1_600_000)], verbs: ['get'] }];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { namespace: 'default', name: 'large' }, rules };
    await expect(embedded.cluster.create(role)).rejects.toThrow('etcdserver: request is too large');
  });

  it('[cluster T4] a ConfigMap or Secret holds 1 MiB, counted as it is decoded', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    const MOST = 1024 * 1024;
    await expect(cluster.create(configMap('large', { x: 'x'.repeat(MOST + 1) }))).rejects.toThrow(
      'ConfigMap "large" is invalid: []: Too long: may not be more than 1048576 bytes',
    );
    await cluster.create(configMap('whole', { x: 'x'.repeat(MOST) }));
    const secret = (name: string, bytes: number) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name },
      data: { x: Buffer.alloc(bytes, 'x').toString('base64') },
    });
    await expect(cluster.create(secret('large', MOST + 1))).rejects.toThrow(
      'Secret "large" is invalid: data: Too long: may not be more than 1048576 bytes',
    );
    await cluster.create(secret('whole', MOST));
  });

  it('[cluster T3] a write is one version, and nothing else is written with it', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    const versionOf = async () => Number((await cluster.get(at('first'))).metadata.resourceVersion);
    await cluster.create(configMap('first'));
    const before = await versionOf();
    for (let count = 0; count < 200; count++) await cluster.patch(at('first'), { type: 'merge', body: { data: { count: String(count) } } });
    expect((await versionOf()) - before).toBe(200);
  });
});

describe('decisions', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'stagedecisions.slipway.dev' },
    spec: {
      group: 'slipway.dev',
      scope: 'Namespaced',
      names: { kind: 'StageDecision', plural: 'stagedecisions' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
          },
        },
      ],
    },
  };
  const decision = (user: string, { verb = 'approve', groups = [] as readonly string[] } = {}) => ({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'StageDecision',
    metadata: { namespace: 'default', generateName: 'web-' },
    spec: { verb, rolloutRef: { name: 'web' }, actor: { user, groups } },
  });

  it('[design 13 A] names whoever makes it, unless the server makes it for them', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    await cluster.create(definition);
    const rules = [
      { apiGroups: ['slipway.dev'], resources: ['stagedecisions'], verbs: ['create'] },
      { apiGroups: ['serving.knative.dev'], resources: ['rolloutorchestrators'], verbs: ['approve'] },
    ];
    const rbac = 'rbac.authorization.k8s.io';
    await cluster.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'decide' }, rules });
    await cluster.create({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'decide' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'decide' },
      subjects: ['ann', 'server'].map((name) => ({ apiGroup: rbac, kind: 'User', name })),
    });
    const ann = cluster.as({ user: 'ann', groups: [] });
    expect((await ann.create(decision('ann'))).kind).toBe('StageDecision');
    await expect(ann.create(decision('bob'))).rejects.toSatisfy(isForbidden);
    await expect(ann.create(decision('bob'))).rejects.toThrow('spec.actor.user must be ann, who makes the decision, found bob');
    await expect(ann.create(decision('ann', { groups: ['slipway:approvers'] }))).rejects.toThrow(
      'spec.actor.groups must only be groups of whoever makes the decision, found slipway:approvers',
    );
    await expect(ann.create(decision('ann', { verb: 'abort' }))).rejects.toThrow('ann does not have the right to abort here');
    const server = cluster.as({ user: 'server', groups: ['slipway:servers'] });
    expect((await server.create(decision('bob'))).kind).toBe('StageDecision');
    expect((await cluster.create(decision('bob'))).kind).toBe('StageDecision');
    // Who may do anything is bound as well, as on any other cluster: by the group, and by the kubeconfig.
    const root = cluster.as({ user: 'root', groups: ['system:masters'] });
    expect((await root.create(decision('root'))).kind).toBe('StageDecision');
    await expect(root.create(decision('bob'))).rejects.toThrow('spec.actor.user must be root, who makes the decision, found bob');
    const dir = await mkdtemp(path.join(tmpdir(), 'decisions-'));
    await writeFile(path.join(dir, 'kubeconfig'), (await embedded.serve()).kubeconfig);
    await using admin = openCluster(path.join(dir, 'kubeconfig'));
    expect((await admin.create(decision('admin'))).kind).toBe('StageDecision');
    await expect(admin.create(decision('bob'))).rejects.toThrow('spec.actor.user must be admin, who makes the decision, found bob');
    await rm(dir, { recursive: true });
  });

  it('[issue 12.1] about a release want the verb on its resource, and are answered and taken away by engines only', async () => {
    await using embedded = await startQuiet();
    const { cluster } = embedded;
    for (const one of await readManifests('deploy/crds'))
      if (one.metadata.name === 'releasedecisions.slipway.dev') await cluster.create(one);
    const rules = [
      { apiGroups: ['slipway.dev'], resources: ['releasedecisions'], verbs: ['create', 'delete'] },
      { apiGroups: ['slipway.dev'], resources: ['releasedecisions/status'], verbs: ['update'] },
      { apiGroups: ['helm.fluxcd.io'], resources: ['helmreleases'], verbs: ['hold', 'sync'] },
    ];
    const rbac = 'rbac.authorization.k8s.io';
    await cluster.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'decide' }, rules });
    const subjects = [{ apiGroup: rbac, kind: 'User', name: 'ann' }];
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'decide' };
    await cluster.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'decide' }, roleRef, subjects });
    const about = (verb: string, { user = 'ann', kind = 'HelmRelease', of = {} } = {}) => ({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'ReleaseDecision',
      metadata: { namespace: 'default', name: `web-${verb}` },
      spec: { verb, reason: 'r', releaseRef: { kind, ...of, name: 'web', uid: 'u' }, actor: { user } },
    });
    const ann = cluster.as({ user: 'ann', groups: [] });
    await expect(ann.create(about('hold', { user: 'bob' }))).rejects.toThrow(
      'spec.actor.user must be ann, who makes the decision, found bob',
    );
    await expect(ann.create(about('hold', { kind: 'FluxHelmRelease' }))).rejects.toThrow('ann does not have the right to hold here');
    await expect(ann.create(about('lift'))).rejects.toThrow('ann does not have the right to lift here');
    // The right to those of helm.fluxcd.io is none to those of flux.weave.works, and no other group is taken.
    await expect(ann.create(about('hold', { of: { group: 'flux.weave.works' } }))).rejects.toThrow(
      'ann does not have the right to hold here',
    );
    await expect(ann.create(about('hold', { of: { group: 'helm.fluxcd.io' } }))).rejects.toThrow('spec.releaseRef.group');
    await expect(
      cluster.create(about('hold', { user: 'root', kind: 'FluxHelmRelease', of: { group: 'flux.weave.works' } })),
    ).rejects.toThrow('only a HelmRelease is named with its group');
    const made = await ann.create(about('hold'));
    const kept =
      'ann may not answer or delete ReleaseDecisions, which engines do: it requires the right to create resourcetrackers.core.oam.dev';
    await expect(ann.update({ ...made, status: { phase: 'Accepted' } }, { subresource: 'status' })).rejects.toThrow(kept);
    const at = { apiVersion: 'slipway.dev/v1alpha1', kind: 'ReleaseDecision', namespace: 'default', name: 'web-hold' };
    await expect(ann.delete(at)).rejects.toThrow(kept);
    await cluster.update({ ...made, status: { phase: 'Accepted' } }, { subresource: 'status' });
    await cluster.delete(at);
  });
});

describe('the schemas', () => {
  it('[design 13 D] are those of the control plane that the contract was recorded on', async () => {
    await using embedded = await startQuiet();
    const { body } = await embedded.cluster.request({ path: '/version' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const modules = readFileSync('test/cluster/go.mod', 'utf8');
    const minor = /k8s\.io\/kubernetes v1\.(\d+)\./.exec(modules)?.[1];
    expect(JSON.parse(Buffer.concat(chunks).toString('utf8'))).toMatchObject({ major: '1', minor });
  });

  it('[cluster C3] failures carry the Status of the server', async () => {
    await using embedded = await startQuiet();
    const failure = await embedded.cluster.get(at('nobody')).catch((error: unknown) => getApiStatus(error));
    expect(failure).toEqual({
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "nobody" not found',
      details: { name: 'nobody', kind: 'configmaps' },
    });
  });
});
