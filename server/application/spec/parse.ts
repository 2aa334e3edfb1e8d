import { AppError, isAppError } from '@/lib/contract/app-error';
import { DEEPEST_APPLICATION, isNestedDeeper } from '@/lib/kube/depth';
import { isFields, readField, readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, groupOf } from '@/lib/kube/object';
import { findExact } from '@/lib/std/exact-json';
import type { ComponentType } from '../render/component-type';
import { COMPONENT_TYPES } from '../render/component-types';
import type { Place } from './fault';
import { parseAt, refuse } from './fault';
import type { ComponentSpec, ParsedApplication, RolloutPolicy } from './model';
import { applicationNames, applicationSpecSchema } from './model';
import { refuseOpenValues } from './open-values';
import type { Policies } from './policies';
import { parsePolicies } from './policies';

/** The most that --max-depth lets texts be nested; whatever another client stored may be no deeper either. */
const DEEPEST_SPEC = 500;

/** The place of a whole application in sentences. */
export function applicationPlace(object: KubeObject): Place {
  return { object: describeObject({ kind: 'Application', namespace: object.metadata.namespace, name: object.metadata.name }), path: [] };
}

/** Reads an Application; throws AppError `invalid` with a sentence naming object, field, what was found and wanted. */
export function parseApplication(object: KubeObject): ParsedApplication {
  const place = applicationPlace(object);
  if (isNestedDeeper(object.spec, DEEPEST_SPEC))
    throw refuse({ ...place, path: ['spec'] }, `must not be nested deeper than ${DEEPEST_SPEC} levels`);
  const long = findExact(object.spec, 'spec');
  if (long !== undefined) throw tooLong(place, long.path);
  const spec = parseAt(applicationSpecSchema, object.spec ?? {}, { ...place, path: ['spec'], what: 'an Application' });
  const names = new Set<string>();
  spec.components.forEach((component, at) => {
    if (names.has(component.name))
      throw refuse({ ...place, path: ['spec', 'components', at, 'name'] }, `must be unique, found "${component.name}" twice`);
    names.add(component.name);
    const componentPlace = { ...place, path: ['spec', 'components', at] };
    componentType(component, componentPlace);
    refuseOwnKinds(component, componentPlace);
    lookAtObjects(component, componentPlace);
    refuseDeepNesting(component, componentPlace);
  });
  const { uid = '', generation = 1, labels = {}, annotations = {} } = object.metadata;
  const { name, namespace } = parseNames(object);
  const policies = parsePolicies(spec.policies ?? [], place);
  return { name, namespace, uid, generation, labels, annotations, spec, policies, rollout: toRollout(spec, policies), object };
}

/** Reads name and namespace of an application; throws `invalid` for what no API server would take. */
export function parseNames(object: KubeObject): { readonly name: string; readonly namespace: string } {
  const place = { ...applicationPlace(object), path: ['metadata'] };
  const { name, namespace } = object.metadata;
  if (!name || !namespace) throw refuse(place, 'needs a name and a namespace');
  return parseAt(applicationNames, { name, namespace }, place);
}

/** What kubectl stored with such a number could be neither kept in a revision nor applied digit for digit (record 0050). The number may be a secret. */
function tooLong({ object }: Place, field: string): AppError {
  const sentence = `${object}: ${field} must not be a whole number beyond 2^53, which is not stored exactly; write it in quotes, or use a smaller one`;
  return new AppError('invalid', sentence, { details: { field } });
}

const OWN_GROUPS = ['slipway.dev', groupOf(KINDS.rolloutOrchestrator.apiVersion)];
const OWN_KINDS: readonly string[] = [KINDS.resourceTracker.kind, KINDS.applicationRevision.kind];

/** What an application holds is written by the server itself, so a decision in it would be one that nobody is tied to. */
function refuseOwnKinds(component: ComponentSpec, place: Place): void {
  readList(component.properties, 'objects').forEach((object, at) => {
    const [apiVersion = '', kind = ''] = isFields(object) ? [readString(object, 'apiVersion'), readString(object, 'kind')] : [];
    const group = groupOf(apiVersion);
    const own = OWN_GROUPS.includes(group) || (group === groupOf(KINDS.application.apiVersion) && OWN_KINDS.includes(kind));
    if (own)
      throw refuse(place, `is ${kind} of ${apiVersion}, which no application may contain: the server manages that kind itself`, [
        'properties',
        'objects',
        at,
      ]);
  });
}

/** Looks at each plain object of a component, those of applications in it included. */
function lookAtObjects(component: unknown, place: Place, depth = 0): void {
  readList(component, 'properties', 'objects').forEach((object, at) => {
    const path = [...place.path, 'properties', 'objects', at];
    refuseList(object, { ...place, path });
    refuseOpenValues(object, { ...place, path });
    if (!isApplication(object) || depth >= DEEPEST_APPLICATION) return;
    readList(object, 'spec', 'components').forEach((inner, index) => {
      lookAtObjects(inner, { ...place, path: [...path, 'spec', 'components', index] }, depth + 1);
    });
  });
}

/** No API server applies a list, so it would be tried for ever; and values of Secrets are moved out of objects, not out of lists of them. */
function refuseList(object: unknown, place: Place): void {
  // As clients write them: `List`, `SecretList`, `DeploymentList`. A kind of somebody else's may end so and hold no items.
  const kind = readString(object, 'kind');
  const isList =
    kind?.toLowerCase().endsWith('list') === true &&
    (Array.isArray(readField(object, 'items')) || groupOf(readString(object, 'apiVersion') ?? '') === '');
  if (isList)
    throw refuse(place, `is a list of objects (${kind}), which cannot be applied; write each of its items as an object of its own`);
}

function refuseDeepNesting(component: ComponentSpec, place: Place): void {
  let level = readList(component.properties, 'objects');
  for (let depth = 0; depth < DEEPEST_APPLICATION; depth++) level = level.filter(isApplication).flatMap(objectsOf);
  if (level.some(isApplication)) throw refuse(place, `nests applications more than ${DEEPEST_APPLICATION} deep`, ['properties', 'objects']);
}

const isApplication = (object: unknown) =>
  readString(object, 'kind') === KINDS.application.kind &&
  groupOf(readString(object, 'apiVersion') ?? '') === groupOf(KINDS.application.apiVersion);
const objectsOf = (application: unknown) =>
  readList(application, 'spec', 'components').flatMap((component) => readList(component, 'properties', 'objects'));

/** The type of a component; throws for one that does not exist. */
export function componentType(component: Pick<ComponentSpec, 'type'>, place: Place): ComponentType {
  const type = Object.hasOwn(COMPONENT_TYPES, component.type) ? COMPONENT_TYPES[component.type] : undefined;
  if (type === undefined)
    throw refuse(
      { ...place, path: [...place.path, 'type'] },
      `must be one of ${Object.keys(COMPONENT_TYPES).join(', ')}, found "${component.type}"`,
    );
  return type;
}

/** The component that the rollout policy of an application replaces in stages; undefined without a policy, and where it cannot be told. */
export function rolledOutComponent(object: KubeObject): string | undefined {
  const components = readList(object, 'spec', 'components').map((component) => ({
    name: readString(component, 'name') ?? '',
    type: readString(component, 'type') ?? '',
  }));
  try {
    return toRollout({ components }, parsePolicies(readList(object, 'spec', 'policies'), applicationPlace(object)))?.component;
  } catch (error) {
    if (isAppError(error)) return undefined; // the application says what of it cannot be read
    throw error;
  }
}

/** What of a spec says which component can be rolled out. */
interface Rollable {
  readonly components: readonly Pick<ComponentSpec, 'name' | 'type'>[];
}

function toRollout(spec: Rollable, { rollout }: Policies): RolloutPolicy | undefined {
  if (rollout === undefined) return undefined;
  const { parameters, place } = rollout;
  return { ...parameters, component: chooseComponent(spec, parameters.component, place) };
}

function chooseComponent({ components }: Rollable, named: string | undefined, place: Place): string {
  const field = { ...place, path: [...place.path, 'component'] };
  const rollable = components.filter((component) => COMPONENT_TYPES[component.type]?.rollable).map(({ name }) => name);
  if (named === undefined) {
    const [only, another] = rollable;
    if (only !== undefined && another === undefined) return only;
    throw refuse(
      field,
      `must name the component to roll out, since there are ${rollable.length}: ${rollable.join(', ') || 'none has a workload'}`,
    );
  }
  if (rollable.includes(named)) return named;
  throw refuse(field, `must name a component with a workload (${rollable.join(', ') || 'there is none'}), found "${named}"`);
}
