import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { KubeApiError } from '@/server/kube/errors';
import type { ActContext } from '@/server/rollout/act';
import { act } from '@/server/rollout/act';
import type { RolloutDecision } from '@/server/rollout/decide';
import { readRollout } from '@/server/rollout/objects';
import { anEntry } from './simulation';

const NOW = toInstant(Date.UTC(2026, 0, 1, 9, 0, 0));

/** A rollout of the third generation that has a target. */
export const aRollout = (status: object = {}): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name: 'web', namespace: 'shop', uid: 'ro-1', generation: 3, resourceVersion: '41' },
  spec: { targetRevisions: [anEntry('web-v2', 4)] },
  status,
});
/** Why requests are refused, as an API server names it; below nought where something is created. */
const REASONS: Readonly<Record<number, string>> = { 404: 'NotFound', 409: 'Conflict', [-409]: 'AlreadyExists' };

/** An API server that keeps what was sent, in order. */
export class Desk {
  readonly sent: { readonly line: string; readonly body: unknown; readonly options: unknown }[] = [];
  /** Codes by which it refuses, by line. */
  readonly refuses: Record<string, number> = {};
  /** What it stores of a status that it is sent. */
  keep: (status: unknown) => unknown = (status) => structuredClone(status);
  mirrors: readonly KubeObject[] = [];

  get lines(): readonly string[] {
    return this.sent.map(({ line }) => line);
  }

  #take(line: string, body: unknown, options: unknown): void {
    this.sent.push({ line, body, options });
    const code = this.refuses[line];
    if (code !== undefined)
      throw new KubeApiError({ code, reason: REASONS[line.startsWith('create') ? -code : code] ?? '', message: line });
  }

  readonly #cluster = {
    update: async (object: KubeObject, options: { readonly subresource?: string }) => {
      this.#take(`update ${object.kind}/${object.metadata.name} ${options.subresource ?? 'spec'}`, object, options);
      if (options.subresource === 'status') return { ...object, status: this.keep(object.status) };
      return { ...object, metadata: { ...object.metadata, generation: 4, resourceVersion: '42' } };
    },
    create: async (object: KubeObject, options: unknown) => {
      this.#take(`create ${object.kind}/${object.metadata.name}`, object, options);
      return object;
    },
    patch: async (at: ObjectAddress, { body }: { readonly body: unknown }, options: unknown) => {
      this.#take(`patch ${at.kind}/${at.name}`, body, options);
    },
    delete: async (at: ObjectAddress, options: unknown) => {
      this.#take(`delete ${at.kind}/${at.name}`, undefined, options);
    },
  };

  act(wanted: Partial<RolloutDecision>, context: Partial<ActContext> & { readonly object?: KubeObject } = {}): Promise<void> {
    const ro = readRollout(context.object ?? aRollout());
    const decision: RolloutDecision = {
      spec: { stageTargetRevisions: undefined, targetFinishTime: undefined },
      status: undefined,
      control: undefined,
      actions: [],
      scales: { ranges: [], writes: [], waits: [] },
      verdicts: [],
      requeueAfterMs: undefined,
      fault: undefined,
      ...wanted,
    };
    const autoscalers = { get: (key: string) => this.mirrors.find(({ metadata }) => `shop/${metadata.name}` === key) };
    const { signal } = new AbortController();
    return act(decision, {
      ro,
      workloads: new Map(),
      now: NOW,
      cluster: this.#cluster as never,
      autoscalers: autoscalers as never,
      signal,
      ...context,
    });
  }
}
