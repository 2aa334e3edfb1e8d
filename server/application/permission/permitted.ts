import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
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
export function permittedAnnotations(newest: Revision, application: Pick<ParsedApplication, 'spec'>): Readonly<Record<string, string>> {
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

/** Why nothing can be compared with what was permitted last: somebody wrote over it. Undefined where it can be read. */
export function explainUnreadableNote(newest: Revision | undefined): string | undefined {
  const noted = newest && readNoted(newest);
  if (newest === undefined || noted === undefined || Array.isArray(noted)) return undefined;
  const { name = '', namespace = '' } = newest.object.metadata;
  const found = noted === NO_JSON ? 'text that is no JSON' : 'JSON that is no list';
  return `${describeObject({ ...KINDS.applicationRevision, name, namespace })} should have in its annotation ${PERMITTED_POLICIES} the list of policies that were permitted last, found ${found}; put it right, or have the policies count that the revision was made with: kubectl annotate applicationrevisions.core.oam.dev ${name} --namespace ${namespace} ${PERMITTED_POLICIES}-; nothing was changed`;
}

function policiesOf(revision: Revision): readonly unknown[] {
  const noted = readNoted(revision);
  const policies = noted === undefined ? readField(revision.object, 'spec', 'application', 'spec', 'policies') : noted;
  return Array.isArray(policies) ? policies : [];
}

const NO_JSON = Symbol('no JSON');

/** What is noted on a revision; undefined where nothing is. */
function readNoted({ object }: Revision): unknown {
  const noted = object.metadata.annotations?.[PERMITTED_POLICIES];
  if (noted === undefined) return undefined;
  try {
    return JSON.parse(noted);
  } catch {
    return NO_JSON; // told by a sentence, and nothing goes on
  }
}
