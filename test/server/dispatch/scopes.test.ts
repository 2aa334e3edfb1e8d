import { describe, expect, it } from 'vitest';
import { readList } from '@/lib/kube/fields';
import { AppManifestsDispatcher } from '@/server/dispatch';
import { moveGroup } from '../../support/dispatch-moved';
import { FakeApiServer } from '../../support/dispatch-server';

const SCOPE = { apiVersion: 'core.oam.dev/v1alpha2', kind: 'HealthScope', name: 'vital' };
const WORKLOAD = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' };
const dispatcher = (server: FakeApiServer) =>
  new AppManifestsDispatcher(server, { name: 'cart-v1', namespace: 'shop' }, { scopes: 'maintain' });

function withScope(): FakeApiServer {
  const server = new FakeApiServer();
  server.seed({
    apiVersion: SCOPE.apiVersion,
    kind: SCOPE.kind,
    metadata: { name: 'vital', namespace: 'shop' },
    spec: { workloadRefs: [WORKLOAD] },
  });
  return server;
}

function withDefinition(server: FakeApiServer): FakeApiServer {
  const metadata = { name: 'healthscopes.core.oam.dev', namespace: 'shop' };
  server.seed({ apiVersion: 'core.oam.dev/v1beta1', kind: 'ScopeDefinition', metadata, spec: { workloadRefsPath: 'spec.workloadRefs' } });
  return server;
}

describe('the scopes of a workload', () => {
  it.each([
    ['a scope that is not there', new FakeApiServer(), 'cannot read scope "core.oam.dev/v1alpha2" "HealthScope" "vital": '],
    ['a definition that is not there', withScope(), 'cannot find scope definition "core.oam.dev/v1alpha2" "HealthScope" "vital": '],
  ])('[dispatch S1] a reference names %s', async (_title, server, sentence) => {
    await expect(dispatcher(server).referenceScopes(WORKLOAD, [SCOPE])).rejects.toThrow(sentence);
  });

  it('[dispatch S2] a scope that cannot be written is named', async () => {
    const server = withDefinition(withScope());
    server.addFaults([{ verb: 'update', kind: 'HealthScope', code: 409, times: 1 }]);
    await expect(dispatcher(server).dereferenceScopes(WORKLOAD, [SCOPE])).rejects.toThrow(
      'cannot apply scope "core.oam.dev/v1alpha2" "HealthScope" "vital": ',
    );
  });

  it('[record 0032] a scope whose kind is served at another version by now is referenced, and let go of, there', async () => {
    const server = withDefinition(withScope());
    moveGroup(server, 'core.oam.dev', 'v1');
    const refs = () => readList(server.peek({ ...SCOPE, namespace: 'shop' }), 'spec', 'workloadRefs');
    const other = { ...WORKLOAD, name: 'till' };
    await dispatcher(server).referenceScopes(other, [SCOPE]);
    expect(refs()).toEqual([WORKLOAD, other]);
    await dispatcher(server).dereferenceScopes(WORKLOAD, [SCOPE]);
    expect(refs()).toEqual([other]);
  });

  it('[dispatch S2] a scope of a kind that is served no more is as good as gone, so that deletion goes on', async () => {
    const server = new FakeApiServer();
    moveGroup(server, 'core.oam.dev', undefined);
    await expect(dispatcher(server).dereferenceScopes(WORKLOAD, [SCOPE])).resolves.toBeUndefined();
  });
});
