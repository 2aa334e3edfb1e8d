import { isFields, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import type { Release } from '@/server/platform';
import type { ApiContext } from '../../api/context';
import { deleteObject } from '../../api/delete';
import { compileDefinition } from './compile';

const STORAGE = 'customresourcedefinitions.apiextensions.k8s.io';
const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** Serves what definitions define, tells so in their status, and takes their objects along when they go. */
export function serveDefinitions(context: ApiContext): Release {
  const { store, registry } = context;
  const going = new Map<string, string>();
  const specs = new Map<string, unknown>();

  const follow = (name: string, definition: KubeObject | undefined) => {
    if (definition === undefined) {
      registry.define(name, []);
      specs.delete(name);
      going.delete(storageOf(name));
      return;
    }
    if (definition.metadata.deletionTimestamp !== undefined) {
      going.set(storageOf(name), name);
      empty(definition);
      return;
    }
    const served = specs.get(name);
    if (!deepEqual(served, definition.spec)) registry.define(name, compileDefinition(definition, served !== undefined));
    specs.set(name, definition.spec);
    const established = establish(context, definition);
    if (!deepEqual(established, definition)) store.put(STORAGE, name, established);
  };

  const empty = (definition: KubeObject) => {
    const name = definition.metadata.name ?? '';
    if (!definition.metadata.finalizers?.includes(CLEANUP)) return;
    const resource = registry.byStorage(storageOf(name));
    const objects = store.table(storageOf(name)).list();
    for (const { metadata } of objects) {
      if (metadata.deletionTimestamp !== undefined || resource === undefined) continue;
      deleteObject(context, { resource, name: metadata.name ?? '', ...(metadata.namespace ? { namespace: metadata.namespace } : {}) }, {});
    }
    if (store.table(storageOf(name)).size > 0) return;
    registry.define(name, []);
    const finalizers = definition.metadata.finalizers.filter((finalizer) => finalizer !== CLEANUP);
    const { finalizers: _all, ...metadata } = definition.metadata;
    if (finalizers.length === 0) store.remove(STORAGE, name);
    else store.put(STORAGE, name, { ...definition, metadata: { ...metadata, finalizers } });
  };

  for (const definition of store.table(STORAGE).list()) follow(definition.metadata.name ?? '', definition);
  return store.subscribe(({ storage, key, after }) => {
    if (storage === STORAGE) follow(key, store.get(STORAGE, key) === after ? after : store.get(STORAGE, key));
    const waiting = going.get(storage);
    const definition = waiting === undefined || after ? undefined : store.get(STORAGE, waiting);
    if (definition) empty(definition);
  });
}

// A definition is named like its table: `<plural>.<group>`.
const storageOf = (name: string) => name;

function establish({ clock }: ApiContext, definition: KubeObject): KubeObject {
  const at = toKubeTime(clock.now());
  const names = readFields(definition, 'spec', 'names');
  const held = readList(definition, 'status', 'conditions').filter(isFields);
  const condition = (type: string, reason: string, message: string) =>
    held.find((known) => known.type === type && known.status === 'True') ?? {
      type,
      status: 'True',
      lastTransitionTime: at,
      reason,
      message,
    };
  const others = held.filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established');
  const storedVersions = new Set(readList(definition, 'status', 'storedVersions'));
  for (const version of readList(definition, 'spec', 'versions'))
    if (isFields(version) && version.storage === true) storedVersions.add(readString(version, 'name'));
  const finalizers = definition.metadata.finalizers ?? [];
  return {
    ...definition,
    metadata: { ...definition.metadata, finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP] },
    status: {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
        ...others,
      ],
      acceptedNames: names,
      storedVersions: [...storedVersions],
    },
  };
}
