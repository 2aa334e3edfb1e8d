import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readField, readFields, readList, readString } from '@/lib/kube/fields';
import { carriesMask, hideInText, isSecretLike, MASK, mapTexts, withoutHidden } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { SensitivePlace } from '@/lib/kube/sensitive';
import { mapSensitive, sensitivePlaces } from '@/lib/kube/sensitive';
import { entryOf } from '../objects/edit/hidden-values';

/**
 * Hidden values in a text that people edit: what stands in place of one keeps the value as it is stored.
 *
 * 1. Only in a Secret that is one of an application's plain objects, or in a sensitive variable, and only where the whole value is the mask; a whole text
 *    that holds a Secret's manifest; and the credentials of an address, which stays as it is otherwise.
 * 2. Only the value, or what stands for it, that stands at the very same place of the same application: of the Secret of the same name and namespace, of
 *    the variable of the same component. So no text can have a value copied to where it can be read.
 * 3. Anything else with a mask in it is refused; nothing is ever written as a mask.
 */

/** Stands above a text that hides values. */
export const HIDDEN_HINT = `# Values of Secrets and credentials in addresses are hidden: what stays ${MASK} keeps its value.\n`;

/** Refuses masks where no hidden value could be kept; whether there is one to keep is known once the stored application is read. */
export function refuseMisplacedMasks(application: KubeObject): void {
  if (carriesMask(mapTexts([application.spec, application.metadata], withoutHidden))) throw misplaced();
}

/** The application with the stored value for each mask in its Secrets; throws invalid where there is none to keep. */
export function withKeptValues(written: KubeObject, held: KubeObject | undefined): KubeObject {
  if (!carriesMask([written.spec, written.metadata])) return written;
  const stored = secretsOf(held);
  const kept = mapSecrets(withKeptPlaces(written, held), (secret, id) => {
    if (!carriesMask(secret)) return secret;
    const [one, another] = stored.filter((found) => found.id === id);
    const from = another === undefined ? one?.secret : undefined;
    return fill(secret, (path) => {
      const value = path.reduce<unknown>((at, step) => (isFields(at) && Object.hasOwn(at, step) ? at[step] : undefined), from);
      if (value === undefined || carriesMask(value)) throw nothingToKeep(`${path.join('.')} of Secret ${id}`);
      return value;
    });
  });
  const whole = withKeptTexts(kept, held) as KubeObject; // the application with other texts in it
  if (carriesMask([whole.spec, whole.metadata])) throw misplaced();
  return whole;
}

/** Each text with something hidden in it as it is stored: where the same was shown, at the very same place. */
function withKeptTexts(written: unknown, held: unknown): unknown {
  if (typeof written === 'string') return typeof held === 'string' && carriesMask(written) && hideInText(held) === written ? held : written;
  if (Array.isArray(written)) return written.map((one, at) => withKeptTexts(one, entryOf(held, one, at)));
  if (!isFields(written)) return written;
  const memberOf = (name: string) => (isFields(held) && Object.hasOwn(held, name) ? held[name] : undefined);
  return Object.fromEntries(Object.entries(written).map(([name, member]) => [name, withKeptTexts(member, memberOf(name))]));
}

/** Values of Secrets and sensitive variables, or what stands for them: each at its very place. */
function withKeptPlaces(written: KubeObject, held: KubeObject | undefined): KubeObject {
  const idOf = ({ owner, place }: SensitivePlace) => JSON.stringify([owner, place]);
  const stored = new Map<string, SensitivePlace[]>();
  for (const place of held === undefined ? [] : sensitivePlaces(held)) stored.set(idOf(place), [...(stored.get(idOf(place)) ?? []), place]);
  return mapSensitive(written, (place) => {
    if (place.value !== MASK) return place.value;
    const [one, another] = stored.get(idOf(place)) ?? [];
    if (one?.value === undefined || another !== undefined || carriesMask(one.value)) throw nothingToKeep(place.what);
    return one.value;
  });
}

/** The secret with something else for each value that is wholly a mask, by its place. */
function fill(secret: Fields, valueAt: (path: readonly string[]) => unknown): Fields {
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (value === MASK) return valueAt(path);
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, [...path, name])]));
  };
  return readFields({ secret: walk(secret, []) }, 'secret');
}

/** The application with its Secrets changed: those among the plain objects of a component, by namespace and name. */
function mapSecrets(application: KubeObject, change: (secret: Fields, id: string) => Fields): KubeObject {
  const components = readList(application, 'spec', 'components').map((component) => {
    if (!isFields(component) || component.type !== 'k8s-objects' || !Array.isArray(readField(component, 'properties', 'objects')))
      return component;
    const objects = readList(component, 'properties', 'objects').map((object) =>
      isFields(object) && isSecretLike(object) ? change(object, idOf(application, object)) : object,
    );
    return { ...component, properties: { ...readFields(component, 'properties'), objects } };
  });
  return Array.isArray(readField(application, 'spec', 'components'))
    ? { ...application, spec: { ...readFields(application, 'spec'), components } }
    : application;
}

function secretsOf(application: KubeObject | undefined): readonly { readonly id: string; readonly secret: Fields }[] {
  const found: { id: string; secret: Fields }[] = [];
  if (application === undefined) return found;
  mapSecrets(application, (secret, id) => {
    found.push({ id, secret });
    return secret;
  });
  return found;
}

const idOf = ({ metadata }: KubeObject, secret: Fields) =>
  `${readString(secret, 'metadata', 'namespace') ?? metadata.namespace ?? ''}/${readString(secret, 'metadata', 'name') ?? ''}`;

function nothingToKeep(what: string): AppError {
  const sentence = `the manifest contains masked values: it would keep ${what}, and the application as it is stored has no such value there; write the value`;
  return new AppError('invalid', sentence);
}

function misplaced(): AppError {
  const sentence =
    'the manifest contains masked values, which the console shows in place of secrets; one keeps its value only where it was shown, as a whole, so write any other';
  return new AppError('invalid', sentence);
}
