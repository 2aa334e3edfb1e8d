import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { ActContext } from '@/server/application/act/context';
import { RepairLog } from '@/server/application/repair-log';
import { RevertThrottle } from '@/server/application/revert-throttle';
import type { LiveState } from '@/server/dispatch';
import { FINALIZER, LABEL, readTracker } from '@/server/dispatch';
import type { AccessRight, Person, ServerAction } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { FakeApiServer } from '@/test/support/dispatch-server';
import { configMap, holding } from './seen';

/** A server with these objects, over which acts go, and what they told and asked on the way. */
export class ActWorld {
  readonly server = new FakeApiServer();
  readonly record: RecordEntry[] = [];
  readonly events: (readonly [string, string])[] = [];
  readonly logged: (readonly unknown[])[] = [];
  readonly asked: (readonly [Person, AccessRight])[] = [];
  readonly deletions: (readonly [string, object])[] = [];
  readonly held: string[] = [];
  /** What the server was asked whether it may do it itself. */
  readonly actions: string[] = [];
  now = Date.UTC(2026, 0, 1);
  mayDo = true;
  throttleMs = 0;
  ungranted: string | undefined;
  unknown: object | undefined;
  eventFailure: Error | undefined;
  /** What the copies say where that is not what the server says. */
  readonly copies = new Map<string, LiveState>();
  readonly recorded = new Set<string>();
  readonly repairs = new RepairLog();
  readonly pace = new RevertThrottle();
  readonly abort = new AbortController();
  /** The server as people reach it for whom something is written. */
  asPerson: object = { create: async (object: KubeObject) => object };

  constructor(...objects: readonly KubeObject[]) {
    for (const object of objects) this.server.seed(object);
  }

  at(of: KubeObject): KubeObject | undefined {
    const { name = '', namespace } = of.metadata;
    return this.server.peek({ apiVersion: of.apiVersion, kind: of.kind, name, ...(namespace === undefined ? {} : { namespace }) });
  }

  told(): readonly string[] {
    return this.record.map(({ action, message }) => `${action}: ${message}`);
  }

  /** Writes that reached the server, by verb and name. */
  writes(): readonly string[] {
    const isWrite = ({ verb }: { readonly verb: string }) => !['get', 'list'].includes(verb);
    return this.server.requests.filter(isWrite).map(({ verb, key }) => `${verb} ${key.split('|')[1]}/${key.split('|')[3]}`);
  }

  /** The server as acts reach it: whatever they ask for ends with the pass, and whatever they write names who writes. */
  #cluster() {
    const { server, deletions } = this;
    const wants = (what: string, options: object | undefined, ...members: readonly string[]) => {
      const missing = members.filter((member) => (options as Readonly<Record<string, unknown>> | undefined)?.[member] === undefined);
      if (missing.length > 0) throw new Error(`${what} without ${missing.join(' and ')}`);
    };
    return {
      discovery: server.discovery,
      list: (...[of, options]: Parameters<typeof server.list>) => server.list(of, options),
      get: async (at: ObjectAddress, options?: object) => {
        wants(`a read of ${at.kind}`, options, 'signal');
        return server.get(at);
      },
      create: async (object: KubeObject, options?: object) => {
        wants(`a write of ${object.kind}`, options, 'fieldManager', 'signal');
        return server.create(object, options);
      },
      update: async (object: KubeObject, options?: object) => {
        wants(`a write of ${object.kind}`, options, 'fieldManager', 'signal');
        return server.update(object, options);
      },
      patch: async (at: ObjectAddress, body: Parameters<typeof server.patch>[1], options?: object) => {
        wants(`a write of ${at.kind}`, options, 'fieldManager', 'signal');
        return server.patch(at, body, options);
      },
      delete: async (at: ObjectAddress, options: object) => {
        wants(`a deletion of ${at.kind}`, options, 'signal');
        deletions.push([at.name, options]);
        return server.delete(at, options);
      },
      as: () => this.asPerson,
    };
  }

  context(more: object = {}): ActContext {
    const { server } = this;
    const cluster = this.#cluster();
    const list = (kind: string) => server.all().filter((object) => object.kind === kind);
    const store = (kind: string) => ({
      list: () => list(kind),
      get: (key: string) => list(kind).find(({ metadata }) => toObjectKey(metadata) === key),
    });
    const live = (at: ObjectAddress): LiveState => {
      const object = server.peek(at);
      return this.copies.get(at.name) ?? (object === undefined ? { kind: 'absent' } : { kind: 'present', object });
    };
    const copies = { read: (at: ObjectAddress) => server.peek(at), lacks: (at: ObjectAddress) => server.peek(at) === undefined };
    const log = (...told: readonly unknown[]) => void this.logged.push(told);
    return {
      deps: {
        cluster,
        clock: { now: () => this.now, sleep: async () => undefined },
        log: { debug: log, warn: log, info: log, error: log },
        random: createRandom(3),
        record: async (entry: RecordEntry) => void this.record.push(entry),
      },
      stores: {
        trackers: store('ResourceTracker'),
        applications: store('Application'),
        deployments: { ...store('Deployment'), covers: () => ({ kind: 'held' }) },
      },
      objects: { live, ...copies, ensure: async () => this.unknown, withTrackers: () => copies },
      permission: {
        unattributed: 'all',
        ownUser: async () => 'slipway',
        review: async (person: Person, right: AccessRight) => {
          this.asked.push([person, right]);
          return this.mayDo;
        },
      },
      grants: {
        explain: async (_key: string, actions: () => readonly ServerAction[]) => {
          this.actions.push(...actions().map(({ verbs, object }) => `${verbs.join()} ${object.name}`));
          return this.ungranted;
        },
      },
      events: {
        record: async (
          _cluster: unknown,
          _object: KubeObject,
          { reason, message }: { readonly reason: string; readonly message: string },
        ) => {
          if (this.eventFailure !== undefined) throw this.eventFailure;
          this.events.push([reason, message]);
        },
      },
      statusThrottle: { waitMs: () => this.throttleMs, rest: (key: string) => void this.held.push(key) },
      recorded: this.recorded,
      valueSecrets: store('Secret'),
      secretKey: 'key',
      status: { evaluate: () => ({ status: 'Current', message: '', conditions: [] }) },
      watched: { set: () => undefined },
      moving: new Set(),
      repairs: this.repairs,
      revertPace: this.pace,
      signal: this.abort.signal,
      ...more,
    } as unknown as ActContext; // acts need no more of it here
  }
}

export const labels = { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop', [LABEL.appUid]: 'app' };
export const resource = (name: string, kind = 'ConfigMap') => ({
  apiVersion: 'v1',
  kind,
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  cluster: 'local',
});
export const tracker = (name: string, resources: readonly object[], more: object = {}): KubeObject => ({
  ...KINDS.resourceTracker,
  metadata: { name, uid: name, labels, resourceVersion: '1', ...more },
  spec: { type: 'versioned', applicationGeneration: 1, managedResources: resources },
});
export const there = (name: string, kind = 'ConfigMap'): KubeObject => ({
  ...configMap(
    name,
    {},
    {
      namespace: 'shop',
      uid: `uid-${name}`,
      labels,
      ownerReferences: [{ ...KINDS.resourceTracker, name: 'web-v1-shop', uid: 'web-v1-shop', controller: true }],
    },
  ),
  kind,
});
export const application = holding([configMap('a')], {}, { finalizers: [FINALIZER.tracker] });
export const decision = (name: string, spec: object = {}, more: object = {}): KubeObject => ({
  ...KINDS.stageDecision,
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { applicationRef: { name: 'web', uid: 'app' }, verb: 'approve', actor: { user: 'ada', groups: [] }, ...spec },
  ...more,
});
export const old = tracker('web-v1-shop', [resource('old'), resource('shared')]);

/** A record as the server has it. */
export const read = (of: ActWorld, object: KubeObject) => readTracker(of.at(object) ?? object);
