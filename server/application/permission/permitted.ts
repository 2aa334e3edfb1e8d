import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { render } from '../render/render';
import type { Revision } from '../revision';
import { snapshotOf } from '../revision';
import type { ParsedApplication } from '../spec/model';
import { parseApplication } from '../spec/parse';
import type { Policies } from '../spec/policies';

/** On an ApplicationRevision, which only engines write: the policies that were permitted last, where they are others than those it was made with. */
const PERMITTED_POLICIES = 'slipway.dev/permitted-policies';

/** What was permitted last of an application: the content of its newest revision, under the policies that were asked about since. */
export interface PermittedState {
  readonly manifests: readonly KubeObject[];
  readonly policies: Policies;
  /** The component that a rollout moves. */
  readonly rollout: string | undefined;
}

/** True where the policies are those that were permitted with the revision, or since. */
export function isPermitted(newest: Revision | undefined, { spec }: Pick<ParsedApplication, 'spec'>): boolean {
  return newest !== undefined && toStableJson(policiesOf(newest)) === toStableJson(spec.policies ?? []);
}

/** The annotations by which a revision says that the policies of the application are permitted; none where it says so already. */
export function permittedNote(newest: Revision, application: Pick<ParsedApplication, 'spec'>): Readonly<Record<string, string>> {
  return isPermitted(newest, application) ? {} : { [PERMITTED_POLICIES]: toStableJson(application.spec.policies ?? []) };
}

/** What the newest revision vouches for; undefined without one, and where it cannot be read any more. */
export function permittedState(
  newest: Revision | undefined,
  { object, labels, annotations }: Pick<ParsedApplication, 'object' | 'labels' | 'annotations'>,
): PermittedState | undefined {
  if (newest === undefined) return undefined;
  try {
    const snapshot = snapshotOf(newest, object);
    const { policies, rollout } = parseApplication({ ...snapshot.object, spec: { ...snapshot.spec, policies: policiesOf(newest) } });
    // Whoever changed labels and annotations is asked about those, and nobody else.
    const { manifests } = render({ ...snapshot, labels, annotations }, newest.name, { revisionHash: newest.hash });
    return { manifests, policies, rollout: rollout?.component };
  } catch {
    return undefined; // a snapshot that cannot be read any more vouches for nothing
  }
}

function policiesOf({ object }: Revision): readonly unknown[] {
  const noted = object.metadata.annotations?.[PERMITTED_POLICIES];
  const policies: unknown = noted === undefined ? readField(object, 'spec', 'application', 'spec', 'policies') : JSON.parse(noted);
  return Array.isArray(policies) ? policies : [];
}
