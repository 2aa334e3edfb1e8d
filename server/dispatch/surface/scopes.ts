import { readField, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { getServed, isNoMatch, toKindRef } from '@/server/kube';
import { DispatchError } from '../dispatch-error';
import type { KubeClient } from '../kube-client';

/** An object named within a namespace known from elsewhere. */
export interface TypedReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

interface ScopeChange {
  readonly workload: TypedReference;
  readonly scopes: readonly TypedReference[];
  readonly signal?: AbortSignal | undefined;
}

const DEFINITION_TYPE = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ScopeDefinition' } as const;

/** Adds the workload to the list each scope keeps; a scope or definition that is absent is an error. */
export async function referenceScopes(client: KubeClient, namespace: string, { workload, scopes, signal }: ScopeChange): Promise<void> {
  for (const scope of scopes) {
    const object = await explained(`cannot read scope ${quote(scope)}`, readThere(client, { ...scope, namespace }, signal));
    const definition = await explained(`cannot find scope definition ${quote(scope)}`, requireDefinition(client, namespace, scope, signal));
    const path = readString(definition, 'spec', 'workloadRefsPath');
    if (path === undefined || path === '') continue;
    const refs = readRefs(object, scope, path);
    if (refs.some((ref) => isSame(ref, workload))) continue;
    const { apiVersion, kind, name } = workload;
    await writeRefs(client, { scope, object, path, refs: [...refs, { apiVersion, kind, name }], signal });
  }
}

/** Takes the workload off each list; an absent scope or definition counts as done, so that deletion is never blocked. */
export async function dereferenceScopes(client: KubeClient, namespace: string, { workload, scopes, signal }: ScopeChange): Promise<void> {
  for (const scope of scopes) {
    const object = await explained(
      `cannot read scope ${quote(scope)}`,
      getServed(client, { ...scope, namespace }, signal ? { signal } : {}),
    );
    const definition =
      object && (await explained(`cannot find scope definition ${quote(scope)}`, findDefinition(client, namespace, scope, signal)));
    if (object === undefined || definition === undefined) continue;
    const path = readString(definition, 'spec', 'workloadRefsPath');
    if (path === undefined || path === '') {
      throw new DispatchError(`cannot get workloadRefsPath for scope to be dereferenced ${quote(scope)}`, { stage: 'scopes' });
    }
    const refs = readRefs(object, scope, path);
    const at = refs.findIndex((ref) => isSame(ref, workload));
    const last = refs.at(-1);
    if (at < 0) continue;
    // The last entry fills the hole, as in the original; order is not kept.
    const kept = refs.map((ref, index) => (index === at ? last : ref)).slice(0, -1);
    await writeRefs(client, { scope, object, path, refs: kept, signal });
  }
}

interface Written {
  readonly scope: TypedReference;
  readonly object: KubeObject;
  readonly path: string;
  readonly refs: readonly unknown[];
  readonly signal: AbortSignal | undefined;
}

async function writeRefs(client: KubeClient, { scope, object, path, refs, signal }: Written): Promise<void> {
  await explained(`cannot apply scope ${quote(scope)}`, client.update(replaceAt(object, path, refs), signal ? { signal } : {}));
}

/** The answer of a request; its failure names the scope it was made for. */
async function explained<Answer>(sentence: string, request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (cause) {
    throw new DispatchError(sentence, { stage: 'scopes', cause });
  }
}

/** An object that has to be there, at whatever version its kind is served by. */
async function readThere(client: KubeClient, at: ObjectAddress, signal: AbortSignal | undefined): Promise<KubeObject> {
  const request = signal ? { signal } : {};
  // Where it is nowhere, the server's own words about what was asked for are the best there are.
  return (await getServed(client, at, request)) ?? client.get(at, request);
}

async function requireDefinition(
  client: KubeClient,
  namespace: string,
  scope: TypedReference,
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  return readThere(client, await placeOfDefinition(client, namespace, scope, signal), signal);
}

/** Undefined where there is none, or nothing serves the kind of the scope any more. */
async function findDefinition(
  client: KubeClient,
  namespace: string,
  scope: TypedReference,
  signal: AbortSignal | undefined,
): Promise<KubeObject | undefined> {
  try {
    return await getServed(client, await placeOfDefinition(client, namespace, scope, signal), signal ? { signal } : {});
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

async function placeOfDefinition(
  client: KubeClient,
  namespace: string,
  scope: TypedReference,
  signal: AbortSignal | undefined,
): Promise<ObjectAddress> {
  const { plural, group } = await client.discovery.resolveKind(toKindRef(scope), signal);
  return { ...DEFINITION_TYPE, namespace, name: `${plural}.${group}` };
}

function readRefs(object: KubeObject, scope: TypedReference, path: string): readonly unknown[] {
  const refs = readField(object, ...path.split('.'));
  if (Array.isArray(refs)) return refs;
  const cause = new Error(refs === undefined ? `${path}: no such field` : `${path}: not a list`);
  throw new DispatchError(`cannot find scope workloadRef ${quote(scope)} with workloadRefsPath "${path}"`, { stage: 'scopes', cause });
}

function replaceAt(object: KubeObject, path: string, refs: readonly unknown[]): KubeObject {
  const replace = (at: unknown, steps: readonly string[]): unknown => {
    const [step, ...rest] = steps;
    return step === undefined ? refs : { ...(at as Record<string, unknown>), [step]: replace(readField(at, step), rest) };
  };
  return replace(object, path.split('.')) as KubeObject; // only a list inside it was replaced
}

function isSame(ref: unknown, workload: TypedReference): boolean {
  return (
    readString(ref, 'apiVersion') === workload.apiVersion &&
    readString(ref, 'kind') === workload.kind &&
    readString(ref, 'name') === workload.name
  );
}

const quote = ({ apiVersion, kind, name }: Pick<ObjectAddress, 'apiVersion' | 'kind' | 'name'>) => `"${apiVersion}" "${kind}" "${name}"`;
