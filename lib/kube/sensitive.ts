import { DEEPEST_APPLICATION } from './depth';
import type { Fields } from './fields';
import { isFields, readField, readFields, readString } from './fields';
import { KINDS } from './kinds';
import { isSecretLike, isSensitiveEntry, MASK } from './mask';
import type { KubeObject } from './object';
import { groupOf } from './object';

/** Where an application, or a Secret, lives. */
export interface Owner {
  readonly name: string;
  readonly namespace: string;
}

/** A place in an application where a value stands that nobody is to read there, or what stands for it. */
export interface SensitivePlace {
  /** The application that it is of: of one that lies in another, the inner one. */
  readonly owner: Owner;
  /** What belongs together: the Secret, or the variables of a component. */
  readonly group: string;
  /** Tells the place from every other of the application. */
  readonly place: readonly string[];
  /** How sentences name it. */
  readonly what: string;
  readonly encoding: 'text' | 'base64';
  /** A text, what stands for one, or whatever else somebody wrote. */
  readonly value: unknown;
}

/** What is to stand in a place instead. */
export type ChangeValue = (place: SensitivePlace) => unknown;

const DATA = [
  ['data', 'base64'],
  ['stringData', 'text'],
] as const;

/**
 * The application with something else in each sensitive place: values of Secrets among its plain objects, and variables that say they are sensitive;
 * those of applications in it included. This is the one function that knows which places these are. The same object where nothing changes.
 */
export function mapSensitive(application: KubeObject, change: ChangeValue): KubeObject {
  return mapApplication(application, change, { namespace: '', depth: 0 });
}

/** Every sensitive place of an application. */
export function sensitivePlaces(application: KubeObject): readonly SensitivePlace[] {
  const places: SensitivePlace[] = [];
  mapSensitive(application, (place) => {
    places.push(place);
    return place.value;
  });
  return places;
}

/** True for a value as it was written: neither what stands for one, nor what hides one. */
export const isInline = (value: unknown) => value !== undefined && value !== null && value !== MASK && !isFields(value);

/** Where values stand in an application as they are: whoever may read it reads them. */
export function inlinePlaces(application: KubeObject): readonly SensitivePlace[] {
  return sensitivePlaces(application).filter(({ value }) => isInline(value));
}

interface Level {
  /** Where an application lives that does not say so. */
  readonly namespace: string;
  readonly depth: number;
}

function mapApplication(application: KubeObject, change: ChangeValue, { namespace: outer, depth }: Level): KubeObject {
  const { name = '', namespace = outer } = application.metadata;
  const written = readField(application, 'spec', 'components');
  if (!Array.isArray(written)) return application;
  const context = { owner: { name, namespace }, change, depth };
  const components = mapSame<unknown>(written, (component) => (isFields(component) ? mapComponent(component, context) : component));
  return components === written ? application : { ...application, spec: { ...readFields(application, 'spec'), components } };
}

interface Context {
  readonly owner: Owner;
  readonly change: ChangeValue;
  readonly depth: number;
}

function mapComponent(component: Fields, context: Context): Fields {
  const properties = component.properties;
  if (!isFields(properties)) return component;
  const member = component.type === 'k8s-objects' ? 'objects' : 'env';
  const written = properties[member];
  if (!Array.isArray(written)) return component;
  const name = readString(component, 'name') ?? '';
  const mapped = mapSame<unknown>(written, (one) => {
    if (!isFields(one)) return one;
    return member === 'objects' ? mapObject(one, context) : mapVariable(one, name, context);
  });
  return mapped === written ? component : { ...component, properties: { ...properties, [member]: mapped } };
}

function mapObject(object: Fields, { owner, change, depth }: Context): unknown {
  if (isSecretLike(object)) return mapSecret(object, owner, change);
  const isApplication =
    object.kind === KINDS.application.kind && groupOf(String(object.apiVersion)) === groupOf(KINDS.application.apiVersion);
  if (!isApplication || !isFields(object.metadata) || depth >= DEEPEST_APPLICATION) return object;
  return mapApplication(object as unknown as KubeObject, change, { namespace: owner.namespace, depth: depth + 1 }); // kind and metadata were looked at
}

function mapSecret(secret: Fields, owner: Owner, change: ChangeValue): Fields {
  const id = `${readString(secret, 'metadata', 'namespace') ?? owner.namespace}/${readString(secret, 'metadata', 'name') ?? ''}`;
  let mapped = secret;
  for (const [member, encoding] of DATA) {
    const held = secret[member];
    if (!isFields(held)) continue;
    const entries: readonly (readonly [string, unknown])[] = Object.entries(held);
    const next = mapSame(entries, (entry): readonly [string, unknown] => {
      const [key, value] = entry;
      const what = `${member}.${key} of Secret ${id}`;
      const changed = change({ owner, group: `Secret ${id}`, place: ['Secret', ...id.split('/'), member, key], what, encoding, value });
      return changed === value ? entry : [key, changed];
    });
    if (next !== entries) mapped = { ...mapped, [member]: Object.fromEntries(next) };
  }
  return mapped;
}

function mapVariable(variable: Fields, component: string, { owner, change }: Context): Fields {
  if (!isSensitiveEntry(variable)) return variable;
  const name = String(variable.name);
  const { value, valueFrom, ...others } = variable;
  const held = value === undefined && valueFrom !== undefined ? { valueFrom } : value;
  const what = `variable ${name} of component ${component}`;
  const changed = change({
    owner,
    group: `variables of ${component}`,
    place: ['env', component, name],
    what,
    encoding: 'text',
    value: held,
  });
  if (changed === held) return variable;
  return isFields(changed) ? { ...others, ...changed } : { ...others, value: changed };
}

/** A list with its members changed; the very same where none is. */
function mapSame<One>(list: readonly One[], change: (one: One) => One): readonly One[] {
  let isChanged = false;
  const next = list.map((one) => {
    const changed = change(one);
    isChanged ||= changed !== one;
    return changed;
  });
  return isChanged ? next : list;
}
