import { getCondition, readConditions } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { parseKubeTime } from '@/lib/std/instant';
import type { ReconcileTrigger } from '@/lib/words/release-message';
import { RECONCILE_TRIGGERS } from '@/lib/words/release-message';
import type { DeclaredRelease } from '../model/declared';
import type { Commit } from '../ports';
import type { ReleaseAct, ReleaseDescription } from './description';

/** The chart that is released, as Helm stored it; null where that was not told. */
export function chartOf({ status }: DeclaredRelease): ReleaseDescription['chart'] {
  const name = readString(status, 'chart', 'name');
  if (name === undefined) return null;
  return { name, version: readString(status, 'chart', 'version') ?? '', appVersion: readString(status, 'chart', 'appVersion') ?? null };
}

/** What chart sync did last; null where that was not told. */
export function actOf({ status }: DeclaredRelease): ReleaseAct | null {
  const at = readString(status, 'lastAct', 'at');
  if (at === undefined || parseKubeTime(at) === undefined) return null;
  return {
    at,
    by: toTrigger(readString(status, 'lastAct', 'by')),
    outcome: readString(status, 'lastAct', 'outcome') ?? '',
    revision: readString(status, 'lastAct', 'revision') ?? null,
    storedRevision: readNumber(status, 'lastAct', 'storedRevision') ?? null,
    commit: readCommit(readFields(status, 'lastAct', 'commit')),
    users: readList(status, 'lastAct', 'decision', 'users').filter((user) => typeof user === 'string'),
  };
}

/** The commit or chart version that was attempted last; where Helm went back since, that of what it went back to. Undefined where that was not told. */
export function attemptedOf({ status }: Pick<DeclaredRelease, 'status'>): string | undefined {
  const released = readString(status, 'lastAct', 'revision');
  if (readString(status, 'lastAct', 'outcome') === 'rolled-back' || isBack(status)) return released;
  return readString(status, 'lastAttemptedRevision') ?? released;
}

/** Phases that only an attempt of Helm leaves; whatever keeps it from the next one leaves others. */
const ATTEMPTED = ['Upgrading', 'Deployed', 'DeployFailed', 'Testing', 'Tested', 'TestFailed'];

/** Whether Helm went back after a failure, and has not attempted anything since, whatever else the release waits for. */
function isBack(status: Fields): boolean {
  const [phase = '', outcome] = [readString(status, 'phase'), readString(status, 'lastAct', 'outcome')];
  const rolledBack = readConditions({ status }).find(({ type }) => type === 'RolledBack');
  return outcome === 'remediated' && rolledBack?.status === 'True' && !ATTEMPTED.includes(phase);
}

function readCommit(fields: Fields): Commit | null {
  const [commit, subject, author, at] = ['commit', 'subject', 'author', 'at'].map((member) => readString(fields, member));
  return commit === undefined ? null : { commit, subject: subject ?? '', author: author ?? '', at: at ?? '' };
}

/** A loop by its name. */
export function toTrigger(text: string | undefined): ReconcileTrigger | null {
  return RECONCILE_TRIGGERS.find((known) => known === text) ?? null;
}

/** Why the last attempt failed, as the conditions tell it. Where it was not deployed, the test is of an earlier one. */
export function attemptFailureOf(status: Fields): string | undefined {
  const deployed = getCondition({ status }, 'Deployed');
  const failed = deployed?.status === 'True' ? getCondition({ status }, 'Tested') : deployed;
  return failed?.status === 'False' ? failed.message : undefined;
}
