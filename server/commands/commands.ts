import type { ApplicationRights, CreateRights } from '@/lib/contract/application-rights';
import type { ComparePage, MovedPlan, SavePreview, WrittenApplication } from '@/lib/contract/change-rows';
import type { DriftAnswer, PutBackRequest, RefusedObjects, ReplaceRequest } from '@/lib/contract/drift-rows';
import type { FluxActRequest, FluxRights } from '@/lib/contract/flux-acts';
import type { FluxKindName } from '@/lib/contract/flux-kind';
import type { CloseUp, KindsPage, ObjectEvents, ObjectTable } from '@/lib/contract/object-rows';
import type { ReleaseDecisionRequest, UninstallRequest } from '@/lib/contract/release-decision';
import type { AcceptReleasePlan, ReleaseEditRequest } from '@/lib/contract/release-edit';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import type { ReleaseRights } from '@/lib/contract/release-rows';
import type { AcceptRequest, ApplyRequest, ChangeRequest, DecisionRequest } from '@/lib/contract/requests';
import type { RightsView } from '@/lib/contract/rollout-rows';
import type { ObjectAddress } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import type { NamedKind } from '@/server/kube';
import { acceptPlan, readMovedPlan } from './accept-plan';
import type { Applied } from './apply-application';
import { applyApplication } from './apply-application';
import { changeComponent } from './change-component';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { applicationAt } from './command-deps';
import type { CompareRequest } from './compare-revisions';
import { compareRevisions } from './compare-revisions';
import { decide } from './decide';
import type { ApplicationDecisionRequest } from './decide-application';
import { decideApplication } from './decide-application';
import { decideRelease, readReleaseRights } from './decide-release';
import { readDrift } from './drift';
import { putBack } from './drift-put-back';
import { replaceObject } from './drift-replace';
import { askFlux, readFluxRights } from './flux/ask-flux';
import type { FollowedLogs, LogsAsked } from './logs/follow-logs';
import { createFollowLogs } from './logs/follow-logs';
import type { NamedObjectAt } from './objects/read-close-up';
import { findObjects, followObjectEvents, lookAt, readCloseUp, readObjectEvents } from './objects/read-close-up';
import { readKinds } from './objects/read-kinds';
import type { TableQuery } from './objects/read-table';
import { readTable } from './objects/read-table';
import type { ContainerLog, LogSource } from './read-logs';
import { readLogs } from './read-logs';
import type { ManifestText, ObjectCloseUp } from './read-object';
import { readManifest, readObject } from './read-object';
import { readRefused } from './read-refused';
import { readApplicationRights, readCreateRights, readRights } from './read-rights';
import { readWritten } from './read-written';
import type { WaitingRelease } from './releases/accept-release-plan';
import { acceptPlanOfRelease, readWaiting } from './releases/accept-release-plan';
import type { ReleaseAt, ReleaseDraft } from './releases/edit-release';
import { draftRelease, editRelease, readEditable } from './releases/edit-release';
import { uninstallRelease } from './uninstall-release';

/** Everything a person can do to the cluster here, and what is read live on their behalf. */
export interface Commands {
  decide(session: Session, place: Place, request: DecisionRequest): Promise<Accepted | SavePreview>;
  decideApplication(session: Session, place: Place, request: ApplicationDecisionRequest): Promise<Accepted>;
  decideRelease(session: Session, place: Place, request: ReleaseDecisionRequest): Promise<Accepted>;
  uninstallRelease(session: Session, place: Place, request: UninstallRequest): Promise<Accepted>;
  readEditableRelease(session: Session, at: ReleaseAt): ReturnType<typeof readEditable>;
  draftRelease(session: Session, place: Place, request: ReleaseEditRequest): Promise<ReleaseDraft>;
  editRelease(session: Session, place: Place, request: ReleaseEditRequest): Promise<Accepted>;
  readWaitingRelease(session: Session, at: ReleaseAt): Promise<WaitingRelease>;
  acceptReleasePlan(session: Session, place: Place, request: AcceptReleasePlan): Promise<Accepted>;
  readReleaseRights(session: Session, place: Place & { readonly kind: ReleaseKindName }): Promise<ReleaseRights>;
  askFlux(session: Session, place: Place, request: FluxActRequest): Promise<Accepted>;
  readFluxRights(session: Session, place: Place & { readonly kind: FluxKindName }): Promise<FluxRights>;
  changeComponent(session: Session, place: Place, request: ChangeRequest): Promise<Accepted | SavePreview>;
  readMovedPlan(session: Session, place: Place): Promise<MovedPlan>;
  acceptPlan(session: Session, place: Place, request: AcceptRequest): Promise<Accepted>;
  applyApplication(session: Session, request: ApplyRequest): Promise<Applied>;
  readRights(session: Session, place: Place): Promise<RightsView>;
  readApplicationRights(session: Session, place: Place): Promise<ApplicationRights>;
  readCreateRights(session: Session): Promise<CreateRights>;
  readWritten(session: Session, place: Place): Promise<WrittenApplication>;
  compareRevisions(session: Session, place: Place, request: CompareRequest): Promise<ComparePage>;
  readDrift(session: Session, place: Place, at: ObjectAddress): Promise<DriftAnswer>;
  readRefused(session: Session, place: Place): Promise<RefusedObjects>;
  putBack(session: Session, place: Place, request: PutBackRequest): Promise<Accepted>;
  replaceObject(session: Session, place: Place, request: ReplaceRequest): Promise<Accepted>;
  readManifest(session: Session, place: Place): Promise<ManifestText>;
  followLogs(session: Session, asked: LogsAsked, signal: AbortSignal): Promise<FollowedLogs>;
  readLogs(session: Session, of: LogSource): Promise<readonly ContainerLog[]>;
  readObject(session: Session, at: ObjectAddress): Promise<ObjectCloseUp>;
  readKinds(session: Session, ns: string | undefined): Promise<KindsPage>;
  readTable(session: Session, of: NamedKind, query: TableQuery): Promise<ObjectTable>;
  readCloseUp(session: Session, at: NamedObjectAt): Promise<CloseUp>;
  lookAt(session: Session, at: Omit<NamedObjectAt, 'name'> & { readonly name?: string }): Promise<void>;
  readObjectEvents(session: Session, at: NamedObjectAt): Promise<ObjectEvents>;
  followObjectEvents(session: Session, at: NamedObjectAt, signal: AbortSignal): AsyncGenerator<ObjectEvents, void, void>;
  findObjects(session: Session, text: string): ReturnType<typeof findObjects>;
}

/** The commands over a cluster. Each authorises by itself, whoever calls it. */
export function createCommands(deps: CommandDeps): Commands {
  return {
    decide: (session, place, request) => decide(deps, session, place, request),
    decideApplication: (session, place, request) => decideApplication(deps, session, place, request),
    decideRelease: (session, place, request) => decideRelease(deps, session, place, request),
    uninstallRelease: (session, place, request) => uninstallRelease(deps, session, place, request),
    readEditableRelease: (session, at) => readEditable(deps, session, at),
    draftRelease: (session, place, request) => draftRelease(deps, session, place, request),
    editRelease: (session, place, request) => editRelease(deps, session, place, request),
    readWaitingRelease: (session, at) => readWaiting(deps, session, at),
    acceptReleasePlan: (session, place, request) => acceptPlanOfRelease(deps, session, place, request),
    readReleaseRights: (session, place) => readReleaseRights(deps, session, place),
    askFlux: (session, place, request) => askFlux(deps, session, place, request),
    readFluxRights: (session, place) => readFluxRights(deps, session, place),
    changeComponent: (session, place, request) => changeComponent(deps, session, place, request),
    readMovedPlan: (session, place) => readMovedPlan(deps, session, place),
    acceptPlan: (session, place, request) => acceptPlan(deps, session, place, request),
    applyApplication: (session, request) => applyApplication(deps, session, request),
    readRights: (session, place) => readRights(deps, session, place),
    readApplicationRights: (session, place) => readApplicationRights(deps, session, place),
    readCreateRights: (session) => readCreateRights(deps, session),
    readWritten: (session, place) => readWritten(deps, session, place),
    compareRevisions: (session, place, request) => compareRevisions(deps, session, place, request),
    readDrift: (session, place, at) => readDrift(deps, session, place, at),
    readRefused: (session, place) => readRefused(deps, session, place),
    putBack: (session, place, request) => putBack(deps, session, place, request),
    replaceObject: (session, place, request) => replaceObject(deps, session, place, request),
    readManifest: (session, place) => readManifest(deps, session, applicationAt(place)),
    followLogs: createFollowLogs(deps),
    readLogs: (session, of) => readLogs(deps, session, of),
    readObject: (session, at) => readObject(deps, session, at),
    readKinds: (session, ns) => readKinds(deps, session, ns),
    readTable: (session, of, query) => readTable(deps, session, of, query),
    readCloseUp: (session, at) => readCloseUp(deps, session, at),
    lookAt: (session, at) => lookAt(deps, session, at),
    readObjectEvents: (session, at) => readObjectEvents(deps, session, at),
    followObjectEvents: (session, at, signal) => followObjectEvents(deps, session, at, signal),
    findObjects: (session, text) => findObjects(deps, session, text),
  };
}
