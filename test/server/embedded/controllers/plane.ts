import { readFields } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { ControllerOptions } from '@/server/embedded/controllers';
import { startControllers } from '@/server/embedded/controllers';
import { FakeHost } from './fake-host';

export const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
export const REPLICA_SET = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
export const POD = { apiVersion: 'v1', kind: 'Pod' };
export const EVENT = { apiVersion: 'v1', kind: 'Event' };

/** All controllers on the least store. Time stands at zero; nothing has run. */
export class Plane implements AsyncDisposable {
  readonly host = new FakeHost();
  readonly #controllers: AsyncDisposable;

  constructor(options: Partial<ControllerOptions> = {}) {
    this.#controllers = startControllers(this.host, { nodes: 2, ...options });
  }

  advance(ms: number): Promise<void> {
    return this.host.clock.advance(ms);
  }

  create(object: KubeObject): Promise<KubeObject> {
    return this.host.cluster.create(object);
  }

  get(type: TypeRef, name: string): KubeObject | undefined {
    return this.host.get(type, `shop/${name}`);
  }

  require(type: TypeRef, name: string): KubeObject {
    const object = this.get(type, name);
    if (!object) throw new Error(`${type.kind} ${name} is missing`);
    return object;
  }

  pods(): readonly KubeObject[] {
    return this.host.list(POD, 'shop');
  }

  patch(type: TypeRef, name: string, body: unknown): Promise<KubeObject> {
    return this.host.cluster.patch(toAddress(this.require(type, name)), { type: 'merge', body });
  }

  /** Words of all events about an object, with how often each was said. */
  said(about: string): readonly string[] {
    return this.host
      .list(EVENT)
      .filter((event) => readFields(event, 'involvedObject').name === about)
      .map((event) => `${event.type} ${event.reason}: ${event.message}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controllers[Symbol.asyncDispose]();
  }
}

/** A Deployment as the API server would have completed it. */
export function aDeployment(spec: Record<string, unknown> = {}, name = 'web'): KubeObject {
  return {
    ...DEPLOYMENT,
    metadata: { name, namespace: 'shop', annotations: { note: 'hi' } },
    spec: {
      replicas: 4,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      selector: { matchLabels: { app: name } },
      template: aTemplate({ labels: { app: name } }),
      ...spec,
    },
  };
}

/** A pod template with one container. */
export function aTemplate(more: { image?: string; labels?: Record<string, string>; annotations?: Record<string, string> } = {}) {
  const { image = 'nginx:1', labels = { app: 'web' }, annotations } = more;
  return {
    metadata: { labels, ...(annotations ? { annotations } : {}) },
    spec: { containers: [{ name: 'c', image }], restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
  };
}

/** The value without its times, for comparison with what was recorded. */
export function withoutTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member: unknown) => (key.endsWith('Time') ? undefined : member)));
}
