import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { readNote } from '@/lib/kube/person-note';
import type { ActContext } from '../act/context';
import { record } from '../act/context';
import { isHeldFor } from '../decide/applied';
import type { ParsedApplication } from '../spec/model';
import { noteOf } from './requester';

/** Who requested an application as it is, by whatever client; undefined where nobody is noted. */
async function requesterOf(context: ActContext, application: KubeObject): Promise<string | undefined> {
  return (await noteOf(context, application, (object) => readNote(object, REQUESTED_BY)))?.user;
}

/** The end of a sentence about what an engine does for somebody: what comes by kubectl or GitOps has no entry of its own that names them. */
export async function sayRequester(context: ActContext, application: KubeObject): Promise<string> {
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
    message: `${name} follows its changed policies${await sayRequester(context, object)}`,
  });
}
