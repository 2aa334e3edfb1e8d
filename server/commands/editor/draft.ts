import { AppError } from '@/lib/contract/app-error';
import { isFields, readFields } from '@/lib/kube/fields';
import { isManifestCopy } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { SensitivePlace } from '@/lib/kube/sensitive';
import { inlinePlaces } from '@/lib/kube/sensitive';
import { inParallel } from '@/lib/std/in-parallel';
import { formatCount } from '@/lib/words/figures';
import type { Draft } from '@/server/application';
import { actWithAudit, createValues } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';
import { FIELD_MANAGER } from '../command-deps';
import { holdsRight } from '../permit-contents';

const AT_ONCE = 8;

/**
 * An application as it is to be written, with the Secrets that hold the values which somebody wrote into it. What stood inline before is left where it
 * is as long as nobody writes a value: whoever changes an image need not be allowed to write Secrets.
 */
export async function draftOf(deps: CommandDeps, next: KubeObject, held: KubeObject | undefined): Promise<Draft> {
  const before = new Map(held === undefined ? [] : inlinePlaces(held).map((place) => [idOf(place), place.value]));
  const isWritten = inlinePlaces(next).some((place) => before.get(idOf(place)) !== place.value);
  return isWritten ? deps.planner.extractValues(withoutCopies(next)) : { object: next, secrets: [] };
}

const idOf = ({ owner, place }: SensitivePlace) => JSON.stringify([owner, place]);

/** Tries to write the Secrets of a draft as the person, without effect. */
export async function dryRunSecrets(deps: CommandDeps, session: Session, draft: Draft): Promise<void> {
  await permitValues(deps, session, draft);
  const person = deps.cluster.as(session.person);
  await inParallel(draft.secrets, AT_ONCE, async (secret) => {
    await createValues(secret, {
      write: () => person.create(secret, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun: true }),
      read: () => deps.cluster.get(toAddress(secret)),
    });
  });
}

/** Of somebody who may not write Secrets the person hears here what that means. */
async function permitValues(deps: CommandDeps, session: Session, { object, secrets }: Draft): Promise<void> {
  for (const namespace of new Set(secrets.flatMap(({ metadata }) => metadata.namespace ?? []))) {
    if (await holdsRight(deps, session, { verb: 'create', group: '', resource: 'secrets', namespace })) continue;
    const what = describeObject({ kind: object.kind, ...object.metadata });
    throw new AppError(
      'forbidden',
      `${session.user} may not create Secrets in ${namespace}, and the values written into ${what} are stored in one; refer to an existing Secret, or have someone with that right write them`,
    );
  }
}

/** Writes the Secrets of a draft as the person, before the application that refers to them: a crash in between leaves what the engine takes away again. */
export async function writeValues(deps: CommandDeps, session: Session, draft: Draft): Promise<void> {
  await permitValues(deps, session, draft);
  const person = deps.cluster.as(session.person);
  const what = describeObject({ kind: draft.object.kind, ...draft.object.metadata });
  await inParallel(draft.secrets, AT_ONCE, async (secret) => {
    const about = toAddress(secret);
    const message = `puts ${formatCount(Object.keys(readFields(secret, 'data')).length, 'value')} of ${what} into a Secret`;
    const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.user, action: 'application.values', about, message };
    await createValues(secret, {
      write: () =>
        actWithAudit(deps.record, entry, {
          send: (dryRun) => person.create(secret, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun }),
        }),
      read: () => deps.cluster.get(about),
    });
  });
}

/** Copies of whole manifests would tell the values once more: kubectl's, on the application and on what it holds. */
function withoutCopies(application: KubeObject): KubeObject {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isFields(value)) return value;
    const isMetadata = isFields(value.annotations);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, isMetadata && name === 'annotations' ? withoutCopy(member) : walk(member)]),
    );
  };
  const { components, ...spec } = readFields(application, 'spec');
  const { annotations, ...metadata } = application.metadata;
  return {
    ...application,
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations: withoutCopy(annotations) as Readonly<Record<string, string>> }),
    }, // some of them
    spec: { ...spec, components: walk(components) },
  };
}

const withoutCopy = (annotations: unknown) =>
  Object.fromEntries(Object.entries(readFields({ annotations }, 'annotations')).filter(([name]) => !isManifestCopy(name)));
