import { messageOf } from '@/lib/contract/app-error';
import { compareRelease } from '../compare/compare-release';
import { Cancelled } from '../decisions/cancellations';
import type { BaseRelease } from '../model/declared';
import { releaseKey } from '../model/release';
import type { ReleaseRequest, SyncReport, Trigger } from '../ports';
import { isInterrupted } from '../process/interrupted';
import type { BaseDeps } from './base-deps';
import { baseRequest } from './base-request';
import type { BaseDecision } from './decide-base';

/** What a look came to. */
export type Result = Pick<SyncReport, 'outcome' | 'rule' | 'error' | 'seen' | 'isCancelled' | 'lostCommit' | 'isAttempted'>;

/** What is acted on, and with what. */
interface Acting {
  readonly resource: BaseRelease;
  readonly by: Trigger;
  readonly deps: BaseDeps;
  /** Hears which commit was released. */
  readonly released: (revision: string) => void;
}

/**
 * Carries out what was decided of a release of the base kind. What failed is a result; throws only where its process ends
 * before it came to one.
 */
export async function actOnBase(decision: Exclude<BaseDecision, { readonly kind: 'pass-over' }>, acting: Acting): Promise<Result> {
  const request = () => baseRequest(acting.resource, decision.copy, acting.deps);
  switch (decision.kind) {
    case 'compare':
      return compare(decision, acting);
    case 'upgrade':
      return { ...ruleOf(decision), ...(await upgrade(request, acting)) };
    case 'install': {
      const told = await install(request, acting);
      // What was cancelled is told in the same words by every look.
      const isBlocked = told.error !== undefined && told.isCancelled !== true && decision.why !== undefined;
      return { ...ruleOf(decision), ...told, ...(isBlocked ? { error: `${decision.why}: ${told.error}` } : {}) };
    }
  }
}

const ruleOf = ({ rule }: { readonly rule?: string }) => (rule === undefined ? {} : { rule });

type Compared = Extract<BaseDecision, { readonly kind: 'compare' }>;
type MakeRequest = () => Promise<ReleaseRequest>;

function install(request: MakeRequest, acting: Acting): Promise<Result> {
  const run = (wanted: ReleaseRequest) => acting.deps.helm.install(wanted, { kept: false });
  return attempt({ done: 'installed', failed: 'Failed to install chart', request, run }, acting);
}

function upgrade(request: MakeRequest, acting: Acting): Promise<Result> {
  const run = (wanted: ReleaseRequest) => acting.deps.helm.upgrade(wanted);
  return attempt({ done: 'upgraded', failed: 'Failed to upgrade chart', request, run }, acting);
}

async function compare({ copy, stored }: Compared, acting: Acting): Promise<Result> {
  const { resource, by, deps } = acting;
  const { equal, log, config } = deps;
  const fields = { release: releaseKey(resource.release), revision: copy.revision };
  try {
    const request = await baseRequest(resource, copy, deps);
    if (await equal.holds(request, stored)) return stand('unmoved', acting);
    const desired = await equal.dryRun(request, stored, by);
    const difference = compareRelease(desired, stored);
    await equal.note(request, stored, difference === undefined);
    if (difference === undefined) return stand('equal', acting);
    const sentence =
      difference.kind === 'values' ? 'Release values have diverged due to a manual release' : 'Chart has diverged due to a manual release';
    const part = difference.kind === 'chart' ? { part: difference.part } : {};
    const diff = config.logDiffs && difference.kind === 'values' ? { wanted: desired.values, found: stored.values } : {};
    log.error({ ...fields, ...part, ...diff }, sentence);
    const rule = difference.kind === 'values' ? 'R-1B-2' : 'R-1B-3';
    return { rule, ...(await upgrade(async () => request, acting)) };
  } catch (error) {
    if (isInterrupted(error)) throw error;
    log.warn({ ...fields, error: messageOf(error) }, 'Unable to determine if release has changed');
    return { outcome: 'failed', rule: 'R-1B-6', error: messageOf(error) };
  }
}

/** There is nothing to do for a change that somebody saw, and so nothing to hold it to. */
async function stand(outcome: 'equal' | 'unmoved', { resource, deps }: Acting): Promise<Result> {
  await deps.plans.clearPreviewedPlan(resource);
  return { outcome, rule: 'R-1B-4' };
}

/** An install or an upgrade: what it is made of, and what it is called in the log. */
interface Attempt {
  readonly done: 'installed' | 'upgraded';
  readonly failed: string;
  readonly request: MakeRequest;
  readonly run: (request: ReleaseRequest) => Promise<void>;
}

/** Marking is part of it: where that fails the attempt counts as failed, although the release stands (R-ANN-2). */
async function attempt({ done, failed, request, run }: Attempt, { resource, by, deps, released }: Acting): Promise<Result> {
  let isAttempted = false;
  try {
    const wanted = await request();
    await deps.cancels.requireNotCancelled(resource, { by, chart: wanted.chart, isGated: deps.gate.isGated(resource) });
    const mayBegin = () =>
      deps.gate.requireCommit(resource, wanted.chart.revision, deps.signal).catch((error: unknown) => {
        deps.signal.throwIfAborted(); // nobody could tell any more
        throw error;
      });
    const skipped = await deps.plans.run(resource, wanted, () => {
      isAttempted = true;
      return run({ ...wanted, mayBegin });
    });
    if (skipped !== undefined) return skipped;
    released(wanted.chart.revision);
    await deps.objects.mark({ release: resource.release, onBehalfOf: resource.onBehalfOf }, resource.mark);
    return { outcome: done, isAttempted };
  } catch (error) {
    if (isInterrupted(error)) throw error;
    deps.log.warn({ release: releaseKey(resource.release), error: messageOf(error) }, failed);
    return { outcome: 'failed', error: messageOf(error), isCancelled: error instanceof Cancelled, isAttempted };
  }
}
