import { readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toIso, toKubeTime } from '@/lib/std/instant';
import { LEASE, NODE } from '../controllers/kinds';
import type { Loop } from '../controllers/loop';
import { startLoop } from '../controllers/loop';
import { updateStatus } from '../controllers/writes';
import type { ControllerHost } from '../host';

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
const CAPACITY = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '512Gi' };
const PRESSURES = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** Makes the nodes that are missing at start, keeps every simulated one ready and its lease renewed. */
export function startNodes(host: ControllerHost, count: number): Loop {
  const wanted = new Set(Array.from({ length: count }, (_, at) => `node-${at + 1}`));
  const loop = startLoop(host, {
    name: 'node',
    watches: [{ type: NODE }],
    reconcile: async (key) => {
      const node = host.get(NODE, key);
      if (wanted.delete(key) && !node) await createNode(host, key);
      if (!node || !isSimulated(node)) return undefined;
      if (readFields(node, 'status').conditions === undefined) await updateStatus(host, node, toStatus(host, node));
      await renewLease(host, node);
      return RENEW_MS;
    },
  });
  for (const name of wanted) loop.add(name);
  return loop;
}

// A node that somebody made for something else, with a provider of its own, is left to them.
function isSimulated(node: KubeObject): boolean {
  return readFields(node, 'spec').providerID === undefined;
}

async function createNode(host: ControllerHost, name: string): Promise<void> {
  const os = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  const labels = { ...os, 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name };
  await host.cluster.create({ ...NODE, metadata: { name, labels }, spec: {} });
}

function toStatus(host: ControllerHost, node: KubeObject) {
  const name = node.metadata.name ?? '';
  const time = toKubeTime(host.clock.now());
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  return {
    ...readFields(node, 'status'),
    capacity: CAPACITY,
    allocatable: CAPACITY,
    conditions: [
      ...PRESSURES.map(([type, reason, message]) => ({ type, status: 'False', ...times, reason, message })),
      { type: 'Ready', status: 'True', ...times, reason: 'KubeletReady', message: 'kubelet is posting ready status' },
    ],
    addresses: [
      { type: 'InternalIP', address: addressOf(host, name) },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: 'simulated://1.0',
      kernelVersion: 'simulated',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.3',
      machineID: '',
      operatingSystem: 'linux',
      osImage: 'Slipway simulated node',
      systemUUID: '',
    },
  };
}

function addressOf(host: ControllerHost, name: string): string {
  const position = host.list(NODE).findIndex((node) => node.metadata.name === name) + 1;
  return `172.18.${Math.floor(position / 250)}.${(position % 250) + 1}`;
}

async function renewLease(host: ControllerHost, node: KubeObject): Promise<void> {
  const { name = '', uid = '' } = node.metadata;
  const renewTime = toIso(host.clock.now()).replace('Z', '000Z');
  const lease = host.get(LEASE, `${LEASE_NAMESPACE}/${name}`);
  if (lease) {
    await host.cluster.update({ ...lease, spec: { ...readFields(lease, 'spec'), renewTime } });
    return;
  }
  const ownerReferences = [{ ...NODE, name, uid }];
  await host.cluster.create({
    ...LEASE,
    metadata: { name, namespace: LEASE_NAMESPACE, ownerReferences },
    spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
  });
}
