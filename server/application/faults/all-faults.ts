import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { render } from '../render/render';
import type { ParsedApplication } from '../spec/model';
import { objectName } from '../spec/model';
import { applicationPlace, parseApplication, parseNames } from '../spec/parse';

/** So many are told; whoever mends these sees the next. */
const MOST = 20;
/** So many components and traits are looked at alone, all in one turn. */
const MAX_PARTS = 500;
/** The least that a component of a type needs, so that its traits are looked at whatever is wrong with it. */
const LEAST: Readonly<Record<string, object>> = {
  webservice: { image: 'any' },
  worker: { image: 'any' },
  task: { image: 'any' },
  'cron-task': { image: 'any', schedule: '0 0 * * *' },
  'k8s-objects': { objects: [] },
};

/** Under which the parts of an application are read whose own name no API server would take. */
const ANY_PLACE = { name: 'any', namespace: 'any' };

/** One thing that keeps an application from being applied: its sentence, and the field that it is about. */
export interface ApplicationFault {
  readonly message: string;
  readonly field: string;
}

/** An application as it is read, which renders as well; throws `invalid` with everything that keeps it from that, in `details.all` each by itself. */
export function requireRenderable(object: KubeObject): ParsedApplication {
  try {
    return renderable(object);
  } catch (error) {
    throw withAllFaults(error, object);
  }
}

/** A refusal of an application with the other faults that the first one hides: each component, trait and policy is looked at alone as well. */
export function withAllFaults(error: unknown, object: KubeObject): unknown {
  if (!isAppError(error) || error.code !== 'invalid') return error;
  const first = faultsIn(error);
  const all = onceEach([...first, ...faultsOfParts(object)]);
  if (all.length === first.length && first.length === 1) return error;
  return new AppError('invalid', formatAll(all), { details: { ...error.details, all } });
}

/** The sentence of all that keeps an application from being applied. */
export function allFaultsMessage(error: unknown, object: KubeObject): string {
  return messageOf(withAllFaults(error, object));
}

function renderable(object: KubeObject): ParsedApplication {
  const parsed = parseApplication(object);
  render(parsed, `${parsed.name}-v1`, { revisionHash: '' });
  return parsed;
}

/** Reads the faults of a refusal. */
export function faultsIn({ message, details }: { readonly message: string; readonly details?: unknown }): readonly ApplicationFault[] {
  const all = readList(details, 'all');
  return (all.length > 0 ? all : [{ message, field: readString(details, 'field') }]).map((fault) => ({
    message: readString(fault, 'message') ?? message,
    field: readString(fault, 'field') ?? '',
  }));
}

/** An application cut down to one of its parts, and what the fields of that part are called in the whole. */
interface Part {
  readonly spec: object;
  readonly inPart: string;
  readonly inWhole: string;
  /** Throws what is wrong with it. */
  readonly read: (object: KubeObject) => unknown;
}

function faultsOfParts(object: KubeObject): readonly ApplicationFault[] {
  const found = [...faultsOfNames(object)];
  const named = found.length === 0 ? object : { ...object, metadata: { ...object.metadata, ...ANY_PLACE } };
  const [read, meant] = [applicationPlace(named).object, applicationPlace(object).object];
  for (const part of partsOf(object)) {
    if (found.length > MOST) break;
    found.push(...faultsOfPart(named, part).map(({ message, field }) => ({ message: message.replace(read, meant), field })));
  }
  return found;
}

function faultsOfNames(object: KubeObject): readonly ApplicationFault[] {
  try {
    parseNames(object);
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return faultsIn(error);
  }
}

function* partsOf(object: KubeObject): Generator<Part> {
  const components = readList(object, 'spec', 'components').slice(0, MAX_PARTS);
  yield* first(MAX_PARTS, partsOfComponents(components));
  const least = [
    ...new Map(components.flatMap((component) => (isFields(component) ? [[component.name, leastOf(component)]] : []))).values(),
  ];
  // Policies are read with the spec. There are fewer types than are looked at here, and each may stand once.
  for (const [at, policy] of readList(object, 'spec', 'policies').slice(0, MOST).entries()) {
    const [read, inPart, inWhole] = [parseApplication, 'spec.policies[0]', `spec.policies[${at}]`];
    yield { spec: { components: least, policies: [policy] }, inPart, inWhole, read };
    const component = readField(policy, 'properties', 'component');
    if (!isFields(policy) || component === undefined) continue;
    // Which component it names is looked at only once all else of it is in order.
    const named = { ...policy, properties: { component } };
    const field = '.properties.component';
    yield { spec: { components: least, policies: [named] }, inPart: `${inPart}${field}`, inWhole: `${inWhole}${field}`, read };
  }
}

function* partsOfComponents(components: readonly unknown[]): Generator<Part> {
  for (const [at, component] of components.entries()) {
    const inWhole = `spec.components[${at}]`;
    const traits = readList(component, 'traits');
    if (!isFields(component)) continue;
    yield { spec: { components: [{ ...component, traits: [] }] }, inPart: 'spec.components[0]', inWhole, read: renderable };
    for (const [place, trait] of traits.entries()) {
      yield {
        spec: { components: [{ ...leastOf(component), traits: [trait] }] },
        inPart: 'spec.components[0].traits[0]',
        inWhole: `${inWhole}.traits[${place}]`,
        read: renderable,
      };
    }
  }
}

function* first<Item>(most: number, items: Iterable<Item>): Generator<Item> {
  let count = 0;
  for (const item of items) {
    if (count++ === most) return;
    yield item;
  }
}

/** A component of the same name and type without a fault of its own. */
function leastOf({ name, type }: Fields): Fields {
  const known = typeof type === 'string' && Object.hasOwn(LEAST, type) ? type : 'webservice';
  return { name: objectName.safeParse(name).success ? name : 'any', type: known, properties: LEAST[known] };
}

function faultsOfPart(object: KubeObject, { spec, inPart, inWhole, read }: Part): readonly ApplicationFault[] {
  try {
    read({ ...object, spec });
    return [];
  } catch (error) {
    if (!isAppError(error) || error.code !== 'invalid') throw error;
    // What else is wrong in the part is told by another one.
    return faultsIn(error)
      .filter(({ field }) => (field === inPart || field.startsWith(`${inPart}.`)) && !field.endsWith('.containerName'))
      .map(({ message, field }) => ({ message: message.replace(inPart, inWhole), field: field.replace(inPart, inWhole) }));
  }
}

function onceEach(faults: readonly ApplicationFault[]): readonly ApplicationFault[] {
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}

/** One sentence after the other; the object is named once. */
function formatAll(faults: readonly ApplicationFault[]): string {
  const told = faults.slice(0, MOST).map(({ message }, at) => (at === 0 ? message : message.replace(/^Application \S+(?: in \S+)?: /, '')));
  const more = faults.length > MOST ? [`and ${faults.length - MOST} more`] : [];
  return [...told, ...more].join('; ');
}
