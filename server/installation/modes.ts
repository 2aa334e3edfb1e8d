import { messageOf } from '@/lib/contract/app-error';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { groupsOfAccount } from '@/lib/kube/user-annotations';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { AccessReviewer, AccessRight, Cluster, Store } from '@/server/kube';
import { createAccessReviewer, isForbidden, listAll } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { supervise } from '@/server/platform';

export const ENGINES = ['application', 'rollout', 'chartsync'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Whether an engine of ours writes, only observes because another controller does its work, or is stopped by what the cluster would not keep. */
export type EngineState =
  /** `kinds`: why it does nothing for one of its kinds, where the others go on; absent where it drives all. */
  | { readonly mode: 'drive'; readonly why: null; readonly kinds?: Readonly<Record<string, string>> }
  /** `mend` is the command that ends it; absent where waiting does. */
  | { readonly mode: 'observe'; readonly why: string; readonly remedy?: string }
  | { readonly mode: 'stopped'; readonly why: string };

const DRIVES: EngineState = { mode: 'drive', why: null };

const FOREIGN: readonly { readonly engine: EngineName; readonly image: RegExp; readonly name: RegExp }[] = [
  { engine: 'application', image: /vela-core/, name: /vela-core$/ },
  { engine: 'chartsync', image: /helm-operator/, name: /helm-operator$/ },
  { engine: 'rollout', image: /serving-progressive-rollout|rolloutorchestrator/, name: /^progressive-rollout/ },
];

/**
 * What somebody must be able to write, in the whole cluster, who drives an engine's kinds: one of these. A name and an image tell nothing by themselves,
 * since whoever may create Deployments in one namespace chooses both.
 */
const WRITTEN: Readonly<Record<EngineName, readonly Pick<AccessRight, 'group' | 'resource'>[]>> = {
  application: [{ group: 'core.oam.dev', resource: 'applications' }],
  chartsync: [
    { group: 'helm.integrations.flux.weave.works', resource: 'fluxhelmreleases' },
    { group: 'helm.fluxcd.io', resource: 'helmreleases' },
    { group: 'flux.weave.works', resource: 'helmreleases' },
  ],
  rollout: [{ group: 'serving.knative.dev', resource: 'rolloutorchestrators' }],
};

/** Where an installation that names no namespace lands, and what belongs to whoever administers the cluster. */
const OF_ADMINISTRATORS = ['default', 'kube-system'];
/** Where its project installs each. Whoever may put a Deployment there administers it, and it may reach the cluster by other means than its account. */
const HOMES: Readonly<Record<EngineName, readonly string[]>> = {
  application: ['vela-system', ...OF_ADMINISTRATORS],
  chartsync: ['flux', 'fluxcd', 'flux-system', ...OF_ADMINISTRATORS],
  rollout: ['knative-serving', ...OF_ADMINISTRATORS],
};

/** What an engine drives, for sentences. */
const DRIVEN: Readonly<Record<EngineName, string>> = { application: 'applications', rollout: 'rollouts', chartsync: 'Helm releases' };

const CHECK_INTERVAL_MS = 60_000;
/** A controller that is upgraded is away for a moment; one that was away for so long is not waited for any more. */
const AWAY_FOR_GOOD_MS = 300_000;

interface ModeDeps {
  readonly cluster: Cluster;
  /** The watched copies of Deployments, which spare a list each minute. */
  readonly deployments: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A Deployment that does what an engine of ours does. */
interface Foreign {
  readonly name: string;
  /** The command that ends it, for whoever wants Slipway to drive. */
  readonly end: string;
}

/** Another controller of an engine's kind, and since when it is not seen any more. */
interface Seen {
  readonly controller: Foreign;
  readonly awaySince: Instant | undefined;
}

/**
 * Looks each minute for controllers that own the same objects as our engines; where one runs ours observes, since two writers never agree.
 * One that went is waited for before ours drives again (docs/decisions/0024-definitions-and-modes.md).
 */
export async function watchModes(deps: ModeDeps): Promise<(engine: EngineName) => EngineState> {
  const seen = new Map<EngineName, Seen>();
  const review = createAccessReviewer(deps.cluster, deps.clock);
  const look = async () => {
    const found = await findForeign(await readDeployments(deps), review);
    for (const engine of ENGINES) {
      const before = seen.get(engine);
      const next = nextSeen(before, found.get(engine), deps.clock.now());
      if (next === undefined) seen.delete(engine);
      else seen.set(engine, next);
      if ((before === undefined) !== (next === undefined)) notify(engine, next, deps.log);
    }
  };
  await look().catch((error: unknown) => {
    if (!isForbidden(error)) throw error; // the rights tell that nobody can look
  });
  void supervise(
    'modes',
    async (signal) => {
      while (!signal.aborted) {
        await deps.clock.sleep(CHECK_INTERVAL_MS, signal);
        await look().catch((error: unknown) =>
          deps.log.warn({ error: messageOf(error) }, 'could not look for other controllers; the last result still applies'),
        );
      }
    },
    deps,
  );
  return (engine) => toEngineState(engine, seen.get(engine));
}

/** Engines that another controller of the cluster does the work of now; none where nobody may look. */
export async function findDriven({
  cluster,
  clock,
  signal,
}: Pick<ModeDeps, 'cluster' | 'clock' | 'signal'>): Promise<ReadonlySet<EngineName>> {
  try {
    return new Set((await findForeign(await listDeployments(cluster, signal), createAccessReviewer(cluster, clock))).keys());
  } catch (error) {
    if (isForbidden(error)) return new Set();
    throw error;
  }
}

function nextSeen(before: Seen | undefined, controller: Foreign | undefined, now: Instant): Seen | undefined {
  if (controller !== undefined) return { controller, awaySince: undefined };
  if (before === undefined) return undefined;
  const awaySince = before.awaySince ?? now;
  return now - awaySince >= AWAY_FOR_GOOD_MS ? undefined : { ...before, awaySince };
}

function toEngineState(engine: EngineName, seen: Seen | undefined): EngineState {
  if (seen === undefined) return DRIVES;
  const { controller, awaySince } = seen;
  if (awaySince === undefined)
    return {
      mode: 'observe',
      why: `${controller.name} drives ${DRIVEN[engine]} in this cluster; Slipway only observes`,
      remedy: controller.end,
    };
  const again = toIso(toInstant(awaySince + AWAY_FOR_GOOD_MS));
  const why = `${controller.name} drove ${DRIVEN[engine]} in this cluster and has been away since ${toIso(awaySince)}; Slipway drives from ${again} on if it stays away, or from its next start`;
  return { mode: 'observe', why };
}

function notify(engine: EngineName, seen: Seen | undefined, log: Log): void {
  if (seen === undefined) log.warn({ engine }, 'the other controller is gone: the engine drives again');
  else log.warn({ engine, controller: seen.controller.name }, 'another controller drives: the engine stops writing');
}

async function readDeployments({ cluster, deployments, signal }: ModeDeps): Promise<readonly KubeObject[]> {
  return deployments.health().state.kind === 'watching' ? deployments.list() : listDeployments(cluster, signal);
}

async function listDeployments(cluster: Cluster, signal?: AbortSignal): Promise<readonly KubeObject[]> {
  return (await listAll(cluster, KINDS.deployment, { ...(signal ? { signal } : {}), omitManagedFields: true })).items;
}

async function findForeign(deployments: readonly KubeObject[], review: AccessReviewer): Promise<ReadonlyMap<EngineName, Foreign>> {
  const found = new Map<EngineName, Foreign>();
  for (const deployment of deployments) {
    for (const { engine, image, name } of FOREIGN) {
      if (!isMeant(deployment, { image, name }) || !isRunning(deployment)) continue;
      if (await mayDrive(deployment, engine, review)) found.set(engine, toForeign(deployment));
    }
  }
  return found;
}

/** Whether a Deployment stands where its project installs it, or its account may do what driving takes. */
async function mayDrive(deployment: KubeObject, engine: EngineName, review: AccessReviewer): Promise<boolean> {
  if (HOMES[engine].includes(deployment.metadata.namespace ?? '')) return true;
  const account = readString(deployment, 'spec', 'template', 'spec', 'serviceAccountName') ?? 'default';
  const user = `system:serviceaccount:${deployment.metadata.namespace ?? 'default'}:${account}`;
  for (const kind of WRITTEN[engine]) {
    if (await review({ user, groups: groupsOfAccount(user) }, { verb: 'update', ...kind, subresource: 'status' })) return true;
  }
  return false;
}

function toForeign({ metadata: { name = '', namespace = 'default' } }: KubeObject): Foreign {
  return {
    name: describeObject({ kind: 'Deployment', namespace, name }),
    end: `kubectl scale deployment ${name} --namespace ${namespace} --replicas 0`,
  };
}

function isMeant(deployment: KubeObject, { image, name }: Omit<(typeof FOREIGN)[number], 'engine'>): boolean {
  const images = readList(deployment, 'spec', 'template', 'spec', 'containers').map((container) => readString(container, 'image') ?? '');
  return name.test(deployment.metadata.name ?? '') || images.some((one) => image.test(one));
}

/** One that is scaled to nothing, and has no pod left, drives nothing. */
function isRunning(deployment: KubeObject): boolean {
  return readNumber(deployment, 'spec', 'replicas') !== 0 || (readNumber(deployment, 'status', 'replicas') ?? 0) > 0;
}
