import type { DecisionVerb, StageDecisionSpec } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import type { RolloutDescription } from '@/server/rollout';
import { describeRollout, rolloutDigest } from '@/server/rollout';
import { abortOf, approvalsOf, attemptOf, completedOf, reachedOf, stableOf } from '@/server/rollout/control/control-facts';
import type { PendingDecision } from '@/server/rollout/control/decisions';
import { evaluateRollout } from '@/server/rollout/control/evaluation';
import type { ControlState } from '@/server/rollout/control/state';
import type { Observation, RolloutDecision } from '@/server/rollout/decide';
import { decide } from '@/server/rollout/decide';
import type { ScaleRange } from '@/server/rollout/horizontal-autoscaler';
import { readHorizontalAutoscaler, withRange } from '@/server/rollout/horizontal-autoscaler';
import type { StageBounds, TargetRevision } from '@/server/rollout/model';
import type { RevisionPod } from '@/server/rollout/objects';
import { readRollout } from '@/server/rollout/objects';
import { assemble } from '@/server/rollout/observe';

interface SimulatedDeployment {
  replicas: number;
  ready: number;
  /** The HPA that scales it, as an object of its own would be stored. */
  hpa?: KubeObject;
}

const BLIND = { of: 'Pod', kind: 'forbidden', since: toInstant(Date.UTC(2026, 0, 1, 9, 0, 0)), reason: 'pods is forbidden' } as const;

/** What a decision needs besides its verb; the rest is filled in as a fresh screen would. */
export type Deciding = Partial<StageDecisionSpec> & Pick<StageDecisionSpec, 'verb'>;

/**
 * A rollout alone in the world: its object, bounds and workloads in memory, and passes run by hand.
 * Everything a pass decides is carried out at once and in order, as the engine does.
 */
export class Simulation {
  now: Instant = toInstant(Date.UTC(2026, 0, 1, 9, 0, 0));
  readonly deployments = new Map<string, SimulatedDeployment>();
  readonly bounds = new Map<string, StageBounds>();
  readonly verdicts: { readonly phase: string; readonly message: string }[] = [];
  pods: RevisionPod[] = [];
  /** What the computed status says of workloads that have failed. */
  readonly failures = new Map<string, string>();
  readable = true;
  /** Called at every change of a replica count, with the counts before it. */
  onScale: (revision: string, from: number, to: number) => void = () => undefined;
  #ro: KubeObject;
  /** How many decisions were made; their uids go by it. */
  decided = 0;

  constructor(spec: Readonly<Record<string, unknown>>) {
    this.#ro = Object.freeze({
      ...KINDS.rolloutOrchestrator,
      metadata: { name: 'web', namespace: 'shop', uid: 'ro-1', generation: 1 },
      spec,
      status: {},
    });
  }

  get ro(): KubeObject {
    return this.#ro;
  }

  /** Frozen, as copies of the cluster are, so that each is read once. */
  set ro(next: KubeObject) {
    this.#ro = Object.freeze(next);
  }

  /** What is stored of it. */
  get stored(): ControlState {
    const { control } = readRollout(this.ro);
    if (control === undefined) throw new Error('no pass has run yet');
    return control;
  }

  /** What is stored, with what follows from it, laid out flat. */
  get control() {
    const { stored, told } = this;
    const { hold } = evaluateRollout(this.observe().view, this.now);
    const abort = abortOf(stored);
    return {
      ...stored,
      completedStages: completedOf(stored),
      currentStageIndex: told.stageIndex,
      stageCount: told.stageCount,
      reachedPercent: reachedOf(stored).percent,
      approvals: approvalsOf(stored),
      pauseConditions: hold === undefined ? [] : [hold],
      abort: abort !== undefined,
      abortDone: stored.state === 'aborted',
      rejectedRevision: abort?.rejected,
      abortReason: abort?.reason,
      rollout: attemptOf(stored),
      stable: stableOf(stored),
      floor: attemptOf(stored)?.floor ?? 0,
    };
  }

  get spec(): Readonly<Record<string, unknown>> {
    return this.ro.spec as Readonly<Record<string, unknown>>;
  }

  get stage(): readonly TargetRevision[] {
    return readRollout(this.ro).rollout.spec.stageTargetRevisions ?? [];
  }

  condition(type: string): string | undefined {
    return readRollout(this.ro).rollout.status.conditions.find((condition) => condition.type === type)?.status;
  }

  deploy(name: string, replicas: number, ready = replicas): void {
    this.deployments.set(name, { replicas, ready });
  }

  /** Gives a workload an HPA of its own. */
  autoscale(name: string, minReplicas: number, maxReplicas: number): void {
    const { apiVersion, kind } = KINDS.deployment;
    const deployment = this.deployments.get(name);
    if (deployment === undefined) throw new Error(`no workload ${name}`);
    const spec = { minReplicas, maxReplicas, scaleTargetRef: { apiVersion, kind, name } };
    deployment.hpa = { ...KINDS.horizontalPodAutoscaler, metadata: { name, namespace: 'shop' }, spec };
  }

  /** What the HPA of a workload may come to; undefined without one. */
  range(name: string): ScaleRange | undefined {
    const hpa = this.deployments.get(name)?.hpa;
    return hpa && readHorizontalAutoscaler(hpa).range;
  }

  /** An HPA looks: asleep at zero, else it goes where its load takes it, 0 the least and 1 the most it may. Pods not ready go first. */
  lookOfHpa(name: string, load: number): void {
    const deployment = this.deployments.get(name);
    const range = this.range(name);
    if (deployment === undefined || range === undefined || deployment.replicas === 0) return;
    deployment.replicas = range.min + Math.round(load * (range.max - range.min));
    deployment.ready = Math.min(deployment.ready, deployment.replicas);
  }

  /** Where the API server ties names to people. */
  isTied = false;

  /** Changes the spec as somebody else would. */
  change(spec: Readonly<Record<string, unknown>>): void {
    const { metadata } = this.ro;
    this.ro = {
      ...this.ro,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: JSON.parse(JSON.stringify({ ...this.spec, ...spec })),
    };
  }

  advance(seconds: number): void {
    this.now = toInstant(this.now + seconds * 1000);
  }

  /** Every pod that was asked for is ready, and no other one is there. */
  settlePods(except: readonly string[] = []): void {
    for (const [name, deployment] of this.deployments) if (!except.includes(name)) deployment.ready = deployment.replicas;
  }

  /** What the engine sees now. */
  observe(decisions: readonly PendingDecision[] = []): Observation {
    return assemble(
      {
        ro: readRollout(this.ro),
        autoscalers: [...this.bounds].map(([name, bounds]) => ({ name, bounds, figures: {}, ready: false })),
        deployments: [...this.deployments].map(([name, deployment]) => toDeployment(name, deployment)),
        scalers: new Map([...this.deployments].flatMap(([name, { hpa }]) => (hpa ? [[name, hpa]] : []))),
        failures: this.failures,
        pods: this.pods,
        decisions,
        freshness: { staleKind: this.readable ? undefined : BLIND, until: undefined },
      },
      this.now,
    );
  }

  /** What everybody is told now. */
  get told(): RolloutDescription {
    return describeRollout(this.observe(), this.now);
  }

  /** Why it waits, in a sentence. */
  get sentence(): string {
    return formatRollout(this.told.waitsFor.message);
  }

  /** What a verb does, a sentence each; why it is not possible where it is not. */
  saysOf(verb: DecisionVerb): readonly string[] {
    const { why, consequences } = this.told.acts[verb];
    return why === null ? (consequences?.messages ?? []).map(formatRollout) : [formatRollout(why)];
  }

  /** One pass. With `until` it stops half-way, as a crash would. */
  pass(decisions: readonly PendingDecision[] = [], until: 'spec' | 'status' | 'actions' | 'end' = 'end'): RolloutDecision {
    const decision = decide({ ...this.observe(decisions), isTied: this.isTied }, this.now);
    this.#writeSpec(decision);
    if (until === 'spec') return decision;
    this.ro = JSON.parse(
      JSON.stringify({
        ...this.ro,
        status: { ...decision.status, observedGeneration: this.ro.metadata.generation, control: decision.control },
      }),
    ) as KubeObject;
    this.verdicts.push(...decision.verdicts.map(({ phase, message }) => ({ phase, message })));
    if (until === 'status') return decision;
    this.#carryOut(decision);
    if (until === 'actions') return decision;
    for (const { revision, to } of decision.scales.ranges) this.#changeRange(revision, to);
    for (const { revision, from, to } of decision.scales.writes) this.#scale(revision, from, to);
    return decision;
  }

  /** Passes with pods that come and go at once, until nothing changes any more. */
  settle(limit = 400): void {
    for (let turn = 0; turn < limit; turn++) {
      const before = JSON.stringify([this.ro, [...this.bounds], [...this.deployments]]);
      this.pass();
      this.settlePods();
      if (JSON.stringify([this.ro, [...this.bounds], [...this.deployments]]) === before) return;
    }
    throw new Error(`the rollout did not settle: ${JSON.stringify(this.control)}`);
  }

  /** Runs passes while a condition does not hold. */
  settleUntil(what: string, isSo: () => boolean, limit = 400): void {
    for (let turn = 0; turn < limit; turn++) {
      this.pass();
      this.settlePods();
      if (isSo()) return;
    }
    throw new Error(`in vain until ${what}: ${JSON.stringify(this.control)}`);
  }

  /** A decision made on what is on the screen now. */
  decision({ verb, ...given }: Deciding, user = 'ann'): PendingDecision {
    const uid = `decision-${++this.decided}`;
    const target = readRollout(this.ro).rollout.spec.targetRevisions?.[0]?.revisionName;
    const spec: StageDecisionSpec = {
      rolloutRef: { name: 'web', uid: 'ro-1' },
      verb,
      stage: completedOf(this.stored),
      reason: 'because',
      actor: { user },
      seen: { rollout: rolloutDigest(this.ro), policy: readRollout(this.ro).loosening?.digest },
      ...(target === undefined ? {} : { revision: target }),
      ...given,
    };
    const object: KubeObject = { ...KINDS.stageDecision, metadata: { name: uid, namespace: 'shop', uid } };
    return { object, namespace: 'shop', name: uid, uid, createdAt: toKubeTime(this.now), spec };
  }

  /** Decides now and answers what became of it. */
  decide(deciding: Deciding, user?: string): { readonly phase: string; readonly message: string } {
    this.pass([this.decision(deciding, user)]);
    const verdict = this.verdicts.at(-1);
    if (verdict === undefined) throw new Error('the decision was not judged');
    return verdict;
  }

  #writeSpec({ spec }: RolloutDecision): void {
    const next = JSON.parse(JSON.stringify({ ...this.spec, ...spec })) as Record<string, unknown>;
    if (JSON.stringify(next) !== JSON.stringify(this.spec)) this.change(next);
    for (const [name, value] of Object.entries(spec)) if (value === undefined) this.ro = { ...this.ro, spec: without(this.spec, name) };
  }

  #carryOut({ actions }: RolloutDecision): void {
    for (const action of actions) {
      if (action.kind === 'Pod') this.pods = this.pods.filter(({ name }) => name !== action.name);
      else if (action.verb === 'create') this.bounds.set(action.name, action.object.spec);
      else if (action.verb === 'update') this.bounds.set(action.name, action.bounds);
      else this.bounds.delete(action.name);
    }
  }

  #changeRange(revision: string, to: ScaleRange): void {
    const deployment = this.deployments.get(revision);
    if (deployment?.hpa) deployment.hpa = withRange(readHorizontalAutoscaler(deployment.hpa), to);
  }

  #scale(revision: string, from: number, to: number): void {
    const deployment = this.deployments.get(revision);
    if (deployment === undefined) return;
    this.onScale(revision, from, to);
    deployment.replicas = to;
    deployment.ready = Math.min(deployment.ready, to);
  }
}

function without(spec: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => key !== name));
}

function toDeployment(name: string, { replicas, ready }: SimulatedDeployment): KubeObject {
  return {
    ...KINDS.deployment,
    metadata: { name, namespace: 'shop', generation: 1 },
    spec: { replicas },
    status: {
      observedGeneration: 1,
      replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      conditions: [{ type: 'Available', status: ready >= replicas ? 'True' : 'False', lastTransitionTime: '2026-01-01T09:00:00Z' }],
    },
  };
}

/** A spec that goes from one revision to another, both with so many replicas. */
export function aRolloutSpec(
  from: string,
  to: string,
  replicas: number,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    initialRevisions: [anEntry(from, replicas)],
    targetRevisions: [anEntry(to, replicas)],
    rolloutStrategy: 'availability',
    ...more,
  };
}

/** The entry of a revision that carries everything. */
export function anEntry(revisionName: string, replicas: number): TargetRevision {
  return { revisionName, percent: 100, minScale: replicas, maxScale: replicas, latestRevision: true };
}

/** A rollout from web-v1 to web-v2, with web-v1 running. */
export function aSimulation(replicas = 10, more: Readonly<Record<string, unknown>> = {}): Simulation {
  const simulation = new Simulation(aRolloutSpec('web-v1', 'web-v2', replicas, more));
  simulation.deploy('web-v1', replicas);
  simulation.deploy('web-v2', 0);
  return simulation;
}
