import type { Fields } from '@/lib/kube/fields';
import { isFields, readList } from '@/lib/kube/fields';
import { isSecretLike, isSecretMember, isSensitiveEntry } from '@/lib/kube/mask';
import { groupOf } from '@/lib/kube/object';
import { isBareReference } from '../values/reference';
import type { Place } from './fault';
import { refuse } from './fault';

const HELD_IN = ['data', 'stringData'];
/** Groups of Kubernetes that have pods in them. */
const OF_PODS = ['', 'apps', 'batch'];
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];

/**
 * A value is moved out of where Secrets have theirs. Anywhere else it would stay in the application and in its revisions, where everyone who may read
 * those reads it: such an object is refused, which no cluster takes either. No sentence tells a value.
 */
export function refuseOpenValues(object: unknown, place: Place): void {
  if (!isFields(object)) return;
  if (isSecretLike(object)) refuseInSecret(object, place);
  else if (OF_PODS.includes(groupOf(String(object.apiVersion)))) refuseInPods(object, place);
}

function refuseInSecret(secret: Fields, place: Place): void {
  for (const [member, held] of Object.entries(secret)) {
    if (!isSecretMember(secret, member)) continue;
    if (!HELD_IN.includes(member))
      throw refuse(place, `has ${JSON.stringify(member)}, which no Secret has; values belong in data or stringData`);
    if (held === null || held === undefined) continue;
    if (!isFields(held)) throw refuse(place, 'must be a map of values by their keys', [member]);
    for (const [key, value] of Object.entries(held))
      if (isFields(value) && !isBareReference(value))
        throw refuse(place, 'must be a string, or a reference with name and key only', [member, key]);
  }
}

/** `sensitive` is a word of components, and no container knows it. */
function refuseInPods(at: Fields, place: Place): void {
  for (const [member, value] of Object.entries(at)) {
    const inside = { ...place, path: [...place.path, member] };
    if (isFields(value)) refuseInPods(value, inside);
    if (!CONTAINERS.includes(member)) continue;
    readList(at, member).forEach((container, index) => {
      const marked = readList(container, 'env').findIndex((variable) => isSensitiveEntry(variable) && variable.value !== undefined);
      if (marked < 0) return;
      throw refuse(
        inside,
        'must not be marked sensitive: no container of Kubernetes hides a value; refer to a Secret with valueFrom, or use a component of type webservice',
        [index, 'env', marked],
      );
    });
  }
}
