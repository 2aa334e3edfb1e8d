import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { POD } from '../objects';
import type { ContractCase, Scene } from '../scene';

const BUDGET = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const;
const JOB = { apiVersion: 'batch/v1', kind: 'Job' } as const;

const conditionOf = (budget: KubeObject) => readFields(readList(budget, 'status', 'conditions')[0]);

async function budgeted({ cluster, ns, until, read }: Scene, name: string, spec: object): Promise<Readonly<Record<string, unknown>>> {
  await cluster.create({ ...BUDGET, metadata: { namespace: ns, name }, spec });
  await until(`${name} is counted`, async () => readString(conditionOf(await read(BUDGET, name)), 'reason') !== undefined);
  return readFields(await read(BUDGET, name), 'status');
}

export const budgets: readonly ContractCase[] = [
  {
    title: '[cluster K] a budget writes its counts, zeros too, also of no pods and of pods without a controller',
    async play(scene) {
      const { cluster, ns, note } = scene;
      await note('of none', budgeted(scene, 'none', { minAvailable: 1, selector: { matchLabels: { app: 'none' } } }));
      await note('none may be missing of none', budgeted(scene, 'most', { maxUnavailable: 1, selector: { matchLabels: { app: 'none' } } }));
      const spec = { containers: [{ name: 'main', image: 'web:1' }] };
      await cluster.create({ ...POD, metadata: { namespace: ns, name: 'bare', labels: { app: 'bare' } }, spec });
      await scene.until('the pod is ready', async () =>
        readList(await scene.read(POD, 'bare'), 'status', 'conditions').some(
          (one) => readString(one, 'type') === 'Ready' && readString(one, 'status') === 'True',
        ),
      );
      await note(
        'of a pod without a controller',
        budgeted(scene, 'bare', { maxUnavailable: 1, selector: { matchLabels: { app: 'bare' } } }),
      );
    },
  },
  {
    title: '[cluster K] a budget that asks for a part of pods whose controller cannot be scaled allows nothing, and says why',
    async play(scene) {
      const { cluster, ns, note, until, all } = scene;
      const template = {
        metadata: { labels: { app: 'load' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'web:1' }] },
      };
      await cluster.create({ ...JOB, metadata: { namespace: ns, name: 'load' }, spec: { parallelism: 1, completions: 1, template } });
      await until('the job has a pod', async () => (await all(POD, 'app=load')).length === 1);
      const [pod] = await all(POD, 'app=load');
      const { disruptionsAllowed, conditions } = await budgeted(scene, 'load', {
        maxUnavailable: '50%',
        selector: { matchLabels: { app: 'load' } },
      });
      const said = (conditions as readonly Readonly<Record<string, unknown>>[]).map(({ status, reason, message }) => [
        status,
        reason,
        String(message).replace(pod?.metadata.name ?? '', '<pod>'),
      ]);
      await note('of a Job', [disruptionsAllowed, said]);
    },
  },
];
