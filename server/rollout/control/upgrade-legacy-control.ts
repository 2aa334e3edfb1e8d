import { isFields, readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';

/**
 * Reads the form of earlier releases, one flat record with flags, into the present one. What is in the present form, or no record at
 * all, comes back as it is; the schema then says what is wrong with it.
 */
export function upgradeLegacyControl(stored: unknown): unknown {
  if (!isFields(stored) || stored.state !== undefined) return stored;
  const { phase, message, seenGarbage, handled, history, past } = stored;
  const common = { phase, message, seenGarbage, handled, history, past };
  const attempt = attemptOf(stored);
  if (attempt === undefined) return { state: 'idle', ...common };
  const completed = readNumber(stored, 'completedStages') ?? 0;
  const onWay = { ...common, attempt };
  if (readBoolean(stored, 'abort') === true) {
    const rejection = {
      rejected: stored.rejectedRevision ?? readString(attempt.target, 0, 'revisionName') ?? '',
      reason: stored.abortReason,
      since: stored.abortedAt,
    };
    return readBoolean(stored, 'abortDone') === true
      ? { state: 'aborted', ...onWay, ...rejection }
      : { state: 'returning', ...onWay, ...rejection, stage: completed };
  }
  const pause = { paused: stored.paused, pausedAt: stored.pausedAt };
  const { health } = stored;
  if (phase === 'Healthy') return { state: 'done', ...onWay, stage: completed };
  if ((readNumber(stored, 'currentStageIndex') ?? 0) > completed) {
    const since = stored.stageStartedAt ?? attempt.startedAt;
    return {
      state: 'stage',
      ...onWay,
      ...pause,
      stage: completed + 1,
      since,
      before: stored.reachedPercent,
      progress: stored.progress,
      health,
    };
  }
  const approvals = readList(stored, 'approvals').filter((one) => readNumber(one, 'stage') === completed);
  return {
    state: 'boundary',
    ...onWay,
    ...pause,
    stage: completed,
    since: stored.stageReadyAt ?? attempt.startedAt,
    before: stored.previousPercent,
    percent: stored.reachedPercent,
    approvals,
    advanced: readNumber(stored, 'advanced') === completed,
    health,
  };
}

type Stored = Readonly<Record<string, unknown>>;

function attemptOf(stored: Stored) {
  const rejected = readString(stored, 'rejectedRevision');
  const known = readField(stored, 'rollout');
  if (known === undefined && rejected === undefined) return undefined;
  const { id = rejected, target = [{ revisionName: rejected, percent: 100 }], startedAt = '', kind } = readFields(stored, 'rollout');
  const { stable, floor, course, promoteFull: full } = stored;
  const stages = readList(stored, 'stages');
  return { id, kind, target, startedAt, stable, floor, course, full, stages: stages.length > 0 ? stages : stagesOf(stored) };
}

/** Stages that are through, as the history tells them: it kept when, and the percent in words. */
function stagesOf(stored: Stored): readonly object[] {
  const history = readList(stored, 'history');
  const started = history.findLastIndex((entry) => ['rollout.started', 'decision.retry'].includes(readString(entry, 'action') ?? ''));
  const aborted = history.findLastIndex((entry) => ['rollout.aborted', 'decision.abort'].includes(readString(entry, 'action') ?? ''));
  const attempt = history.slice(Math.max(started, 0), aborted > started ? aborted : undefined);
  const through = attempt.filter((entry) => ['stage.completed', 'rollout.completed'].includes(readString(entry, 'action') ?? ''));
  const revision = readString(stored, 'rollout', 'target', 0, 'revisionName') ?? '';
  return through.map((entry, at) => ({
    index: at + 1,
    way: 'forward',
    startedAt: readString(at === 0 ? attempt[0] : through[at - 1], 'at'),
    endedAt: readString(entry, 'at'),
    revisions: [{ revision, direction: 'up', percent: percentIn(entry) }],
  }));
}

function percentIn(entry: unknown): number {
  const said = /at (\d+(?:\.\d+)?) ?%/.exec(readString(entry, 'message') ?? '')?.[1];
  return said === undefined ? 100 : Number(said);
}
