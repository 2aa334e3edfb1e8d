import { z } from 'zod';
import { readField, readList } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, OwnerReference } from '@/lib/kube/object';
import type { DispatchOptions, ResourceTracker } from '@/server/dispatch';
import { ANNOTATION, readTracker } from '@/server/dispatch';
import type { Fault } from './dispatch-server';
import { FakeApiServer } from './dispatch-server';

/** The schema of cases names each switch by itself. */
type CaseOptions = NonNullable<DispatchOptions['merge'] & DispatchOptions['tracking'] & DispatchOptions['garbage']>;

/** A list that a case may leave out or write as null. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? []);

const object = z
  .custom<KubeObject & { readonly $lastApplied?: unknown }>((value) => typeof value === 'object' && value !== null)
  .transform((one) => ({ ...one, metadata: one.metadata ?? {} }));
const hint = z.looseObject({ name: z.string(), uid: z.string().nullish(), tracked: listOf(z.string()) });
const tracker = hint.extend({
  labels: z.record(z.string(), z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
  deletionTimestamp: z.string().nullish(),
});
const revision = z.object({ name: z.string().default(''), namespace: z.string().default('') }).nullish();
const mode = listOf(z.object({ call: z.enum(['StartAndSkipGC', 'EndAndGC']), tracker: hint.nullable().optional() }));
const fault = z.object({
  verb: z.enum(['get', 'list', 'create', 'patch', 'update', 'delete', 'updateStatus']),
  kind: z.string().nullish(),
  name: z.string().nullish(),
  code: z.number(),
  times: z.number().default(1),
}) satisfies z.ZodType<Fault>;
const reference = z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() });
const step = z.object({
  revision,
  mode,
  previous: hint.nullable().default(null),
  manifests: listOf(object),
  faults: listOf(fault),
  reuse: z.boolean().default(false),
});
export type Step = z.infer<typeof step>;
const owner = z.custom<OwnerReference>((value) => typeof value === 'object' && value !== null);

const when = z.discriminatedUnion('op', [
  z.object({ op: z.literal('dispatch') }),
  z.object({ op: z.literal('sequence'), steps: z.array(step) }),
  z.object({ op: z.literal('garbageCollect'), namespace: z.string(), old: hint, new: hint }),
  z.object({ op: z.literal('apply'), desired: object, uids: listOf(z.string()) }),
  z.object({ op: z.literal('controllable'), existing: object.nullish(), uids: listOf(z.string()) }),
  z.object({ op: z.literal('setOwner'), owners: listOf(owner), owner }),
  z.object({ op: z.literal('constructName'), revision: z.string(), namespace: z.string() }),
  z.object({ op: z.literal('extractAppName'), tracker: z.string(), namespace: z.string() }),
  z.object({ op: z.literal('extractRevisionName'), tracker: z.string(), namespace: z.string() }),
  z.object({ op: z.literal('referenceScopes'), workload: reference, scopes: listOf(reference) }),
  z.object({ op: z.literal('dereferenceScopes'), workload: reference, scopes: listOf(reference) }),
  z.object({ op: z.literal('readTracker'), object }),
]);

export const dispatchCase = z.object({
  profile: z.enum(['seed', 'documented', 'later']),
  given: z.preprocess(
    (given) => given ?? {},
    z.object({
      revision,
      mode,
      previous: hint.nullable().default(null),
      manifests: listOf(object),
      cluster: listOf(object),
      trackers: listOf(tracker),
      faults: listOf(fault),
      generatedNames: listOf(z.string()),
      interference: z.object({ tracker: z.string(), addTracked: z.array(z.string()) }).nullish(),
      cascade: z.boolean().default(false),
      options: z.custom<CaseOptions>().default({}),
      namespace: z.string().default(''),
      scopeDefinitions: z.record(z.string(), z.object({ workloadRefsPath: z.string().nullish() })).default({}),
    }),
  ),
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
  if (given.interference) interfere(server, given.interference);
  return server;
}

/** Another writer adds entries as soon as a tracker was first read or made. */
function interfere(
  server: FakeApiServer,
  { tracker: name, addTracked }: { readonly tracker: string; readonly addTracked: readonly string[] },
): void {
  let done = false;
  server.onAnswer = (verb, at) => {
    const live =
      at.kind === TRACKER.kind && at.name === name && (verb === 'get' || verb === 'create') ? server.peek({ ...TRACKER, name }) : undefined;
    if (done || live === undefined) return;
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
  return {
    ...live,
    metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, [ANNOTATION.lastApplied]: JSON.stringify(record) } },
  };
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

function toTrackerObject(
  { name, uid, labels, annotations, deletionTimestamp, tracked }: z.infer<typeof tracker>,
  form: TrackerForm,
): KubeObject {
  const metadata = {
    name,
    ...(uid ? { uid } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  };
  const entries = tracked.map(toEntry);
  return {
    ...TRACKER,
    metadata,
    ...(form === 'legacy'
      ? { status: { trackedResources: entries } }
      : { spec: { type: 'versioned', applicationGeneration: 0, managedResources: entries } }),
  };
}

/** A tracker as callers pass one. */
export function toTracker({ name, tracked, uid }: z.infer<typeof hint>): ResourceTracker {
  return readTracker(toTrackerObject({ name, tracked, ...(uid ? { uid } : {}) }, 'legacy'));
}
