import type { RecordEntry } from '@/lib/contract/record-entry';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { answerText } from '@/server/commands/editor/answer-text';
import { createTextReader } from '@/server/commands/editor/text-reader';
import { refusalOf } from './rig';

/** An object as the API server holds it. */
export const stored = (object: KubeObject, metadata: object = {}): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: `uid-${object.metadata.name}`, resourceVersion: '7', generation: 3, ...metadata },
});

/** Acts over objects that are played, where each read and write may fail. */
export function rigOf(objects: readonly KubeObject[], more: object = {}) {
  const recorded: RecordEntry[] = [];
  const written: unknown[] = [];
  const failing: { read?: Error; write?: Error; makes?: (object: KubeObject) => KubeObject } = {};
  const tell = (object: unknown) => {
    written.push(object);
    return failing.write === undefined ? Promise.resolve(object) : Promise.reject(failing.write);
  };
  const cluster = {
    get: ({ name }: ObjectAddress) => {
      const found = objects.find(({ metadata }) => metadata.name === name);
      if (failing.read !== undefined) return Promise.reject(failing.read);
      return found === undefined ? Promise.reject(refusalOf(404, 'NotFound')) : Promise.resolve(found);
    },
    update: (object: KubeObject) => tell(failing.makes?.(object) ?? object),
    patch: (at: object, patch: object) => tell({ at, patch }),
    delete: (at: object, options: object) => tell({ at, options }),
  };
  const deps = {
    cluster: { ...cluster, as: () => cluster },
    clock: { now: () => 0 },
    ids: { uuid: () => 'act' },
    texts: createTextReader(async (_owner, task) => ({ kind: 'answered', answer: answerText(task) })),
    auth: { authorise: async () => ({ visibility: 'all' }) },
    objectReader: { applicationsOf: () => [] },
    blastRadiusOf: () => ['used by a Pod'],
    freshness: () => ({ stale: null }),
    requireRecord: async () => undefined,
    record: async (entry: RecordEntry) => void recorded.push(entry),
    ...more,
  } as unknown as CommandDeps;
  return { deps, recorded, written, failing };
}
