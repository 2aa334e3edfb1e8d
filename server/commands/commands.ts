import type { Session } from '@/server/auth';
import { acceptPlan, readMovedPlan } from './accept-plan';
import { actOnApplication } from './applications/act-on-application';
import { deleteApplication } from './applications/delete-application';
import { applyApplication } from './apply-application';
import { changeComponent } from './change-component';
import type { CommandDeps, Place } from './command-deps';
import { applicationAt } from './command-deps';
import { compareRevisions } from './compare-revisions';
import { decide } from './decide';
import { decideApplication } from './decide-application';
import { decideRelease, readReleaseRights } from './decide-release';
import { readDrift } from './drift';
import { replaceObject } from './drift-replace';
import { actOnFlux, readFluxRights } from './flux/act-on-flux';
import { createOpenForward } from './forward/open-forward';
import { readAssignees } from './inbox/read-assignees';
import { createFollowLogs } from './logs/follow-logs';
import { actOnObjects } from './objects/acts/act-on-objects';
import { editObject, readEditableObject } from './objects/edit/edit-object';
import { readKindSchema } from './objects/read-kind-schema';
import { readKinds } from './objects/read-kinds';
import { createFollowObjectEvents, findObjects, readObjectDetail, readObjectEvents, requireVisible } from './objects/read-object-detail';
import { readPods } from './objects/read-pods';
import { readTable } from './objects/read-table';
import { readApplicationText } from './read-application-text';
import { readLogs } from './read-logs';
import { readManifest, readObject } from './read-object';
import { readRefused } from './read-refused';
import { readApplicationRights, readCreateRights, readRights } from './read-rights';
import { readShown } from './record/read-shown';
import { acceptPlanOfRelease, readWaiting } from './releases/accept-release-plan';
import { draftRelease, editRelease, readEditable } from './releases/edit-release';
import { createUninstallUndeclared, notUninstallUndeclaredReason } from './releases/uninstall-undeclared';
import { revertObject } from './request-revert';
import { endSession, endSessions } from './sessions/end-sessions';
import { readSessions } from './sessions/read-sessions';
import { createOpenTerminal } from './terminal/open-terminal';
import { uninstallRelease } from './uninstall-release';

/** Everything a person can do to the cluster here, and what is read live on their behalf: each authorises by itself, whoever calls it. */
const COMMANDS = {
  decide,
  decideApplication,
  decideRelease,
  uninstallRelease,
  notUninstallUndeclaredReason,
  readEditableRelease: readEditable,
  draftRelease,
  editRelease,
  readWaitingRelease: readWaiting,
  acceptReleasePlan: acceptPlanOfRelease,
  readReleaseRights,
  actOnFlux,
  readFluxRights,
  changeComponent,
  readMovedPlan,
  acceptPlan,
  applyApplication,
  deleteApplication,
  actOnApplication,
  readRights,
  readApplicationRights,
  readCreateRights,
  readAssignees,
  readShown,
  readApplicationText,
  compareRevisions,
  readDrift,
  readRefused,
  revertObject,
  replaceObject,
  readManifest: (deps: CommandDeps, session: Session, place: Place) => readManifest(deps, session, applicationAt(place)),
  readLogs,
  readObject,
  readSessions,
  endSession,
  endSessions,
  readKinds,
  readKindSchema,
  readTable,
  readObjectDetail,
  requireVisible,
  readObjectEvents,
  readPods,
  findObjects,
  actOnObjects,
  readEditableObject,
  editObject,
};

type Bound<Command> = Command extends (deps: CommandDeps, ...rest: infer Rest) => infer Answer ? (...rest: Rest) => Answer : never;

/** The commands as they are called, each with what it is built from already given. */
export type Commands = { readonly [Name in keyof typeof COMMANDS]: Bound<(typeof COMMANDS)[Name]> } & {
  readonly followLogs: ReturnType<typeof createFollowLogs>;
  readonly followObjectEvents: ReturnType<typeof createFollowObjectEvents>;
  readonly openForward: ReturnType<typeof createOpenForward>;
  readonly openTerminal: ReturnType<typeof createOpenTerminal>;
  readonly uninstallUndeclared: ReturnType<typeof createUninstallUndeclared>;
};

/** The commands over a cluster. */
export function createCommands(deps: CommandDeps): Commands {
  const bound = Object.entries(COMMANDS).map(([name, command]) => [
    name,
    (command as (...all: unknown[]) => unknown).bind(undefined, deps),
  ]);
  const rest = Object.fromEntries(bound) as Omit<
    Commands,
    'followLogs' | 'followObjectEvents' | 'openForward' | 'openTerminal' | 'uninstallUndeclared'
  >; // every name of the table, bound
  return {
    ...rest,
    followLogs: createFollowLogs(deps),
    followObjectEvents: createFollowObjectEvents(deps),
    openForward: createOpenForward(deps),
    openTerminal: createOpenTerminal(deps),
    uninstallUndeclared: createUninstallUndeclared(deps),
  };
}
