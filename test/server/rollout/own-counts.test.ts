import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube/errors';
import { FIELD_MANAGER } from '@/server/rollout/act';
import { ManualScalings } from '@/server/rollout/manual-scaling';
import { readWorkload } from '@/server/rollout/objects';
import { aSimulation } from './simulation';

const KEY = 'shop/web' as never; // as a queue holds it
const NOTHING = { ranges: [], writes: [], waits: [] };
const { view } = aSimulation(4).observe();

interface ScaledIs {
  readonly replicas?: number;
  readonly range?: readonly [number, number];
  readonly uid?: string | undefined;
}

/** One workload, which an autoscaler counts where it has a range. */
function look({ replicas = 4, range, uid = 'uid-1' }: ScaledIs = {}) {
  const name = 'web-v1';
  const metadata = { name, namespace: 'shop', generation: 5, ...(uid === undefined ? {} : { uid }) };
  const scaler: KubeObject | undefined = range && {
    ...KINDS.horizontalPodAutoscaler,
    metadata: { name: 'by-load', namespace: 'shop', uid: 'uid-2', generation: 8 },
    spec: { minReplicas: range[0], maxReplicas: range[1] },
  };
  const workload = readWorkload({ ...KINDS.deployment, metadata, spec: { replicas } }, scaler);
  return { view: { ...view, workloads: new Map([[name, workload]]) }, decisions: [] };
}

/** The memory of passes, on a cluster that says who wrote what. */
class Memory {
  readonly byHand = new ManualScalings();
  readonly asked: string[] = [];

  leave(scene?: ScaledIs, scales: Partial<typeof NOTHING> | object = {}, scaledByHand?: readonly { readonly revision: string }[]): this {
    this.byHand.leave(
      KEY,
      { ...look(scene), ...(scaledByHand ? { scaledByHand: scaledByHand as never } : {}) },
      { scales: { ...NOTHING, ...scales } },
    );
    return this;
  }

  async find(scene: ScaledIs, manager: string | undefined = 'kubectl-scale', code?: number) {
    const get = async ({ kind, name }: ObjectAddress): Promise<KubeObject> => {
      this.asked.push(`${kind}/${name}`);
      if (code !== undefined) throw new KubeApiError({ code, reason: code === 404 ? 'NotFound' : 'Forbidden', message: 'no' });
      const fieldsV1 = { 'f:spec': kind === 'Deployment' ? { 'f:replicas': {} } : { 'f:maxReplicas': {} } };
      const own = { manager, operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1 };
      const other = { ...own, manager: 'made-it', fieldsV1: { 'f:spec': { 'f:template': {} } } };
      return {
        ...KINDS.deployment,
        metadata: { name, namespace: 'shop', managedFields: manager === '' ? [] : [other, own, other] },
      } as KubeObject;
    };
    const found = await this.byHand.find(KEY, look(scene).view, { get }, new AbortController().signal);
    return found.map(
      ({ revision, from, to, by, left }) => `${by}: ${revision} ${from} to ${to}${left === undefined ? '' : `, left ${left}`}`,
    );
  }
}

const SEEN = 'kubectl-scale: web-v1 4 to 6, left 4';

describe('[rollout 13.2] a count that is another than the pass before left', () => {
  it('is told of with who wrote it, unless the engine itself did', async () => {
    expect(await new Memory().leave().find({ replicas: 6 })).toEqual([SEEN]);
    expect(await new Memory().leave().find({ replicas: 6 }, FIELD_MANAGER)).toEqual([]);
  });

  it('is told of without a name where the cluster tells none, and where the workload went meanwhile', async () => {
    const unnamed = [SEEN.replace('kubectl-scale', 'an unknown person')];
    expect(await new Memory().leave().find({ replicas: 6 }, '')).toEqual(unnamed);
    expect(await new Memory().leave().find({ replicas: 6 }, undefined, 404)).toEqual(unnamed);
    await expect(new Memory().leave().find({ replicas: 6 }, undefined, 403)).rejects.toThrow('no');
  });

  it('is asked about only where it is another, and nobody is named for what no pass left', async () => {
    const memory = new Memory();
    expect(await memory.find({ replicas: 6 })).toEqual([]);
    expect(await memory.leave().find({})).toEqual([]);
    expect(await memory.find({ replicas: 6, uid: 'uid-9' })).toEqual([]);
    expect(memory.asked).toEqual([]);
    memory.byHand.forget(KEY);
    expect(await memory.find({ replicas: 6 })).toEqual([]);
  });

  it('is that of the name where the workload has no uid', async () => {
    expect(await new Memory().leave({ uid: undefined }).find({ replicas: 6, uid: undefined })).toEqual([SEEN]);
  });

  it('says which write it was, however often it is looked at', async () => {
    const { byHand } = new Memory().leave();
    const get = async () => ({ ...KINDS.deployment, metadata: { name: 'web-v1' } });
    const ids = async (scene: ScaledIs) =>
      (await byHand.find(KEY, look(scene).view, { get }, new AbortController().signal)).map(({ id }) => id);
    expect([await ids({ replicas: 6 }), await ids({ replicas: 6 })]).toEqual([['uid-1/scaled/5/6'], ['uid-1/scaled/5/6']]);
  });
});

describe('[rollout 13.2] a range that is another than the pass before left', () => {
  it('is told of by who wrote the autoscaler, whatever that counts', async () => {
    const memory = new Memory().leave({ range: [2, 6] });
    expect(await memory.find({ range: [2, 9] })).toEqual(['kubectl-scale: web-v1 2 to 6 to 2 to 9']);
    expect(await memory.find({ range: [2, 6], replicas: 5 })).toEqual([]);
    expect(memory.asked).toEqual(['HorizontalPodAutoscaler/by-load']);
  });

  it('is not compared with a count: who counts may have changed', async () => {
    expect(await new Memory().leave({ range: [2, 6] }).find({ replicas: 6 })).toEqual([]);
    expect(await new Memory().leave({ replicas: 4 }).find({ range: [2, 6] })).toEqual([]);
  });
});

describe('[rollout 13.2] what a pass leaves', () => {
  const write = { revision: 'web-v1', from: 4, to: 6 };

  it('is what it wrote, and what it found where it wrote nothing', async () => {
    expect(await new Memory().leave({}, { writes: [write] }).find({ replicas: 6 })).toEqual([]);
    expect(await new Memory().leave({}, { writes: [write] }).find({ replicas: 4 })).toEqual(['kubectl-scale: web-v1 6 to 4, left 6']);
    expect(await new Memory().leave({}, { writes: [{ ...write, revision: 'web-v9' }] }).find({ replicas: 6 })).toEqual([SEEN]);
    const range = { revision: 'web-v1', from: { min: 2, max: 6 }, to: { min: 1, max: 1 } };
    expect(await new Memory().leave({ range: [2, 6] }, { ranges: [range] }).find({ range: [1, 1] })).toEqual([]);
  });

  it('is the range as it is where it parks or wakes what an autoscaler counts', async () => {
    const parked = new Memory().leave({ range: [2, 6] }, { writes: [{ revision: 'web-v1', from: 4, to: 0 }] });
    expect(await parked.find({ range: [2, 6], replicas: 0 })).toEqual([]);
    expect(await parked.find({ range: [2, 9], replicas: 0 })).toHaveLength(1);
  });

  it('is what it left before where somebody else scaled and it could not put that back yet', async () => {
    const memory = new Memory().leave().leave({ replicas: 6 }, {}, [{ revision: 'web-v1' }, { revision: 'web-v9' }]);
    expect(await memory.find({ replicas: 6 })).toEqual([SEEN]);
    expect(
      await new Memory()
        .leave()
        .leave({ replicas: 6 }, {}, [{ revision: 'web-v9' }])
        .find({ replicas: 6 }),
    ).toEqual([]);
    expect(
      await new Memory()
        .leave()
        .leave({ replicas: 6 }, { writes: [{ ...write, to: 5 }] }, [{ revision: 'web-v1' }])
        .find({ replicas: 5 }),
    ).toEqual([]);
    expect(await new Memory().leave({ replicas: 6 }, {}, [{ revision: 'web-v1' }]).find({ replicas: 4 })).toEqual([
      SEEN.replace('4 to 6, left 4', '6 to 4, left 6'),
    ]);
  });
});
