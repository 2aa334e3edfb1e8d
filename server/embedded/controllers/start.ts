import type { ControllerHost } from '../host';
import { startPodLifecycle } from '../pods/lifecycle';
import { startNodeLoss } from '../pods/node-loss';
import { startNodes } from '../pods/nodes';
import { startScheduler } from '../pods/scheduler';
import type { PodDefaults } from '../pods/script';
import { POD_DEFAULTS } from '../pods/script';
import { startCronJobs } from './batch/cron-jobs';
import { startJobs } from './batch/jobs';
import { createEventWriter } from './events';
import { startGarbageCollector } from './lifetime/garbage-collector';
import { startNamespaceDefaults } from './lifetime/namespace-defaults';
import { startNamespaces } from './lifetime/namespaces';
import { startIngresses, startLoadBalancers } from './network/load-balancers';
import { startServices } from './network/services';
import { startAutoscalers } from './scaling/autoscaler';
import { startVolumeClaims } from './storage/volume-claims';
import { startDaemonSets } from './workloads/daemon-set';
import { startDeployments } from './workloads/deployment/reconciler';
import { startDisruptionBudgets } from './workloads/disruption-budgets';
import { startReplicaSets } from './workloads/replica-set';
import { startStatefulSets } from './workloads/stateful-set';

export interface ControllerOptions {
  /** Nodes to have, `node-1` and so on; nodes that exist already stay. */
  readonly nodes: number;
  /** Durations of pods whose annotations say nothing. */
  readonly podDefaults?: Partial<PodDefaults>;
  /** Certificate bundle that every namespace gets as kube-root-ca.crt. */
  readonly rootCa?: string;
}

/** The running control plane beside the API server. Disposing drains every queue; the objects stay as they are. */
type Controllers = AsyncDisposable;

/** Starts the simulated controller manager, scheduler and nodes on a store. */
export function startControllers(host: ControllerHost, options: ControllerOptions): Controllers {
  const events = createEventWriter(host);
  const kubelet = host.as('kubelet');
  const parts: AsyncDisposable[] = [
    events,
    startNamespaceDefaults(host, options.rootCa ?? ''),
    startNamespaces(host),
    startGarbageCollector(host),
    startNodes(kubelet, options.nodes),
    startNodeLoss(host),
    startScheduler(host.as('kube-scheduler'), events),
    startPodLifecycle(kubelet, events, { ...POD_DEFAULTS, ...options.podDefaults }),
    startReplicaSets(host, events),
    startDeployments(host, events),
    startStatefulSets(host, events),
    startDaemonSets(host, events),
    startJobs(host, events),
    startCronJobs(host, events),
    startVolumeClaims(host, events),
    startDisruptionBudgets(host),
    startServices(host),
    startLoadBalancers(host, events),
    startIngresses(host, events),
    startAutoscalers(host, events),
  ];
  return {
    async [Symbol.asyncDispose]() {
      for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
    },
  };
}
