import { createHash } from 'node:crypto';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import type { ActContext } from '../act/context';
import { record } from '../act/context';
import { isHeldFor } from '../decide/applied';
import { formatWithheld, labelledBefore } from '../decide/conditions';
import type { Observation } from '../observe/observe';
import type { Revision } from '../revision';
import { metadataOf } from '../revision';
import type { ParsedApplication } from '../spec/model';
import { byAuthor, changedLabels, labelsOf } from './propagated';
import { noteOf } from './requester';

/** Who requested an application as it is, by whatever client; undefined where nobody is noted. */
export async function requesterOf(context: ActContext, application: KubeObject): Promise<string | undefined> {
  return (await noteOf(context, application, (object) => readAnnotatedUser(object, REQUESTED_BY)))?.user;
}

/** The end of a sentence about what an engine does for somebody: what comes by kubectl or GitOps has no entry of its own that names them. */
export async function requesterClause(context: ActContext, application: KubeObject): Promise<string> {
  const user = await requesterOf(context, application);
  return user === undefined ? '' : `, requested by ${user}`;
}

/** A change that its requester may not have made is on record once, as a refusal by the console is. */
export async function recordUnpermitted(context: ActContext, application: KubeObject, why: string): Promise<void> {
  if (isHeldFor(application, 'NotPermitted', why)) return; // the condition is written after the record
  const { uid = '', generation = 1 } = application.metadata;
  const actor = await requesterOf(context, application);
  await record(context, {
    id: `application.refused:${uid}:${generation}`,
    action: 'application.change.refused',
    about: toAddress(application),
    message: why,
    data: { code: 'forbidden' },
    ...(actor === undefined ? {} : { actor }),
  });
}

/** Policies that were changed make no revision, so that they are on record is for us to see to. */
export async function recordPolicies(context: ActContext, { name, uid, generation, object }: ParsedApplication): Promise<void> {
  await record(context, {
    id: `application.policies:${uid}:${generation}`,
    action: 'application.policies',
    about: toAddress(object),
    message: `${name} follows its changed policies${await requesterClause(context, object)}`,
  });
}

/** A revision, and the one before it. */
interface Made {
  readonly made: Revision;
  readonly before: Revision | undefined;
}

/** Who wrote the labels and annotations that reach objects with a new revision is on record. */
export async function recordLabels(context: ActContext, application: ParsedApplication, { made, before }: Made): Promise<void> {
  const requester = await requesterOf(context, application.object);
  const what = describeObject({ kind: application.object.kind, namespace: application.namespace, name: application.name });
  for (const { author, labels } of await byAuthor(context, application.object, changedLabels(labelsOf(before), metadataOf(made)))) {
    // Those that an application was made with came from its requester, whom the revision names.
    if (before === undefined && author?.user === requester) continue;
    const names = labels.map(({ name }) => name);
    await record(context, {
      id: `application.labels:${made.object.metadata.uid ?? ''}:${author?.user ?? ''}`,
      action: 'application.labels',
      about: toAddress(application.object),
      message: `${names.join(', ')} of ${what} ${names.length === 1 ? 'is' : 'are'} propagated to its objects with ${made.name}`,
      data: { names },
      ...(author === undefined ? {} : { actor: author.user }),
    });
  }
}

/** Labels and annotations that whoever wrote them may not write on the objects are on record once each time they are refused. */
export async function recordWithheld(context: ActContext, { object, withheld }: Observation): Promise<void> {
  const before = labelledBefore(object);
  if (withheld === undefined || before.withheld === formatWithheld(withheld)) return; // the condition is written after the record
  for (const { user, message } of withheld) {
    const digest = createHash('sha256').update(message).digest('hex').slice(0, 16);
    await record(context, {
      // Since when all reached the objects tells this refusal from the same at another time; passes that fail between do not.
      id: `application.labels.refused:${object.metadata.uid}:${digest}:${before.allSince ?? ''}`,
      action: 'application.labels.refused',
      about: toAddress(object),
      message,
      data: { code: 'forbidden' },
      ...(user === undefined ? {} : { actor: user }),
    });
  }
}
