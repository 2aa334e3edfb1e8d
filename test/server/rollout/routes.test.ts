import { describe, expect, it } from 'vitest';
import type { Revisions, SpaFigures, TargetRevision } from '@/server/rollout/model';
import { DEFAULT_STAGE_CONFIG } from '@/server/rollout/planning/config';
import type { TargetSources, TrafficItem } from '@/server/rollout/planning/targets';
import { finalTargets, initialTargets, newestRevisionName } from '@/server/rollout/planning/targets';
import { stageTraffic } from '@/server/rollout/surface/traffic';

const MIN = 'autoscaling.knative.dev/min-scale';
const MAX = 'autoscaling.knative.dev/max-scale';

const sources = (
  traffic?: readonly TrafficItem[],
  more: Partial<TargetSources> = {},
  templateAnnotations?: Record<string, string>,
): TargetSources => ({
  service: { name: 'web', ...(traffic ? { traffic } : {}), ...(templateAnnotations ? { templateAnnotations } : {}) },
  configurationGeneration: 2,
  records: {},
  ...more,
});

describe('[rollout 6.1] the name of the newest revision', () => {
  it('is that of the service and a number of five digits, of a long one cut and hashed to 63 signs', () => {
    expect([newestRevisionName('web', 7), newestRevisionName('web', 123_456)]).toEqual(['web-00007', 'web-123456']);
    const [fits, long] = ['a'.repeat(57), 'a'.repeat(58)];
    expect(newestRevisionName(fits, 7)).toBe(`${fits}-00007`);
    expect(newestRevisionName(long, 7)).toMatch(/^a{25}[0-9a-f]{32}-00007$/);
    expect(newestRevisionName(long, 7)).not.toBe(newestRevisionName(`${long}b`, 7));
  });
});

describe('[rollout 6.1] the list that a rollout ends with', () => {
  it('is the newest revision alone where the service names no traffic', () => {
    const [only, ...others] = finalTargets(sources(undefined, {}, { [MIN]: '2', [MAX]: '5' }));
    expect([only, others]).toEqual([
      {
        revisionName: 'web-00002',
        latestRevision: true,
        percent: 100,
        minScale: 2,
        maxScale: 5,
        configurationName: undefined,
        tag: undefined,
        url: undefined,
      },
      [],
    ]);
    expect(finalTargets(sources([]))).toEqual([{ ...only, minScale: undefined, maxScale: undefined }]);
  });

  it('has each item with its tag, and the bounds of its revision where that is there, else of the template', () => {
    const items = [
      { revisionName: 'web-00001', percent: 90, tag: 'old', url: 'http://old', configurationName: 'web' },
      { latestRevision: true, percent: 10 },
    ];
    const records = { 'web-00001': { minScale: 3 } };
    expect(finalTargets(sources(items, { records }, { [MIN]: '2', [MAX]: '-2147483648' }))).toEqual([
      { ...items[0], latestRevision: false, minScale: 3, maxScale: undefined },
      {
        revisionName: 'web-00002',
        latestRevision: true,
        percent: 10,
        minScale: 2,
        maxScale: undefined,
        configurationName: undefined,
        tag: undefined,
        url: undefined,
      },
    ]);
    expect(finalTargets(sources(undefined, {}, { [MIN]: '2147483648', [MAX]: '-2147483647' }))).toMatchObject([
      { minScale: undefined, maxScale: -2_147_483_647 },
    ]);
    expect(finalTargets(sources([{ revisionName: 'toString' }]))).toMatchObject([{ revisionName: 'toString', minScale: undefined }]);
  });

  it('begins with the newest revision where that is named last, with nothing', () => {
    const order = (last: TrafficItem) =>
      finalTargets(sources([{ revisionName: 'a', percent: 60 }, { revisionName: 'b', percent: 40 }, last])).map(
        ({ revisionName }) => revisionName,
      );
    expect(order({ latestRevision: true, percent: 0 })).toEqual(['web-00002', 'a', 'b']);
    for (const last of [
      { latestRevision: true, percent: 1 },
      { latestRevision: true },
      { revisionName: 'web-00002', percent: 0 },
      { revisionName: 'web-00002', latestRevision: false, percent: 0 },
    ])
      expect(order(last)).toEqual(['a', 'b', 'web-00002']);
  });
});

describe('[rollout 6.1] the list that a rollout starts from', () => {
  const start = (...items: readonly TrafficItem[]) =>
    initialTargets(sources(), items)?.map(({ revisionName, percent, latestRevision, tag }) => ({
      revisionName,
      percent,
      latestRevision,
      tag,
    }));

  it('is none where nothing is served', () => {
    expect(start()).toBeUndefined();
  });

  it('is by name, with each revision once and the sum of its shares', () => {
    expect(
      start(
        { revisionName: 'b', percent: 30, tag: 'first' },
        { revisionName: 'a', percent: 50 },
        { revisionName: 'b', percent: 20, tag: 'second' },
      ),
    ).toEqual([
      { revisionName: 'a', percent: 50, latestRevision: false, tag: undefined },
      { revisionName: 'b', percent: 50, latestRevision: false, tag: 'first' },
    ]);
    expect(start({ revisionName: 'b' }, { revisionName: 'c' }, { revisionName: 'a' })?.map(({ revisionName }) => revisionName)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(start({ revisionName: 'b', percent: 30 }, { revisionName: 'b' })).toMatchObject([{ percent: 30 }]);
    expect(start({ revisionName: 'b' }, { revisionName: 'b', percent: 20 })).toMatchObject([{ percent: 20 }]);
    expect(start({ revisionName: 'b' }, { revisionName: 'b', tag: 'only' })).toMatchObject([{ percent: 100 }]);
  });

  it('takes what names no revision for the newest, before all others', () => {
    expect(start({ revisionName: 'a', percent: 40 }, { percent: 60 }, { latestRevision: true, percent: 0 })).toMatchObject([
      { revisionName: 'web-00002', percent: 60, latestRevision: true },
      { revisionName: 'a' },
    ]);
  });
});

describe('[rollout 10.2] what is written to the router', () => {
  const old: TargetRevision = { revisionName: 'web-v1', percent: 75, minScale: 4, latestRevision: true, tag: 'old', url: 'http://old' };
  const fresh: TargetRevision = { revisionName: 'web-v2', percent: 25, minScale: 4, latestRevision: true, configurationName: 'web' };
  const reached: Revisions = [{ ...old, percent: 100 }];

  interface Scene {
    readonly stage?: Revisions | undefined;
    readonly reached?: Revisions | undefined;
    readonly target?: Revisions | undefined;
    readonly complete?: boolean;
    readonly config?: object;
    readonly figures?: SpaFigures | undefined;
    readonly traffic?: readonly TrafficItem[];
  }
  const written = (scene: Scene = {}) =>
    stageTraffic({
      service: { name: 'web', traffic: scene.traffic },
      ro: {
        spec: {
          targetRevisions: 'target' in scene ? scene.target : [{ ...fresh, percent: 100 }],
          stageTargetRevisions: 'stage' in scene ? scene.stage : [old, fresh],
        },
        status: {
          conditions: scene.complete ? [{ type: 'LastStageReady', status: 'True' }] : [],
          stageRevisionStatus: 'reached' in scene ? scene.reached : reached,
        },
      },
      config: { ...DEFAULT_STAGE_CONFIG, ...scene.config },
      figuresOf: () => ('figures' in scene ? scene.figures : { actualScale: 4 }),
    });
  const shares = (scene: Scene = {}) =>
    written(scene).map(({ revisionName, configurationName, percent }) => `${revisionName ?? configurationName} ${percent}`);

  it('is the stage once the new revision is up: the newest by its configuration, others by name', () => {
    const pinned = { ...old, latestRevision: false };
    expect(written({ stage: [pinned, fresh] })).toEqual([
      { revisionName: 'web-v1', latestRevision: false, percent: 75, tag: 'old', url: 'http://old' },
      { configurationName: 'web', latestRevision: true, percent: 25, tag: undefined, url: undefined },
    ]);
    expect(written({ stage: [{ ...fresh, configurationName: undefined }] })).toMatchObject([{ configurationName: 'web' }]);
  });

  it('is what people split themselves, as it is', () => {
    const traffic = [
      { revisionName: 'a', percent: 50 },
      { revisionName: 'b', percent: 50 },
    ];
    expect(written({ traffic })).toBe(traffic);
    expect(shares({ traffic: traffic.slice(0, 1) })).toEqual(['web 75', 'web 25']);
    expect(shares({ traffic: [] })).toEqual(['web 75', 'web 25']);
  });

  it('is what was reached, pinned, while the new revision is not up, which has nothing until then', () => {
    const figures = { actualScale: 3 };
    expect(written({ figures })).toEqual([
      { revisionName: 'web-v1', latestRevision: false, percent: 100, tag: 'old', url: 'http://old' },
      { configurationName: 'web', latestRevision: true, percent: 0, tag: undefined, url: undefined },
    ]);
    const both = [
      { ...old, percent: 80 },
      { ...fresh, percent: 20 },
    ];
    expect(shares({ figures, reached: both })).toEqual(['web-v1 80', 'web 20']);
    expect([shares({ figures, stage: [] }), shares({ stage: undefined })]).toEqual([['web-v1 100'], []]);
    const ending = { ...old, revisionName: 'web-v0', tag: undefined };
    expect(written({ figures, stage: [old, ending, { ...fresh, tag: 'new' }] }).at(-1)).toMatchObject({
      configurationName: 'web',
      percent: 0,
      tag: 'new',
    });
  });

  it.each<[string, Scene]>([
    ['nothing was reached', { reached: [] }],
    ['nothing was ever written', { reached: undefined }],
    ['several are the target', { target: [fresh, old] }],
    ['the target is empty', { target: [] }],
    ['there is no target', { target: undefined, figures: undefined }],
    ['stages are switched off', { config: { progressiveRolloutEnabled: false } }],
    ['the strategy is another', { config: { progressiveRolloutStrategy: 'resourceUtil' } }],
    ['the router moves by time', { config: { rolloutDuration: '60s' } }],
  ])('is the stage, up or not, where %s', (_when, scene) => {
    expect(shares({ figures: { actualScale: 0 }, ...scene })).toEqual(['web 75', 'web 25']);
  });

  it('waits by the strategy in whatever case it is written', () => {
    expect(shares({ figures: { actualScale: 0 }, config: { progressiveRolloutStrategy: 'AvailabilitY' } })).toEqual([
      'web-v1 100',
      'web 0',
    ]);
  });

  it.each<[string, SpaFigures | undefined, TargetRevision, boolean]>([
    ['nothing is known of it', undefined, fresh, false],
    ['no scale of it is known', {}, fresh, false],
    ['it has its minimum', { actualScale: 4 }, fresh, true],
    ['it has less', { actualScale: 3 }, fresh, false],
    ['it has what the stage wants', { actualScale: 2 }, { ...fresh, targetReplicas: 2 }, true],
    ['it has less than that', { actualScale: 1 }, { ...fresh, targetReplicas: 2 }, false],
    ['the stage wants more than its minimum', { actualScale: 0 }, { ...fresh, targetReplicas: 5 }, true],
    ['the stage wants exactly its minimum', { actualScale: 3 }, { ...fresh, targetReplicas: 4 }, false],
  ])('counts the new revision as up or not where %s', (_when, figures, staged, isUp) => {
    expect(shares({ figures, stage: [old, staged] })).toEqual(isUp ? ['web 75', 'web 25'] : ['web-v1 100', 'web 0']);
  });

  it('counts one without a minimum as up once anything is known of it', () => {
    const target = [{ ...fresh, minScale: undefined }];
    for (const staged of [fresh, { ...fresh, targetReplicas: 5 }])
      expect(shares({ figures: { actualScale: 0 }, target, stage: [old, staged] })).toEqual(['web 75', 'web 25']);
  });

  it('drops what drains once all is done, or where the router moves by time; until then it has nothing', () => {
    const stage = [{ ...old, percent: undefined }, fresh];
    expect(shares({ stage })).toEqual(['web 0', 'web 25']);
    expect([shares({ stage, complete: true }), shares({ stage, config: { rolloutDuration: '60s' } })]).toEqual([['web 25'], ['web 25']]);
    expect(shares({ stage: [{ ...old, percent: 0 }, fresh], complete: true })).toEqual(['web 0', 'web 25']);
  });
});
