import type { RecordEntry } from '@/lib/contract/record-entry';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { ActContext } from '@/server/application/act/context';
import type { Observation } from '@/server/application/observe/observe';
import { readDecision } from '@/server/application/observe/observe';
import { answerRollbacks } from '@/server/application/rollback/answer-rollbacks';
import type { AccessRight, KubeApiError, Person } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import { FakeApiServer } from '@/test/support/dispatch-server';
import { ManualClock } from '@/test/support/manual-clock';
import { configMap, holding, revisionOf, seenAfter } from './seen';

const NS = 'shop';
export const at = (kind: { readonly apiVersion: string; readonly kind: string }, name: string): ObjectAddress => ({
  ...kind,
  namespace: NS,
  name,
});
export const APPLICATION = at(KINDS.application, 'web');
export const ROLLOUT = at(KINDS.rolloutOrchestrator, 'web');
export const FIRST = holding([configMap('a', { a: '1' })]);
const SECOND = holding([configMap('a', { a: '2' })]);
const ROOT: Person = { user: 'root', groups: [] };

export const rolloutOf = (application: string): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: {
    name: 'web',
    namespace: NS,
    uid: 'ro',
    ownerReferences: [{ ...KINDS.application, name: 'web', uid: application, controller: true }],
  },
  spec: { targetRevisions: [{ revisionName: 'web-v2', percent: 100 }] },
});

interface Asked {
  readonly person: Person;
  readonly right: AccessRight;
}

/** A shop whose second version runs and whose first one is kept, of which one pass looks at the rollbacks that wait. */
export class Shop {
  readonly server = new FakeApiServer();
  readonly clock = new ManualClock();
  readonly record: RecordEntry[] = [];
  readonly asked: Asked[] = [];
  readonly abort = new AbortController();
  /** Who wrote the application, each time. */
  readonly writers: Person[] = [];
  /** What the API server answers to whoever writes the application. */
  refusal: KubeApiError | undefined;
  isAllowed = true;
  deps: Partial<ActContext['deps']> = {};

  constructor() {
    this.server.seed(SECOND);
    this.server.seed(rolloutOf('app'));
    for (const [application, number] of [
      [FIRST, 1],
      [SECOND, 2],
    ] as const)
      this.server.seed(revisionOf(application, {}, number).object);
  }

  /** A rollback to the first version that waits. */
  decide(name: string, over: object = {}, metadata: object = {}): KubeObject {
    const spec = {
      verb: 'rollback',
      rolloutRef: { name: 'web', uid: 'ro' },
      revision: 'web-v1',
      reason: 'errors',
      actor: ROOT,
      seen: { rollout: rolloutDigest(this.server.peek(ROLLOUT) as KubeObject) },
      ...over,
    };
    const decision = {
      ...KINDS.stageDecision,
      metadata: { name, namespace: NS, uid: `uid-${name}`, creationTimestamp: '2026-01-01T09:00:00Z', ...metadata },
      spec,
    };
    this.server.seed(decision);
    return this.server.peek(at(KINDS.stageDecision, name)) as KubeObject;
  }

  /** One pass over what a copy shows. */
  pass(decisions: readonly KubeObject[], more: Partial<Observation> = {}) {
    const revisions = [revisionOf(FIRST), revisionOf(SECOND, {}, 2)];
    return answerRollbacks(this.#context(), seenAfter(revisions, SECOND, { decisions: decisions.flatMap(readDecision), ...more }));
  }

  change(of: ObjectAddress, with_: (held: KubeObject) => KubeObject): void {
    this.server.seed(with_(this.server.peek(of) as KubeObject));
  }

  verdict(name: string): readonly [string, string] {
    const held = this.server.peek(at(KINDS.stageDecision, name));
    return [readString(held, 'status', 'phase') ?? 'Pending', readString(held, 'status', 'message') ?? ''];
  }

  /** What the application holds now. */
  get value(): string | undefined {
    return readString(this.server.peek(APPLICATION), 'spec', 'components', 0, 'properties', 'objects', 0, 'data', 'a');
  }

  #context(): ActContext {
    const { server } = this;
    const cluster = {
      discovery: server.discovery,
      get: async (of: ObjectAddress, { signal }: { readonly signal?: AbortSignal }) => {
        signal?.throwIfAborted();
        return server.get(of);
      },
      update: (object: KubeObject, options: object) => server.update(object, options),
      as: (person: Person) => ({
        update: async (object: KubeObject, options: { readonly dryRun?: boolean }) => {
          if (this.refusal !== undefined) throw this.refusal;
          if (options.dryRun === true) return object;
          const written = await server.update(object, options);
          this.writers.push(person);
          return written;
        },
      }),
    };
    const permission = {
      unattributed: 'none',
      ownUser: async () => 'slipway',
      review: async (person: Person, right: AccessRight) => {
        this.asked.push({ person, right });
        return this.isAllowed;
      },
    };
    const record = async (entry: RecordEntry) => void this.record.push(entry);
    // A pass over rollbacks needs no more of what an act has.
    return {
      deps: { cluster, clock: this.clock, record, ...this.deps },
      permission,
      recorded: new Set(),
      signal: this.abort.signal,
    } as unknown as ActContext;
  }
}
