import { z } from 'zod';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Place } from '../spec/fault';
import { parseAt, refuse } from '../spec/fault';
import type { Trait } from './component-type';
import { mapContainer } from './pod-template';

const envOfOne = {
  containerName: z.string().default(''),
  replace: z.boolean().default(false),
  env: z.record(z.string(), z.string()).default({}),
  unset: z.array(z.string()).default([]),
};
export const envSchema = z.strictObject(envOfOne);
const envOfMany = z.strictObject({ containers: z.array(z.strictObject({ ...envOfOne, containerName: z.string().min(1) })).min(1) });

/** Sets and unsets environment variables of one container, or of several. */
export const env: Trait = (draft, properties, { place, component }) => {
  const many = typeof properties === 'object' && properties !== null && 'containers' in properties;
  const wanted = many
    ? parseAt(envOfMany, properties, { ...place, what: 'an env trait for several containers' }).containers
    : [parseAt(envSchema, properties, { ...place, what: 'an env trait' })];
  const workload = wanted.reduce((held: KubeObject | undefined, { containerName, ...change }, at) => {
    const where = many ? { ...place, path: [...place.path, 'containers', at] } : place;
    return changed(held, containerName || component, (container) => withEnv(container, change), where);
  }, draft.workload);
  return { ...draft, workload };
};

interface EnvChange {
  readonly replace: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

function withEnv(container: Fields, change: EnvChange): Fields {
  const nameOf = (one: unknown) => readString(one, 'name') ?? '';
  const wanted = Object.entries(change.env).filter(([name]) => !change.unset.includes(name));
  const held = change.replace ? [] : readList(container, 'env').filter((one) => !change.unset.includes(nameOf(one)));
  const kept = held.map((one) => (Object.hasOwn(change.env, nameOf(one)) ? { name: nameOf(one), value: change.env[nameOf(one)] } : one));
  const fresh = wanted.filter(([name]) => !held.some((one) => nameOf(one) === name)).map(([name, value]) => ({ name, value }));
  return { ...container, env: [...kept, ...fresh] };
}

const cpu = z.union([z.number().positive(), z.string().min(1)]).transform(String);
const memory = z.string().regex(/^[1-9]\d{0,63}(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)$/, 'must be an amount such as 512Mi or 2Gi');
const amounts = z.strictObject({ cpu: cpu.prefault('1'), memory: memory.default('2048Mi') });
export const resourceSchema = z.strictObject({
  cpu: cpu.optional(),
  memory: memory.optional(),
  requests: amounts.optional(),
  limits: amounts.optional(),
});

/** Sets requests and limits of the component's container. */
export const resource: Trait = (draft, properties, { place, component }) => {
  const { requests, limits, ...both } = parseAt(resourceSchema, properties, { ...place, what: 'a resource trait' });
  const all = { ...(both.cpu === undefined ? {} : { cpu: both.cpu }), ...(both.memory === undefined ? {} : { memory: both.memory }) };
  if (Object.keys(all).length > 0 && (requests !== undefined || limits !== undefined))
    throw refuse(place, 'must have either cpu and memory or requests and limits, found both');
  const wanted =
    Object.keys(all).length > 0 ? { requests: all, limits: all } : { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) };
  const lay = (container: Fields) => ({ ...container, resources: { ...readFields(container, 'resources'), ...wanted } });
  return { ...draft, workload: changed(draft.workload, component, lay, place) };
};

function changed(workload: KubeObject | undefined, container: string, change: (container: Fields) => Fields, place: Place): KubeObject {
  if (workload === undefined) throw refuse(place, 'changes the containers of a workload, but the component has none');
  const result = mapContainer(workload, container, change);
  if (result === undefined) throw refuse(place, `must name a container of the component, found "${container}"`, ['containerName']);
  return result;
}
