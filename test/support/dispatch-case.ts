import { z } from 'zod';
import { readField, readList } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, OwnerReference } from '@/lib/kube/object';
import type { DispatchOptions, ResourceTracker } from '@/server/dispatch';
import { ANNOTATION, readTracker } from '@/server/dispatch';
import type { Fault } from './dispatch-server';
import { FakeApiServer } from './dispatch-server';

const object = z.custom<KubeObject & { readonly $lastApplied?: unknown }>((value) => typeof value === 'object' && value !== null);
const hint = z.looseObject({ name: z.string(), uid: z.string().optional(), tracked: z.array(z.string()) });
const tracker = hint.extend({
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  deletionTimestamp: z.string().optional(),
});
const revision = z.object({ name: z.string(), namespace: z.string() }).nullable();
const mode = z.array(z.object({ call: z.enum(['StartAndSkipGC', 'EndAndGC']), tracker: hint.nullable().optional() }));
const fault = z.custom<Fault>();
const reference = z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() });
const step = z.object({
  revision: revision.optional(),
  mode: mode.default([]),
  previous: hint.nullable().default(null),
  manifests: z.array(object),
  faults: z.array(fault).default([]),
  reuse: z.boolean().default(false),
});
export type Step = z.infer<typeof step>;
const owner = z.custom<OwnerReference>();

const when = z.discriminatedUnion('op', [
  z.object({ op: z.literal('dispatch') }),
  z.object({ op: z.literal('sequence'), steps: z.array(step) }),
  z.object({ op: z.literal('garbageCollect'), namespace: z.string(), old: hint, new: hint }),
  z.object({ op: z.literal('apply'), desired: object, uids: z.array(z.string()).optional() }),
  z.object({ op: z.literal('controllable'), existing: object.nullable(), uids: z.array(z.string()) }),
  z.object({ op: z.literal('setOwner'), owners: z.array(owner), owner }),
  z.object({ op: z.literal('constructName'), revision: z.string(), namespace: z.string() }),
  z.object({ op: z.literal('extractAppName'), tracker: z.string(), namespace: z.string() }),
  z.object({ op: z.literal('extractRevisionName'), tracker: z.string(), namespace: z.string() }),
  z.object({ op: z.literal('referenceScopes'), workload: reference, scopes: z.array(reference) }),
  z.object({ op: z.literal('dereferenceScopes'), workload: reference, scopes: z.array(reference) }),
  z.object({ op: z.literal('readTracker'), object }),
]);

export const dispatchCase = z.object({
  profile: z.enum(['seed', 'documented', 'later']),
  given: z.object({
    revision: revision.optional(),
    mode: mode.default([]),
    previous: hint.nullable().default(null),
    manifests: z.array(object).default([]),
    cluster: z.array(object).default([]),
    trackers: z.array(tracker).default([]),
    faults: z.array(fault).default([]),
    generatedNames: z.array(z.string()).default([]),
    interference: z.object({ tracker: z.string(), addTracked: z.array(z.string()) }).optional(),
    cascade: z.boolean().default(false),
    options: z.custom<DispatchOptions>().default({}),
    namespace: z.string().default(''),
    scopeDefinitions: z.record(z.string(), z.object({ workloadRefsPath: z.string().optional() })).default({}),
  }),
  when,
  // biome-ignore lint/suspicious/noThenProperty: the cases' own member; a parsed case is never awaited
  then: z.record(z.string(), z.unknown()),
});
export type DispatchCase = z.infer<typeof dispatchCase>;
export type TrackerForm = ResourceTracker['form'];

export const TRACKER = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker' } as const;

/** A server with what the case starts from, its trackers in one of the two stored forms. */
export function prepare({ given }: DispatchCase, form: TrackerForm): FakeApiServer {
  const server = new FakeApiServer(given.generatedNames);
  for (const one of given.cluster) server.seed(withLastApplied(one));
  for (const one of given.trackers) server.seed(toTrackerObject(one, form));
  for (const [type, spec] of Object.entries(given.scopeDefinitions)) {
    const [apiVersion = '', kind = ''] = type.split('|');
    const name = `${kind.toLowerCase()}s.${apiVersion.split('/')[0]}`;
    server.seed({ apiVersion: TRACKER.apiVersion, kind: 'ScopeDefinition', metadata: { name, namespace: given.namespace }, spec });
  }
  server.addFaults(given.faults);
  if (given.interference !== undefined) interfere(server, given.interference);
  return server;
}

/** Another writer adds entries between the first read of a tracker and the write of its record. */
function interfere(server: FakeApiServer, { tracker: name, addTracked }: { readonly tracker: string; readonly addTracked: readonly string[] }): void {
  let done = false;
  server.onRequest = (verb, at) => {
    const writes = verb === 'create' || verb === 'patch' || verb === 'updateStatus';
    const live = at.kind === TRACKER.kind && verb === 'create' ? undefined : server.peek({ ...TRACKER, name });
    if (done || !writes || live === undefined) return;
    done = true;
    const spec = readField(live, 'spec', 'type')
      ? { ...(live.spec as object), managedResources: [...readList(live, 'spec', 'managedResources'), ...addTracked.map(toEntry)] }
      : undefined;
    const status = { trackedResources: [...readList(live, 'status', 'trackedResources'), ...addTracked.map(toEntry)] };
    server.seed(spec === undefined ? { ...live, status } : { ...live, spec });
  };
}

function withLastApplied({ $lastApplied, ...live }: KubeObject & { readonly $lastApplied?: unknown }): KubeObject {
  if ($lastApplied === undefined) return live;
  const { status: _status, ...rest } = live;
  const { uid: _uid, resourceVersion: _version, finalizers: _finalizers, ...metadata } = live.metadata;
  const record = $lastApplied === 'self' ? { ...rest, metadata } : $lastApplied;
  return { ...live, metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, [ANNOTATION.lastApplied]: JSON.stringify(record) } } };
}

function toEntry(key: string) {
  const { apiVersion, kind, namespace, name } = addressOf(key);
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}

/** The address that a key of the cases names. */
export function addressOf(key: string): ObjectAddress {
  const [apiVersion = '', kind = '', namespace = '', name = ''] = key.split('|');
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}

function toTrackerObject({ name, uid, labels, annotations, deletionTimestamp, tracked }: z.infer<typeof tracker>, form: TrackerForm): KubeObject {
  const metadata = {
    name,
    ...(uid ? { uid } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(deletionTimestamp ? { deletionTimestamp, finalizers: ['x'] } : {}),
  };
  const entries = tracked.map(toEntry);
  return {
    ...TRACKER,
    metadata,
    ...(form === 'legacy' ? { status: { trackedResources: entries } } : { spec: { type: 'versioned', applicationGeneration: 0, managedResources: entries } }),
  };
}

/** A tracker as callers pass one. */
export function toTracker({ name, tracked, uid }: z.infer<typeof hint>): ResourceTracker {
  return readTracker(toTrackerObject({ name, tracked, ...(uid ? { uid } : {}) }, 'legacy'));
}
