import path from 'node:path';
import { expect } from 'vitest';
import { toAddress } from '@/lib/kube/object';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { defineCommandLine } from '../support/define-command-line';
import { aDefinition } from '../support/definitions';
import { startServerProcess } from '../support/server-process';

defineCommandLine('on the embedded cluster', async () => {
  const server = await startServerProcess(['--demonstration', 'off']);
  const cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
  const operator = await signIn(server, server.address);
  const replaceBy = async (definition: Awaited<ReturnType<typeof aDefinition>>) => {
    const { metadata } = await cluster.get(toAddress(definition));
    await cluster.update({ ...definition, metadata });
  };
  return {
    origin: server.origin,
    cluster,
    namespace: 'default',
    async token() {
      const { body } = await operator.post('/api/v1/session/links', { role: 'operator' });
      return new URL((body as { url: string }).url).searchParams.get('token') ?? '';
    },
    async apply(application) {
      const { status, text } = await operator.post('/api/v1/applications', { manifest: JSON.stringify(application) });
      expect(status, text).toBe(202);
    },
    disorder: {
      make: async () => replaceBy(await aDefinition('rolloutorchestrators', (schema) => schema.remove('spec.control.gates'))),
      mend: async () => replaceBy(await aDefinition('rolloutorchestrators')),
      named: /^definitions: .*spec\.control\.gates/m,
      command: /^ {2}kubectl apply -f deploy\/crds\/rolloutorchestrators\.yaml$/m,
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});
