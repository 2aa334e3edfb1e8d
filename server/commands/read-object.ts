import type { ObjectEvent } from '@/lib/contract/object-rows';
import { maskForReading } from '@/lib/kube/mask';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import type { DescribedCondition } from '@/server/status';
import { describeConditions } from '@/server/status';
import type { CommandDeps } from './command-deps';
import { readAs } from './command-deps';
import { toYaml } from './manifest-text';
import { readEvents } from './objects/follow-events';
import { scopeOf } from './objects/scope';

/** An object as text, without the values of Secrets. */
export interface ManifestText {
  readonly manifest: string;
  readonly masked: boolean;
}

/** An object close up. */
export interface DescribedObject extends ManifestText {
  readonly conditions: readonly DescribedCondition[];
  readonly events: readonly ObjectEvent[];
  /** Why there are fewer events than happened, a sentence each. */
  readonly left: readonly string[];
}

/** Reads any object live and as the person, with what the cluster reported about it and about what it owns, newest first. */
export async function readObject(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<DescribedObject> {
  const { apiVersion, kind, namespace: ns, name } = at;
  await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
  const object = await readAs(deps, session, at);
  const { events, left } = await readEvents(deps, session, scopeOf(deps, object));
  return { ...toManifestText(object), conditions: describeConditions(object), events, left };
}

/** Reads an object live and as the person. */
export async function readManifest(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<ManifestText> {
  const { apiVersion, kind, namespace: ns, name } = at;
  await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
  return toManifestText(await readAs(deps, session, at));
}

/** An object as people read it: without what the server notes of its fields, and without values that nobody is to read. */
export function toManifestText(object: KubeObject): ManifestText {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  const { value, masked } = maskForReading({ ...object, metadata });
  return { manifest: toYaml(value), masked };
}
