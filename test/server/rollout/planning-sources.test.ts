import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ConfigSources } from '@/server/rollout/planning/config';
import { DEFAULT_STAGE_CONFIG, parseWholeNumber, readStageConfig } from '@/server/rollout/planning/config';
import { retargetFrom } from '@/server/rollout/planning/retarget-from';
import type { TargetSources, TrafficItem } from '@/server/rollout/planning/targets';
import { finalTargets, initialTargets, newestRevisionName } from '@/server/rollout/planning/targets';

describe('how a rollout is staged', () => {
  it('[issue 10.7] is the default where nobody says anything', () => {
    expect(readStageConfig({})).toEqual(DEFAULT_STAGE_CONFIG);
  });

  it.each<{ readonly what: string; readonly given: ConfigSources; readonly found: Partial<typeof DEFAULT_STAGE_CONFIG> }>([
    {
      what: 'of the config map',
      given: { configMap: { 'over-consumption-ratio': '25', 'stage-rollout-timeout-minutes': '5', 'progressive-rollout-enabled': 'F' } },
      found: { overConsumptionRatio: 25, stageRolloutTimeoutMinutes: 5, progressiveRolloutEnabled: false },
    },
    {
      what: 'of the template first',
      given: { configMap: { 'over-consumption-ratio': '25' }, templateAnnotations: { 'rollout.knative.dev/over-consumption-ratio': '30' } },
      found: { overConsumptionRatio: 30 },
    },
    {
      what: 'of the config map where the template cannot be read',
      given: {
        configMap: { 'over-consumption-ratio': '25' },
        templateAnnotations: { 'rollout.knative.dev/over-consumption-ratio': 'many' },
      },
      found: { overConsumptionRatio: 25 },
    },
    {
      what: 'of the template that switches it off',
      given: { templateAnnotations: { 'rollout.knative.dev/progressive-rollout-enabled': 'false' } },
      found: { progressiveRolloutEnabled: false },
    },
    { what: 'of no other template', given: { templateAnnotations: { 'over-consumption-ratio': '30' } }, found: {} },
    {
      what: 'with the duration of the service first',
      given: { serviceAnnotations: { 'serving.knative.dev/rollout-duration': '10s' }, networkConfigMap: { 'rollout-duration': '20s' } },
      found: { rolloutDuration: '10s' },
    },
    {
      what: 'with the duration of the network',
      given: { networkConfigMap: { 'rollout-duration': ' 20s ' }, serviceAnnotations: {} },
      found: { rolloutDuration: '20s' },
    },
    { what: 'without a duration', given: { networkConfigMap: {} }, found: {} },
    {
      what: 'by the strategy of the config map',
      given: { configMap: { 'progressive-rollout-strategy': ' Availability ' } },
      found: { progressiveRolloutStrategy: 'Availability' },
    },
    {
      what: 'by the strategy of the template',
      given: { configMap: {}, templateAnnotations: { 'rollout.knative.dev/progressive-rollout-strategy': 'ResourceUtil' } },
      found: { progressiveRolloutStrategy: 'ResourceUtil' },
    },
    {
      what: 'by the saving one of the config map',
      given: {
        configMap: { 'progressive-rollout-strategy': 'RESOURCEUTIL' },
        templateAnnotations: { 'rollout.knative.dev/progressive-rollout-strategy': 'availability' },
      },
      found: { progressiveRolloutStrategy: 'RESOURCEUTIL' },
    },
    {
      what: 'by the saving one of the template where both are',
      given: {
        configMap: { 'progressive-rollout-strategy': 'RESOURCEUTIL' },
        templateAnnotations: { 'rollout.knative.dev/progressive-rollout-strategy': 'resourceutil' },
      },
      found: { progressiveRolloutStrategy: 'resourceutil' },
    },
  ])('[issue 10.7] is that $what', ({ given, found }) => {
    expect(readStageConfig(given)).toEqual({ ...DEFAULT_STAGE_CONFIG, ...found });
  });

  it('[issue 10.7] is not guessed where the config map cannot be read', () => {
    for (const [key, text] of Object.entries({
      'over-consumption-ratio': 'x',
      'progressive-rollout-enabled': 'yes',
      'stage-rollout-timeout-minutes': '1.5',
    })) {
      expect(() => readStageConfig({ configMap: { [key]: text } })).toThrow(`config map value ${key} cannot be read: "${text}"`);
    }
  });

  it('[issue 10.7] takes each word of a truth, and a number as it is written', () => {
    const enabled = (text: string) => readStageConfig({ configMap: { 'progressive-rollout-enabled': text } }).progressiveRolloutEnabled;
    expect(['1', 't', 'T', 'TRUE', 'true', 'True'].map(enabled)).toEqual(Array(6).fill(true));
    expect(['0', 'f', 'F', 'FALSE', 'false', 'False'].map(enabled)).toEqual(Array(6).fill(false));
    expect(['12', '+7', '-3', '0', '9007199254740991'].map(parseWholeNumber)).toEqual([12, 7, -3, 0, 9_007_199_254_740_991]);
    expect(['', 'x1', '1x', ' 1', '1.0', '9007199254740992', undefined].map(parseWholeNumber)).toEqual(Array(7).fill(undefined));
  });
});

describe('where a rollout goes to', () => {
  const sources = (traffic?: readonly TrafficItem[], more: Partial<TargetSources> = {}): TargetSources => ({
    service: {
      name: 'web',
      traffic,
      templateAnnotations: { 'autoscaling.knative.dev/min-scale': '2', 'autoscaling.knative.dev/max-scale': '2147483648' },
    },
    configurationGeneration: 7,
    records: { 'web-00003': { minScale: 4, maxScale: 8 }, 'web-00005': {} },
    ...more,
  });
  const text = (targets: ReturnType<typeof initialTargets>) =>
    targets?.map(
      ({ revisionName, percent, minScale = '-', maxScale = '-', latestRevision }) =>
        `${revisionName} ${percent}% ${minScale}-${maxScale}${latestRevision ? ' latest' : ''}`,
    );

  it('[issue 10.7] is the newest revision where nobody says how traffic goes', () => {
    expect(text(finalTargets(sources()))).toEqual(['web-00007 100% 2-- latest']);
    expect(text(finalTargets(sources([])))).toEqual(['web-00007 100% 2-- latest']);
    expect(finalTargets({ ...sources(), service: { name: 'web' } })).toMatchObject([{ revisionName: 'web-00007', minScale: undefined }]);
  });

  it('[issue 10.7] is what traffic names, with bounds of revisions that are there, and all of it where no share is written', () => {
    const item = { revisionName: 'web-00003', percent: 0, configurationName: 'web', tag: 'old', url: 'there' };
    const found = finalTargets(
      sources([item, { latestRevision: true }, { revisionName: 'web-00005', percent: 10 }, { revisionName: '', percent: 5 }]),
    );
    expect(text(found)).toEqual(['web-00003 0% 4-8', 'web-00007 100% 2-- latest', 'web-00005 10% ---', 'web-00007 5% 2-- latest']);
    expect(found[0]).toMatchObject({ configurationName: 'web', tag: 'old', url: 'there' });
  });

  it.each<{ readonly what: string; readonly last: TrafficItem; readonly first: string }>([
    { what: 'the latest at nothing', last: { latestRevision: true, percent: 0 }, first: 'web-00007' },
    { what: 'the latest with a share', last: { latestRevision: true, percent: 1 }, first: 'web-00003' },
    { what: 'the latest with all of it', last: { latestRevision: true }, first: 'web-00003' },
    { what: 'another at nothing', last: { revisionName: 'web-00005', percent: 0 }, first: 'web-00003' },
  ])('[issue 10.7] begins with the last of traffic only where that is the latest at nothing: $what', ({ last, first }) => {
    const found = finalTargets(sources([{ revisionName: 'web-00003', percent: 100 }, last]));
    expect([found.length, found[0]?.revisionName]).toEqual([2, first]);
  });

  it('[issue 10.7] begins from what is served, each revision once, by name', () => {
    expect(initialTargets(sources(), [])).toBeUndefined();
    const served = [
      { revisionName: 'web-00005', percent: 20, latestRevision: false },
      { revisionName: 'web-00003', percent: 50, tag: 'a' },
      { revisionName: 'web-00005', percent: 30, latestRevision: true, tag: 'b' },
      { percent: 0 },
    ];
    expect(text(initialTargets(sources(), served))).toEqual(['web-00007 0% 2-- latest', 'web-00003 50% 4-8', 'web-00005 50% ---']);
    expect(
      text(
        initialTargets(sources(), [
          { revisionName: 'web-00003', tag: 'a' },
          { revisionName: 'web-00003', tag: 'b' },
        ]),
      ),
    ).toEqual(['web-00003 100% 4-8']);
    expect(
      text(
        initialTargets(sources(), [
          { revisionName: 'web-00003', tag: 'a' },
          { revisionName: 'web-00003', percent: 40 },
        ]),
      ),
    ).toEqual(['web-00003 40% 4-8']);
    expect(text(initialTargets(sources(), [{ revisionName: 'web-00003', percent: 40 }, { revisionName: 'web-00003' }]))).toEqual([
      'web-00003 40% 4-8',
    ]);
  });

  it('[issue 10.7] names the newest revision within what a name may have, each service by its own', () => {
    expect([newestRevisionName('web', 7), newestRevisionName('web', 123_456)]).toEqual(['web-00007', 'web-123456']);
    const [whole, cut, other] = ['a'.repeat(57), 'a'.repeat(58), `${'a'.repeat(57)}b`].map((name) => newestRevisionName(name, 7));
    expect(whole).toBe(`${'a'.repeat(57)}-00007`);
    expect(cut).toMatch(/^a{25}[0-9a-f]{32}-00007$/);
    expect(other).not.toBe(cut);
  });
});

describe('the start of a rollout whose target changed, from what runs', () => {
  const spec = { initialRevisions: [{ revisionName: 'a', percent: 100 }], targetRevisions: [{ revisionName: 'b', percent: 100 }] };
  const deployment = (name: string, replicas: number | undefined, availableReplicas: number) => ({
    ...KINDS.deployment,
    metadata: { name },
    spec: replicas === undefined ? {} : { replicas },
    status: { availableReplicas },
  });
  const ultimateRevisions = [{ revisionName: 'c', percent: 100 }];

  it('[issue 10.7] is where it began while anything of it serves, and nowhere once nothing does', () => {
    const start = (...objects: Parameters<typeof retargetFrom>[0]) =>
      retargetFrom(objects, { ro: { spec, status: { conditions: [] } }, ultimateRevisions }).initialRevisions;
    expect(start(deployment('a', 1, 0), deployment('b', 1, 1))).toEqual(spec.initialRevisions);
    expect(start(deployment('a', 1, 0), deployment('b', 1, 0))).toBeUndefined();
    expect(start()).toBeUndefined();
  });

  it('[issue 10.7] is the stage under way only where it is written how many of the new side are wanted', () => {
    const stage = [{ revisionName: 'b', percent: 20, direction: 'up' }];
    const reached = [{ revisionName: 'a', percent: 100 }];
    const ro = { spec: { ...spec, stageTargetRevisions: stage }, status: { conditions: [], stageRevisionStatus: reached } };
    const start = (replicas: number | undefined) =>
      retargetFrom([deployment('a', 1, 1), deployment('b', replicas, 1)], { ro, ultimateRevisions }).initialRevisions;
    expect([start(1), start(undefined)]).toEqual([stage, reached]);
  });
});
