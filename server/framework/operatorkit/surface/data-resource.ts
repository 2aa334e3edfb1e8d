import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Cluster } from '@/server/kube';
import { ignoreError, isAlreadyExists, isNotFound } from '@/server/kube';
import type { Log } from '@/server/platform';
import { requireConfig } from '../errors';
import { CRUDResource } from '../resource/crud-resource';
import { NewPatch } from '../resource/patch';
import type { CRUDResourceOps } from '../resource/resource';

export interface DataResourceConfig<TObject> {
  readonly name: string;
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'update' | 'delete'>;
  readonly logger: Log;
  /** The ConfigMaps or Secrets that an object stands for, Secrets with their data encoded: `stringData` is never read back. */
  readonly desired: (object: TObject) => Promise<readonly KubeObject[]> | readonly KubeObject[];
  /** Labels that others may set and that are kept. */
  readonly allowedLabels?: readonly string[];
}

type State = readonly KubeObject[];

/**
 * A CRUD resource of ConfigMaps or Secrets. Only data, labels and annotations are compared. On deletion whatever exists
 * is deleted: the difference that an update looks at would leave behind what both sides agree on.
 */
export function dataResource<TObject>(config: DataResourceConfig<TObject>): CRUDResource<TObject, State, State> {
  requireConfig(config.cluster, 'Cluster');
  const { cluster, desired, name, logger, allowedLabels = [] } = config;
  const ops: CRUDResourceOps<TObject, State, State> = {
    name,
    async getCurrentState({ signal }, object) {
      const found: KubeObject[] = [];
      for (const wanted of await desired(object)) {
        try {
          found.push(await cluster.get(toAddress(wanted), { signal }));
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      }
      return found;
    },
    getDesiredState: async (_context, object) => desired(object),
    async newUpdatePatch(_context, _object, current, wanted) {
      const patch = NewPatch<State>();
      patch.setCreateChange(wanted.filter((one) => find(current, one) === undefined));
      patch.setUpdateChange(
        wanted.flatMap((one) => {
          const held = find(current, one);
          const next = held && mergeOnto(held, one, allowedLabels);
          return held === undefined || next === undefined || deepEqual(held, next) ? [] : [next];
        }),
      );
      return patch;
    },
    async newDeletePatch(_context, _object, current) {
      const patch = NewPatch<State>();
      patch.setDeleteChange(current);
      return patch;
    },
    async applyCreateChange({ signal }, _object, change) {
      for (const one of change) await ignoreError(isAlreadyExists, cluster.create(one, { signal }));
    },
    async applyDeleteChange({ signal }, _object, change) {
      for (const one of change) await ignoreError(isNotFound, cluster.delete(toAddress(one), { signal }));
    },
    async applyUpdateChange({ signal }, _object, change) {
      for (const one of change) await cluster.update(one, { signal });
    },
  };
  return new CRUDResource({ logger, ops });
}

function find(among: State, wanted: KubeObject): KubeObject | undefined {
  return among.find(
    ({ kind, metadata }) =>
      kind === wanted.kind && metadata.namespace === wanted.metadata.namespace && metadata.name === wanted.metadata.name,
  );
}

/** What is held, with the data, labels and annotations that are wanted; the version stays, so a change in between is a conflict. */
function mergeOnto(held: KubeObject, wanted: KubeObject, allowedLabels: readonly string[]): KubeObject {
  const { labels: heldLabels = {}, annotations: _replaced, ...identity } = held.metadata;
  const foreign = Object.entries(heldLabels).filter(([label]) => allowedLabels.includes(label));
  const labels = { ...Object.fromEntries(foreign), ...wanted.metadata.labels };
  const annotations = wanted.metadata.annotations ?? {};
  return {
    ...held,
    ...pick(wanted, 'data', 'binaryData'),
    // The API server keeps no empty maps, so neither do we: they would differ for ever.
    metadata: { ...identity, ...(isEmpty(labels) ? {} : { labels }), ...(isEmpty(annotations) ? {} : { annotations }) },
  };
}

function isEmpty(map: Readonly<Record<string, string>>): boolean {
  return Object.keys(map).length === 0;
}

/** Members as wanted, absent ones included: data that nobody wants is taken away. */
function pick(from: KubeObject, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
