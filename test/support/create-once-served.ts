import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { until } from './until';

const NOT_YET = 'There can be a delay between when CustomResourceDefinitions are created and when they are available';

/** Creates an object once the admission of a real API server knows its kind, which it does a while after the definition is called established. */
export async function createOnceServed(cluster: Pick<Cluster, 'create'>, object: KubeObject): Promise<KubeObject> {
  const made: KubeObject[] = [];
  await until(`${object.kind} is served`, async () => {
    await cluster.create(object).then(
      (created) => made.push(created),
      (error: unknown) => {
        if (!String(error).includes(NOT_YET)) throw error;
      },
    );
    return made.length > 0;
  });
  return made[0] ?? object;
}
