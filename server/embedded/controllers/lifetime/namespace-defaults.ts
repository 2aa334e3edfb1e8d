import { deepEqual } from '@/lib/std/deep-equal';
import { isAlreadyExists } from '@/server/kube';
import type { ControllerHost } from '../../host';
import { CONFIG_MAP, NAMESPACE, SERVICE_ACCOUNT } from '../kinds';
import type { Loop, ObservedChange } from '../loop';
import { startLoop } from '../loop';
import { isTerminating } from '../pod-view';
import { isNamespaceTerminating } from '../workloads/pod-control';

const ROOT_CA = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Gives every namespace its default ServiceAccount and the certificate bundle. */
export function startNamespaceDefaults(host: ControllerHost, rootCa: string): Loop {
  const named = (name: string) => (change: ObservedChange) =>
    change.key.endsWith(`/${name}`) ? [change.key.slice(0, -name.length - 1)] : [];
  return startLoop(host, {
    name: 'namespace-defaults',
    watches: [{ type: NAMESPACE }, { type: SERVICE_ACCOUNT, keysOf: named('default') }, { type: CONFIG_MAP, keysOf: named(ROOT_CA) }],
    reconcile: async (namespace) => {
      const object = host.get(NAMESPACE, namespace);
      if (!object || isTerminating(object)) return undefined;
      try {
        await ensureBundle(host, namespace, rootCa);
        if (!host.get(SERVICE_ACCOUNT, `${namespace}/default`))
          await host.cluster.create({ ...SERVICE_ACCOUNT, metadata: { name: 'default', namespace } });
      } catch (error) {
        if (!isNamespaceTerminating(error) && !isAlreadyExists(error)) throw error;
      }
      return undefined;
    },
  });
}

async function ensureBundle(host: ControllerHost, namespace: string, rootCa: string): Promise<void> {
  const data = { 'ca.crt': rootCa };
  const bundle = host.get(CONFIG_MAP, `${namespace}/${ROOT_CA}`);
  if (!bundle) {
    const annotations = { 'kubernetes.io/description': DESCRIPTION };
    await host.cluster.create({ ...CONFIG_MAP, metadata: { name: ROOT_CA, namespace, annotations }, data });
  } else if (!deepEqual(bundle.data, data)) await host.cluster.update({ ...bundle, data });
}
