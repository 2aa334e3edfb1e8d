import type { RecordEntry } from '@/lib/contract/record-entry';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { readDecisionSpec } from '../observe';

/**
 * An answered decision as it stands on record, by its uid, whoever puts it there. The object goes one day, so all that it said is in it; `now`
 * stands for a time that cannot be read.
 */
export function toDecisionEntry(object: KubeObject, now: Instant): RecordEntry {
  const { uid = '', namespace, name: decision, creationTimestamp: createdAt } = object.metadata;
  const spec = readDecisionSpec(object);
  const phase = readString(object, 'status', 'phase') ?? '';
  const { rolloutRef, applicationRef, actor, verb, ...said } = spec ?? {};
  const isOfApplication = rolloutRef === undefined && applicationRef !== undefined;
  return {
    id: uid,
    at: parseInstant(readString(object, 'status', 'at')) ?? now,
    actor: actor?.user ?? 'unknown',
    action: `decision.${verb ?? 'unreadable'}`,
    about: isOfApplication
      ? toAddress(object)
      : {
          ...KINDS.rolloutOrchestrator,
          ...(namespace === undefined ? {} : { namespace }),
          name: readString(object, 'spec', 'rolloutRef', 'name') ?? '',
        },
    message: `${phase}: ${readString(object, 'status', 'message') ?? ''}`,
    data: {
      phase,
      decision,
      createdAt,
      groups: actor?.groups,
      ...(rolloutRef === undefined ? {} : { rolloutUid: rolloutRef.uid }),
      ...(applicationRef === undefined ? {} : { application: applicationRef.name, applicationUid: applicationRef.uid }),
      ...said,
    },
  };
}
