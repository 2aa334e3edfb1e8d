import type { RecordEntry } from '@/lib/contract/record-entry';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import type { EngineDeps, ReconcileContext } from '@/server/framework';
import type { PatchBody } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import { createRolloutReconciler } from '@/server/rollout/reconciler';
import { LostStates } from '@/server/rollout/status-change';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { silentLog } from '../../support/silent-log';
import { key, openStores } from './observed-scene';
import { aRolloutSpec } from './simulation';

const WEB = { ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' };

/** One pass after another over a rollout, on a fake API server whose Deployments have what they are asked for. */
export class PassRig {
  readonly server = new FakeApiServer();
  readonly clock = new ManualClock();
  readonly informers = new FakeInformers(this.server);
  readonly recorded: RecordEntry[] = [];
  readonly events: string[] = [];
  readonly watched: (readonly [readonly ObjectAddress[], string | undefined])[] = [];
  readonly forgotten: unknown[] = [];
  readonly debug: unknown[] = [];
  /** Why the server may not scale. */
  ungranted: string | undefined;
  /** What the server was asked to be able to do itself. */
  actions: readonly unknown[] = [];
  /** False while Events cannot be written. */
  takesEvents = true;
  /** What whoever wrote a rollout may not do. */
  forbids = false;
  asked = 0;
  #decided = 0;
  readonly #reconcile;

  constructor(
    deps: Partial<EngineDeps> = {},
    spec: object = aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } }),
    metadata: object = {},
  ) {
    for (const [name, replicas] of [
      ['web-v1', 4],
      ['web-v2', 0],
    ] as const)
      this.deploy(name, replicas);
    this.server.seed({
      ...KINDS.rolloutOrchestrator,
      metadata: { name: 'web', namespace: 'shop', uid: 'ro-1', generation: 1, ...metadata },
      spec,
    });
    const { server } = this;
    const cluster = {
      discovery: server.discovery,
      get: server.get.bind(server),
      create: async (object: KubeObject) => {
        if (object.kind === 'SubjectAccessReview') {
          this.asked++;
          return { ...object, status: { allowed: !this.forbids } };
        }
        if (object.kind !== 'Event') return server.create(object);
        if (!this.takesEvents) throw new Error('no events');
        this.events.push(
          `${readString(object, 'type')} ${readString(object, 'reason')}: ${readString(object, 'message') ?? readString(object, 'note')}`,
        );
        return object;
      },
      update: server.update.bind(server),
      patch: (at: ObjectAddress, patch: PatchBody) => server.patch(at, patch as never),
      delete: server.delete.bind(server),
    };
    const stores = openStores(this.informers);
    this.#reconcile = createRolloutReconciler(
      {
        cluster: cluster as never,
        clock: this.clock,
        log: silentLog,
        record: async (entry: RecordEntry) => void this.recorded.push(entry),
        status: { of: () => ({ status: 'Current' }) } as never,
        watched: {
          set: (_key: unknown, addresses: readonly ObjectAddress[], mark?: string) => void this.watched.push([addresses, mark]),
        } as never,
        grants: {
          explain: async (_key: unknown, actions: () => readonly unknown[]) => {
            this.actions = actions();
            return this.ungranted;
          },
          forget: (one: unknown) => void this.forgotten.push(one),
        } as never,
        lost: new LostStates(stores.rollouts),
        ...deps,
      } as never,
      stores,
    );
  }

  deploy(name: string, replicas: number): void {
    const status = {
      observedGeneration: 1,
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions: [{ type: 'Available', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    };
    const labels = { 'serving.knative.dev/service': 'web', 'serving.knative.dev/revision': name };
    const template = { metadata: { labels } };
    this.server.seed({
      ...KINDS.deployment,
      metadata: { name, namespace: 'shop', uid: `uid-${name}`, generation: 1, labels },
      spec: { replicas, template },
      status,
    });
  }

  /** What a pass came to: when to look again, or that it is settled; an error where it failed. */
  async pass(): Promise<unknown> {
    const log = { ...silentLog, debug: (...line: readonly unknown[]) => void this.debug.push(line) };
    const context: ReconcileContext = { signal: new AbortController().signal, shardKey: key('web'), reconcileId: '1', log };
    const outcome = await this.#reconcile(key('web'), context).catch((error: unknown) => error);
    const { kind, ms } = outcome as { readonly kind?: string; readonly ms?: number };
    return kind === 'requeueAfter' ? ms : kind === 'settled' ? kind : outcome;
  }

  /** Passes until nothing is written any more, while Deployments come to what they are asked for. */
  async settle(): Promise<this> {
    for (let turn = 0; turn < 60; turn++) {
      const before = this.server.requests.filter(({ verb }) => verb !== 'get').length;
      await this.pass();
      for (const object of this.server.all().filter(({ kind }) => kind === 'Deployment')) {
        const replicas = readNumber(object, 'spec', 'replicas') ?? 1;
        if (readNumber(object, 'status', 'readyReplicas') !== replicas) this.deploy(object.metadata.name ?? '', replicas);
      }
      await this.clock.advance(1000);
      if (this.server.requests.filter(({ verb }) => verb !== 'get').length === before) return this;
    }
    throw new Error('it never comes to rest');
  }

  get rollout(): KubeObject {
    return this.server.peek(WEB) ?? { ...WEB, metadata: {} };
  }

  control(...path: readonly string[]): unknown {
    return readField(this.rollout, 'status', 'control', ...path);
  }

  replicas(name: string): number | undefined {
    return readNumber(this.server.peek({ ...KINDS.deployment, namespace: 'shop', name }), 'spec', 'replicas');
  }

  /** Makes a decision, which nobody has judged. */
  decide(verb: string, spec: object = {}): () => string {
    const name = `d-${++this.#decided}`;
    this.server.seed({
      ...KINDS.stageDecision,
      metadata: { name, namespace: 'shop', uid: name, creationTimestamp: toKubeTime(this.clock.now()) },
      spec: {
        rolloutRef: { name: 'web', uid: 'ro-1' },
        verb,
        stage: 1,
        revision: 'web-v2',
        reason: 'because',
        actor: { user: 'ann' },
        seen: { rollout: rolloutDigest(this.rollout) },
        ...spec,
      },
    });
    const told = () => this.server.peek({ ...KINDS.stageDecision, namespace: 'shop', name });
    return () => `${readString(told(), 'status', 'phase') ?? 'Pending'} ${readString(told(), 'status', 'message') ?? ''}`.trim();
  }

  async change(type: TypeRef, name: string, change: (object: KubeObject) => object): Promise<void> {
    const held = this.server.peek({ ...type, namespace: 'shop', name });
    if (held !== undefined) await this.server.update({ ...held, ...change(held) });
  }

  /** Lines of the record. */
  get lines(): readonly string[] {
    return this.recorded.map(({ actor, action, message }) => `${actor} ${action} ${message}`);
  }
}
