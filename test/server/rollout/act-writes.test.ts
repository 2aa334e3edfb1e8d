import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readWorkload } from '@/server/rollout/objects';
import type { StageAction } from '@/server/rollout/stage/transaction';
import { Desk } from './desk';

const aWorkload = (name: string, replicas: number, scaler?: KubeObject) =>
  readWorkload({ ...KINDS.deployment, metadata: { name, namespace: 'shop', resourceVersion: '7' }, spec: { replicas } }, scaler);
const aMirror = (name: string, spec: object): KubeObject => ({
  ...KINDS.stagePodAutoscaler,
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec,
});
const DELETED: StageAction = { verb: 'delete', kind: 'Pod', name: 'web-v1-a', gracePeriodSeconds: 0 };

describe('[rollout 2.2] the bounds of a revision', () => {
  const bounds = { stageMinScale: 1, stageMaxScale: 2 };
  const update = (to: object): StageAction => ({ verb: 'update', kind: 'StagePodAutoscaler', name: 'web-v2', bounds: to });
  const created = { metadata: { name: 'web-v2', namespace: 'shop', labels: {}, ownerReferences: [] }, spec: bounds };
  const LINE = 'patch StagePodAutoscaler/web-v2';
  const holding = (spec: object): Desk => {
    const desk = new Desk();
    desk.mirrors = [aMirror('web-v2', spec)];
    return desk;
  };

  it('are patched alone, without one that is not set, and only where they are others', async () => {
    const desk = holding({ stageMinScale: 1, stageMaxScale: null });
    await desk.act({ actions: [update(bounds)] });
    await desk.act({ actions: [update({ stageMinScale: 3 })] });
    await desk.act({ actions: [update({ stageMinScale: 1, stageMaxScale: undefined })] });
    expect(desk.sent.map(({ line, body }) => [line, body])).toEqual([
      [LINE, { spec: bounds }],
      [LINE, { spec: { stageMinScale: 3, stageMaxScale: null } }],
    ]);
    expect(desk.sent[0]?.options).toMatchObject({ fieldManager: 'slipway-rollout' });
  });

  it('are written once where a pass asserts them twice: the last word', async () => {
    const desk = holding({});
    await desk.act({ actions: [update(bounds), update({ stageMinScale: 4, stageMaxScale: 4 })] });
    expect(desk.sent.map(({ body }) => body)).toEqual([{ spec: { stageMinScale: 4, stageMaxScale: 4 } }]);
  });

  it('are left to the next pass where nothing is there, or it went meanwhile', async () => {
    const none = new Desk();
    await none.act({ actions: [update(bounds), { verb: 'delete', kind: 'StagePodAutoscaler', name: 'web-v1' }] });
    expect(none.lines).toEqual([]);
    const gone = holding({});
    gone.refuses[LINE] = 404;
    await expect(gone.act({ actions: [update(bounds)] })).resolves.toBeUndefined();
    const refused = holding({});
    refused.refuses[LINE] = 403;
    await expect(refused.act({ actions: [update(bounds)] })).rejects.toThrow(LINE);
  });

  it('come into being with their StagePodAutoscaler, and one that was made meanwhile is no fault', async () => {
    const create: StageAction = { verb: 'create', kind: 'StagePodAutoscaler', name: 'web-v2', object: created };
    const desk = new Desk();
    await desk.act({ actions: [create] });
    expect(desk.sent).toMatchObject([{ line: 'create StagePodAutoscaler/web-v2', body: { ...KINDS.stagePodAutoscaler, ...created } }]);
    for (const [code, isFault] of [
      [409, false],
      [403, true],
    ] as const) {
      desk.refuses['create StagePodAutoscaler/web-v2'] = code;
      const failed = await desk.act({ actions: [create] }).then(
        () => false,
        () => true,
      );
      expect(failed).toBe(isFault);
    }
  });
});

describe('[rollout 7] what a pass deletes', () => {
  it('is the very StagePodAutoscaler that was looked at, and a pod with the grace that it is given', async () => {
    const desk = new Desk();
    desk.mirrors = [aMirror('web-v1', {})];
    desk.refuses['delete Pod/web-v1-a'] = 404;
    desk.refuses['delete StagePodAutoscaler/web-v1'] = 404;
    await desk.act({ actions: [{ verb: 'delete', kind: 'StagePodAutoscaler', name: 'web-v1' }, DELETED] });
    expect(desk.sent).toMatchObject([
      { line: 'delete StagePodAutoscaler/web-v1', options: { preconditions: { uid: 'uid-web-v1' } } },
      { line: 'delete Pod/web-v1-a', options: { gracePeriodSeconds: 0 } },
    ]);
  });
});

describe('[rollout 13.2] what a pass scales', () => {
  const scaler: KubeObject = {
    ...KINDS.horizontalPodAutoscaler,
    metadata: { name: 'web-v2', namespace: 'shop', resourceVersion: '5' },
    spec: { minReplicas: 1, maxReplicas: 1 },
  };
  const workloads = new Map([
    ['web-v1', aWorkload('web-v1', 4)],
    ['web-v2', aWorkload('web-v2', 0, scaler)],
  ]);
  const range = { revision: 'web-v2', from: { min: 1, max: 1 }, to: { min: 2, max: 6 } };
  const scales = (...writes: readonly { readonly revision: string; readonly from: number; readonly to: number }[]) => ({
    scales: { ranges: [range], writes, waits: [] },
  });

  it('is a range before any count, on the version that was looked at', async () => {
    const desk = new Desk();
    await desk.act(scales({ revision: 'web-v2', from: 0, to: 2 }), { workloads });
    expect(desk.lines).toEqual(['update HorizontalPodAutoscaler/web-v2 spec', 'patch Deployment/web-v2']);
    expect(desk.sent[0]?.options).toMatchObject({ fieldManager: 'slipway-rollout' });
    expect(desk.sent[0]?.body).toMatchObject({ metadata: { resourceVersion: '5' }, spec: { minReplicas: 2, maxReplicas: 6 } });
  });

  it('is raised whatever happened meanwhile, and lowered only where nothing did', async () => {
    const desk = new Desk();
    await desk.act(
      scales({ revision: 'web-v1', from: 4, to: 5 }, { revision: 'web-v1', from: 4, to: 3 }, { revision: 'web-v1', from: 4, to: 4 }),
      { workloads },
    );
    expect(desk.sent.slice(1).map(({ body }) => body)).toEqual([
      { spec: { replicas: 5 } },
      { metadata: { resourceVersion: '7' }, spec: { replicas: 3 } },
      { spec: { replicas: 4 } },
    ]);
    expect(desk.sent[1]?.options).toMatchObject({ subresource: 'scale', fieldManager: 'slipway-rollout' });
  });

  it('is nothing that is not there, or went meanwhile; what is refused is', async () => {
    const none = new Desk();
    await none.act(scales({ revision: 'web-v1', from: 4, to: 5 }));
    expect(none.lines).toEqual([]);
    for (const line of ['update HorizontalPodAutoscaler/web-v2 spec', 'patch Deployment/web-v1']) {
      const desk = new Desk();
      desk.refuses[line] = 404;
      await desk.act(scales({ revision: 'web-v1', from: 4, to: 3 }), { workloads });
      expect(desk.lines).toHaveLength(2);
      desk.refuses[line] = 409;
      await expect(desk.act(scales({ revision: 'web-v1', from: 4, to: 3 }), { workloads })).rejects.toThrow(line);
    }
  });
});
