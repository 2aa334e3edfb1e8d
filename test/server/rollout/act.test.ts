import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { recordLostPolicy } from '@/server/rollout/act';
import type { ControlState } from '@/server/rollout/control/state';
import { readRollout } from '@/server/rollout/objects';
import type { StageAction } from '@/server/rollout/stage/transaction';
import { aRollout, Desk } from './desk';
import { anEntry, aSimulation } from './simulation';

const STATE = 'slipway.dev/control-status';

/** What a rollout remembers in its first stage. */
const CONTROL: ControlState = (() => {
  const simulation = aSimulation(4, { overConsumptionRatio: 25 });
  simulation.pass();
  return simulation.stored;
})();

const STAGE = { stageTargetRevisions: [anEntry('web-v2', 1)], targetFinishTime: '2026-01-01T09:02:00Z' };
const VERDICT = {
  phase: 'Accepted',
  message: 'approved',
  decision: { object: { ...KINDS.stageDecision, metadata: { name: 'd-1', namespace: 'shop', resourceVersion: '9' } } },
} as never;
const DELETED: StageAction = { verb: 'delete', kind: 'Pod', name: 'web-v1-a', gracePeriodSeconds: 0 };
const SPEC_LINE = 'update RolloutOrchestrator/web spec';
const STATUS_LINE = 'update RolloutOrchestrator/web status';

describe('[issue 9.3] what a pass writes of its rollout', () => {
  it('is nothing where nothing is another', async () => {
    const desk = new Desk();
    await desk.act({});
    await desk.act({ spec: STAGE }, { object: { ...aRollout(), spec: { ...(aRollout().spec as object), ...STAGE } } });
    const status = { observedGeneration: 3, control: CONTROL };
    await desk.act({ control: CONTROL }, { object: aRollout(status) });
    expect(desk.lines).toEqual([]);
  });

  it('is its spec on the version that was looked at, then its status on that, for the generation that it planned', async () => {
    const desk = new Desk();
    await desk.act({ spec: STAGE, control: CONTROL });
    expect(desk.lines).toEqual([SPEC_LINE, STATUS_LINE]);
    expect(desk.sent[0]).toMatchObject({
      body: { metadata: { resourceVersion: '41' }, spec: { targetRevisions: [anEntry('web-v2', 4)], ...STAGE } },
      options: { fieldManager: 'slipway-rollout' },
    });
    expect(desk.sent[1]).toMatchObject({
      body: { metadata: { resourceVersion: '42' }, status: { observedGeneration: 4, control: CONTROL } },
      options: { fieldManager: 'slipway-rollout', subresource: 'status' },
    });
  });

  it('takes a stage that is over out of the spec', async () => {
    const desk = new Desk();
    await desk.act({}, { object: { ...aRollout(), spec: { ...(aRollout().spec as object), ...STAGE } } });
    expect(desk.lines).toEqual([SPEC_LINE]);
    expect(desk.sent[0]?.body).toMatchObject({ spec: { stageTargetRevisions: undefined, targetFinishTime: undefined } });
  });

  it.each([
    ['its spec', { spec: STAGE, control: CONTROL }, SPEC_LINE],
    ['its status', { control: CONTROL }, STATUS_LINE],
  ])('comes first: where %s was changed meanwhile, nothing is scaled, deleted or answered', async (_what, wanted, line) => {
    const desk = new Desk();
    desk.refuses[line] = 409;
    await expect(desk.act({ ...wanted, actions: [DELETED], verdicts: [VERDICT] })).rejects.toThrow(line);
    expect(desk.lines).toEqual([line]);
  });

  it('is answered to a decision last, and only once its effect is stored', async () => {
    const wanted = { spec: STAGE, control: CONTROL, actions: [DELETED], verdicts: [VERDICT] };
    const desk = new Desk();
    await desk.act(wanted);
    expect(desk.lines.at(-1)).toBe('update StageDecision/d-1 status');
    expect(desk.sent.at(-1)).toMatchObject({
      body: { metadata: { resourceVersion: '9' }, status: { phase: 'Accepted', message: 'approved', at: '2026-01-01T09:00:00Z' } },
      options: { fieldManager: 'slipway-rollout', subresource: 'status' },
    });
    const unstored = new Desk();
    unstored.refuses[STATUS_LINE] = 409;
    await expect(unstored.act(wanted)).rejects.toThrow(STATUS_LINE);
    expect(unstored.lines).toEqual([SPEC_LINE, STATUS_LINE, 'delete Pod/web-v1-a']);
    const gone = new Desk();
    gone.refuses['update StageDecision/d-1 status'] = 404;
    await expect(gone.act({ verdicts: [VERDICT] })).resolves.toBeUndefined();
  });
});

describe('[issue 9.3] the state of a rollout', () => {
  const statusOf = ({ sent }: Desk) => sent.map(({ body }) => (body as KubeObject).status as Readonly<Record<string, unknown>>);
  const inAnnotation = { annotations: { 'a.b/c': 'kept', [STATE]: expect.stringContaining('"state":"stage"') } };
  const kept = { annotations: { 'a.b/c': 'kept' }, conditions: [] };

  it('is written to an annotation, and not into the field, where the definition drops that or a part of it', async () => {
    const asked: string[] = [];
    const desk = new Desk();
    const dropped = (kind: string, field: string) => {
      asked.push(`${kind} ${field}`);
      return 'it does not know it';
    };
    await desk.act({ control: CONTROL }, { object: aRollout({ ...kept, control: CONTROL }), dropped });
    expect(statusOf(desk)).toEqual([{ ...kept, ...inAnnotation, observedGeneration: 3 }]);
    expect(asked).toEqual(['RolloutOrchestrator status.control']);
    const known = new Desk();
    await known.act({ control: CONTROL }, { object: aRollout(kept), dropped: () => null });
    expect(statusOf(known)).toEqual([{ ...kept, control: CONTROL, observedGeneration: 3 }]);
  });

  it('stays in the annotation where it is there alone, and comes into the field where it is in both', async () => {
    const noted = { annotations: { 'a.b/c': 'kept', [STATE]: JSON.stringify({ state: 'idle' }) } };
    const [alone, both] = [new Desk(), new Desk()];
    await alone.act({ control: CONTROL }, { object: aRollout(noted) });
    await both.act({ control: CONTROL }, { object: aRollout({ ...noted, control: { state: 'idle' } }) });
    expect(statusOf(alone)).toEqual([{ ...inAnnotation, observedGeneration: 3 }]);
    expect(statusOf(both)).toMatchObject([{ control: CONTROL }]);
  });

  it.each<[string, (control: Readonly<Record<string, unknown>>) => unknown]>([
    ['all of it', () => undefined],
    ['a part of it', ({ attempt: _attempt, ...rest }) => rest],
    ['a part deep in it', ({ attempt, ...rest }) => ({ ...rest, attempt: { ...(attempt as object), target: undefined } })],
    ['an entry of a list', ({ history, ...rest }) => ({ ...rest, history: (history as unknown[]).slice(1) })],
    [
      'a member of an entry',
      ({ history, ...rest }) => ({ ...rest, history: (history as object[]).map((one) => ({ ...one, id: undefined })) }),
    ],
    ['a list', ({ history: _history, ...rest }) => ({ ...rest, history: 'none' })],
    ['the end that a list has', ({ history, ...rest }) => ({ ...rest, history: [...(history as unknown[]), 'more'] })],
    ['a value', (control) => ({ ...control, phase: 'another' })],
  ])('goes into the annotation after all where the API server keeps the field without %s', async (_what, cut) => {
    const desk = new Desk();
    desk.keep = (status) => {
      const { control, ...rest } = status as { readonly control?: Readonly<Record<string, unknown>> };
      return control === undefined ? rest : { ...rest, control: cut(control) };
    };
    await desk.act({ control: CONTROL }, { object: aRollout(kept) });
    const [first, second] = statusOf(desk);
    expect([desk.lines, first?.control]).toEqual([[STATUS_LINE, STATUS_LINE], CONTROL]);
    expect(second).toEqual({ ...kept, ...inAnnotation, observedGeneration: 3 });
  });

  it('is in the field where the API server adds to it, and is not missed where it is not defined', async () => {
    const desk = new Desk();
    desk.keep = (status) => ({
      ...(status as object),
      control: { ...(status as { control: object }).control, added: 1, message: 'by default' },
    });
    await desk.act({ control: { ...CONTROL, message: undefined } as never });
    expect(desk.lines).toEqual([STATUS_LINE]);
  });
});

describe('[issue 9.3] that a policy was dropped', () => {
  /** What is noted where the API server has this of the rollout. */
  async function noted(stored: object, dropped: (() => string | null) | null = () => 'it does not know it') {
    const sent: unknown[] = [];
    const cluster = {
      get: async (at: object, { signal }: { readonly signal: AbortSignal }) => {
        signal.throwIfAborted();
        return { ...aRollout(), ...at, ...stored };
      },
      update: async (object: KubeObject, options: object) => void sent.push([object.metadata.resourceVersion, object.status, options]),
    };
    await recordLostPolicy(readRollout(aRollout({ conditions: [] })), {
      cluster: cluster as never,
      dropped: dropped ?? undefined,
      signal: new AbortController().signal,
    });
    return sent;
  }

  it('is noted on the version that was looked at, where the API server has no more of it', async () => {
    const status = { conditions: [], annotations: { 'slipway.dev/policy-lost': '3' } };
    expect(await noted({})).toEqual([['41', status, expect.objectContaining({ fieldManager: 'slipway-rollout', subresource: 'status' })]]);
  });

  it('is not noted where it was written meanwhile, where only the copy lacks the policy, and where nothing is known of a loss', async () => {
    const { metadata, spec } = aRollout();
    expect(await noted({ metadata: { ...metadata, generation: 4 } })).toEqual([]);
    expect(await noted({ spec: { ...(spec as object), control: { gates: 'every-stage' } } })).toEqual([]);
    for (const dropped of [() => null, null]) expect(await noted({}, dropped)).toEqual([]);
  });
});
