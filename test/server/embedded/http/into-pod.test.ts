import { describe, expect, it } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startQuiet } from '../cluster';

const POD = '/api/v1/namespaces/default/pods/web';
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket' };

async function ask(
  { cluster }: Pick<EmbeddedCluster, 'cluster'>,
  path: string,
  headers: Record<string, string> = UPGRADE,
  method = 'POST',
) {
  const { status, body } = await cluster.request({ method, path, headers });
  let text = '';
  for await (const bytes of body) text += Buffer.from(bytes).toString('utf8');
  const { message, reason } = JSON.parse(text);
  return [status, reason ?? null, message];
}

async function startWith(nodeName: string | undefined, containers = ['c']): Promise<EmbeddedCluster> {
  const embedded = await startQuiet();
  await embedded.cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'web' },
    spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: containers.map((name) => ({ name, image: 'web:1' })) },
  });
  return embedded;
}

describe('a connection into a pod of the embedded cluster', () => {
  it.each(['exec?command=sh', 'attach', 'portforward'])(
    '[issue 12.2] is answered as by an API server that cannot reach the node: %s',
    async (below) => {
      await using embedded = await startWith('node-1');
      const why = 'error dialing backend: this cluster is simulated: no container runs in it, so there is nothing to connect to';
      for (const method of ['GET', 'POST']) expect(await ask(embedded, `${POD}/${below}`, UPGRADE, method)).toEqual([500, null, why]);
    },
  );

  it('[issue 12.2] says first what is wrong with the request', async () => {
    await using embedded = await startWith('node-1', ['a', 'b']);
    expect(await ask(embedded, '/api/v1/namespaces/default/pods/gone/exec?command=sh')).toEqual([404, 'NotFound', 'pods "gone" not found']);
    const unnamed = 'a container name must be specified for pod web, choose one of: [a b]';
    expect(await ask(embedded, `${POD}/exec?command=sh`)).toEqual([400, 'BadRequest', unnamed]);
    expect(await ask(embedded, `${POD}/exec?command=sh&container=x`)).toEqual([400, 'BadRequest', 'container x is not valid for pod web']);
    expect(await ask(embedded, `${POD}/portforward`, {})).toEqual([400, 'BadRequest', 'Upgrade request required']);
    await using waiting = await startWith(undefined);
    expect(await ask(waiting, `${POD}/attach`)).toEqual([400, 'BadRequest', 'pod web does not have a host assigned']);
  });

  it('[issue 12.2] requires the right to create one, whatever the method', async () => {
    await using embedded = await startWith('node-1');
    const reader = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'looks-into-pods' } };
    await embedded.cluster.create({ ...reader, rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }] });
    await embedded.cluster.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'looks-into-pods' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'looks-into-pods' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
    });
    const bob = { cluster: embedded.cluster.as({ user: 'bob', groups: [] }) };
    const refused = [403, 'Forbidden', expect.stringContaining('User "bob" cannot create resource "pods/exec"')];
    for (const method of ['GET', 'POST']) expect(await ask(bob, `${POD}/exec?command=sh`, UPGRADE, method)).toEqual(refused);
  });
});
