import { z } from 'zod';
import { toInstant } from '@/lib/std/instant';
import type { Rollout } from '@/server/rollout/model';
import { readStageConfig } from '@/server/rollout/planning/config';
import { currentScaleOf, stageSize } from '@/server/rollout/planning/current-scale';
import { nextStage } from '@/server/rollout/planning/next-stage';
import { evaluateOverdue, shiftTraffic } from '@/server/rollout/planning/overdue';
import { retarget } from '@/server/rollout/planning/retarget';
import type { TargetSources } from '@/server/rollout/planning/targets';
import { finalTargets, initialTargets } from '@/server/rollout/planning/targets';
import { applyBounds, effectiveBounds } from '@/server/rollout/stage/bounds';
import { lastStage, pruneStage, splitRevisions } from '@/server/rollout/stage/completion';
import type { Conditions } from '@/server/rollout/stage/conditions';
import { manageRolloutConditions } from '@/server/rollout/stage/conditions';
import { runStage } from '@/server/rollout/stage/runner';
import { computeSpaStatus } from '@/server/rollout/stage/spa-status';
import { stageTraffic } from '@/server/rollout/surface/traffic';
import { FailingTransaction } from './failing-transaction';
import { planRollout } from './plan-rollout';
import {
  fromAction,
  fromConditions,
  NOW,
  reasonsOf,
  revisions,
  toCluster,
  toConditions,
  toConfig,
  toRollout,
  toScales,
} from './rollout-fixtures';
import type { RunCase } from './rollout-stages';

const words = z.record(z.string(), z.string()).optional();
const trafficItems = z.array(
  z.object({
    revisionName: z.string().optional(),
    configurationName: z.string().optional(),
    latestRevision: z.boolean().optional(),
    percent: z.number().optional(),
    tag: z.string().optional(),
    url: z.string().optional(),
  }),
);
const service = z.object({ name: z.string(), traffic: trafficItems.optional(), templateAnnotations: words });
const scaleBounds = z.object({ minScale: z.number().optional(), maxScale: z.number().optional() });
const deployments = z
  .array(
    z.object({
      revision: z.string(),
      replicas: z.number().optional(),
      availableReplicas: z.number().optional(),
      available: z.boolean().optional(),
    }),
  )
  .default([]);

function toSources(given: Record<string, unknown>): TargetSources {
  return {
    service: service.parse(given.service),
    configurationGeneration: z.number().parse(given.configurationGeneration),
    records: z.record(z.string(), scaleBounds).default({}).parse(given.records),
  };
}

type Marks = Omit<ReturnType<typeof manageRolloutConditions>, 'stageFailed'> & { stageFailed(conditions: Conditions): Conditions };

function pass(ro: Rollout, given: unknown, found: Record<string, unknown>, now = NOW): Rollout {
  const { snapshot, unreadable, revisions: existing } = toCluster(given);
  const result = runStage(ro, new FailingTransaction(snapshot, unreadable), { now, revisions: existing });
  found.actions = result.actions.map(fromAction);
  found.conditions = fromConditions(result.status.conditions);
  found.reasons = reasonsOf(result.status.conditions);
  found.stageRevisionStatus = result.status.stageRevisionStatus;
  found.requeueAfterSeconds = result.requeueAfterSeconds;
  found.error = result.fault?.code;
  return { ...ro, status: result.status };
}

const passSchema = z.object({
  cluster: z.unknown(),
  spec: z.record(z.string(), z.unknown()).optional(),
  generation: z.number().optional(),
});
const spaSchema = z.object({
  status: z
    .object({
      desiredScale: z.number().optional(),
      actualScale: z.number().optional(),
      replicasTerminating: z.number().optional(),
      conditions: z.record(z.string(), z.unknown()).optional(),
    })
    .default({}),
});

/** The operations of planning and orchestration, by function and operation. */
export const planOperations: Readonly<Record<string, RunCase>> = {
  'computeStages.delta'(given, found) {
    const figure = (name: string) => z.number().parse(given[name]);
    Object.assign(found, stageSize(figure('currentReplicas'), figure('currentTraffic'), figure('overConsumptionRatio')));
  },
  'computeStages.gauge'(given, found) {
    const measured = currentScaleOf(revisions.parse(given.revisions), toScales(given));
    Object.assign(found, { ...measured, replicas: Object.fromEntries(measured.replicas) });
  },
  'computeStages.next'(given, found) {
    const plan = nextStage(toRollout(given.ro), toConfig(given.config), toScales(given));
    Object.assign(found, { ...plan, finishInMinutes: plan.finish === 'keep' ? undefined : plan.finish.inMinutes });
  },
  'computeStages.plan'(given, found) {
    const stages = planRollout({
      config: toConfig(given.config),
      initialRevisions: revisions.optional().parse(given.initialRevisions),
      targetRevisions: revisions.parse(given.targetRevisions),
      scales: toScales(given),
    });
    found.count = stages.length;
    found.stages = stages.map((stage) =>
      stage.map(({ revisionName, percent, targetReplicas, direction }) => ({ revisionName, percent, targetReplicas, direction })),
    );
  },
  'computeStages.shift'(given, found) {
    found.stageTargetRevisions = shiftTraffic(
      revisions.parse(given.stageTargetRevisions),
      z.number().parse(given.overConsumptionRatio),
      toScales(given),
    );
  },
  'computeStages.timeout'(given, found) {
    const decision = evaluateOverdue({
      ro: toRollout(given.ro),
      config: toConfig(given.config),
      scales: toScales(given),
      workloads: deployments.parse(given.deployments),
      finishOffsetSeconds: z.number().optional().parse(given.finishOffsetSeconds),
    });
    Object.assign(found, decision);
  },
  'computeStages.config'(given, found) {
    const read = (name: string) => words.parse(given[name]);
    found.config = readStageConfig({
      configMap: read('configMap'),
      networkConfigMap: read('networkConfigMap'),
      templateAnnotations: read('templateAnnotations'),
      serviceAnnotations: read('serviceAnnotations'),
    });
  },
  'computeStages.finalTargets'(given, found) {
    found.revisions = finalTargets(toSources(given));
  },
  'computeStages.initialTargets'(given, found) {
    found.revisions = initialTargets(toSources(given), trafficItems.default([]).parse(given.routeTraffic));
  },
  'computeStages.retarget'(given, found) {
    found.spec = retarget({
      ro: toRollout(given.ro),
      ultimateRevisions: revisions.parse(given.ultimateRevisions),
      hasTraffic: trafficItems.default([]).parse(given.routeTraffic).length > 0,
      workloads: deployments.parse(given.deployments),
    });
  },
  'computeStages.traffic'(given, found) {
    const { snapshot, unreadable } = toCluster(given.cluster);
    found.traffic = stageTraffic({
      service: service.parse(given.service),
      ro: toRollout(given.ro),
      config: toConfig(given.config),
      figuresOf: (revision) => (revision === unreadable ? undefined : snapshot.autoscalers.find(({ name }) => name === revision)?.figures),
    });
  },
  'orchestrate.reconcile'(given, found) {
    pass(toRollout(given.ro), given.cluster, found);
  },
  'orchestrate.passes'(given, found) {
    let ro = toRollout(given.ro);
    found.passes = z
      .array(passSchema)
      .parse(given.passes)
      .map(({ cluster, spec, generation }, at) => {
        const merged: unknown = { ...ro, spec: { ...ro.spec, ...spec }, generation: generation ?? ro.generation, status: {} };
        const result: Record<string, unknown> = {};
        ro = pass({ ...toRollout(merged), status: ro.status }, cluster, result, toInstant(NOW + at * 1000));
        return result;
      });
  },
  'orchestrate.split'(given, found) {
    const { up, down } = splitRevisions(revisions.parse(given.revisions));
    Object.assign(found, { up: [...up.keys()], down: [...down.keys()] });
  },
  'orchestrate.prune'(given, found) {
    found.revisions = pruneStage(revisions.parse(given.revisions));
  },
  'orchestrate.lastStage'(given, found) {
    found.result = lastStage(revisions.optional().parse(given.current), revisions.optional().parse(given.target));
  },
  'orchestrate.mark'(given, found) {
    const marks: Marks = manageRolloutConditions(NOW);
    const named = Object.entries(marks);
    const conditions = z
      .array(z.string())
      .parse(given.marks)
      .reduce<Conditions>((held, name) => {
        const mark = named.find(([known]) => known === name)?.[1];
        if (mark === undefined) throw new Error(`no mark is called ${name}`);
        return mark(held);
      }, toConditions(given.conditions));
    found.conditions = fromConditions(conditions);
    found.reasons = reasonsOf(conditions);
  },
  'orchestrate.bounds'(given, found) {
    const stage = z.object({ stageMinScale: z.number().optional(), stageMaxScale: z.number().optional() }).optional().parse(given.spa);
    const effective = effectiveBounds({
      own: scaleBounds.parse(given.pa ?? {}),
      clusterDefaults: scaleBounds.optional().parse(given.clusterDefaults),
      unreachable: given.unreachable === true,
      stage,
    });
    const desired = z.number().optional().parse(given.desired);
    Object.assign(found, { ...effective, applied: desired === undefined ? undefined : applyBounds(desired, effective) });
  },
  'orchestrate.spaStatus'(given, found) {
    const { status } = spaSchema.parse(given.spa ?? {});
    const scales = z
      .object({ desiredScale: z.number().optional(), actualScale: z.number().optional() })
      .optional()
      .parse(given.podAutoscaler);
    const pods = z
      .array(z.object({ phase: z.string().optional(), deleting: z.boolean().optional() }))
      .default([])
      .parse(given.pods);
    const next = computeSpaStatus({ ...status, conditions: toConditions(status.conditions) }, { scales, pods }, NOW);
    found.status = { ...next, conditions: fromConditions(next.conditions) };
  },
};
