/**
 * The rooms whose mutants are counted, each with the tests that are asked about them: those of the room and the attacks on it, but for those
 * that simulate for many seconds. What loads the whole house costs ten seconds for each mutant, so the small rooms are asked about by tests of theirs.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'server/dispatch/garbage': ['test/server/dispatch/{garbage-*,production-options}.test.ts', 'test/cases/cases.test.ts'],
  'server/auth': ['test/server/auth/*.test.ts', 'test/attacks/{limits,refusals,web,withdrawn-rights}.test.ts'],
  'server/rollout': [
    'test/server/rollout/{actions,conformance,consequences,control,decide,describe,engine,forged,gates,health,held-pass,loosening,objects,pause,policy}.test.ts',
    'test/server/rollout/{another-target,promises,quorum,refused-decisions,scale,shared-revision,states,strictness,tightening-undo,traps,way-back,writes}.test.ts',
    'test/server/rollout/{control-states,crashed-passes,flat-records,halted,lost-states,new-targets,pass-ends,rollout-digest}.test.ts',
    'test/server/rollout/{act,act-writes,judged,mirrored,observed,own-counts,policy-storage,read-objects,remembered,remembered-facts,routes}.test.ts',
    'test/server/rollout/{passes,status-change,told-failures,wakes}.test.ts',
    'test/cases/cases.test.ts',
  ],
  'server/application': [
    'test/server/application/{approvals,claims,collected,collection,components,conditions,decide,deciders,drift,end,lagging,own-kinds,parse,plain-dispatch}.test.ts',
    'test/server/application/{object-stores,open-values,plan,plan-attacks,policies,promises,propagated,render,requester}.test.ts',
    'test/server/application/{rights,rights-of-change,rolled-out,rollout,served,services,values}.test.ts',
    'test/server/application/{applied,condition-values,decided,decided-plan,reverts,rollout-write,status}.test.ts',
    'test/server/application/{act-collect,act-dispatch,act-finalize,act-kept,act-obstructed,act-revision,act-rollout,act-run,act-status,act-with-audit}.test.ts',
    'test/server/application/{reconciler,rendered-parts,rendered-traits,revert-throttle,served-plan,snapshots,spec-parts,values-kept,values-stored,wakes}.test.ts',
    'test/server/application/{evaluated,live-checks,observed,obstacles,plan-digest,planned-change,planner,verified-plan,wait-until-readable}.test.ts',
    'test/house/{grants,permission,taken-away}.test.ts',
  ],
  'server/commands': ['test/server/commands/*.test.ts', 'test/server/api/{api,application-rights,rights}.test.ts'],
  'components/rollouts': ['test/components/rollouts/*.test.{ts,tsx}'],
  'server/status/live': [
    'test/server/status/{batcher,child-index,contained,kind-stores,live-*,provenance,stream-events,unused-kinds,watched-sets}.test.ts',
  ],
};

/**
 * Parts of a room that tests of their own cover, by how their paths begin. Where a person names such a part, these alone are asked, so that a mutant
 * costs seconds on a busy machine too; a rule that only another test of the room notices counts as one that nothing holds.
 */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  'server/dispatch/garbage/': ['test/server/dispatch/garbage-*.test.ts'],
  'server/auth/oidc': ['test/server/auth/{id-token,oidc,oidc-provider}.test.ts'],
  'server/auth/sessions': ['test/server/auth/{ended-elsewhere,kept-sessions,session-parts,sessions}.test.ts'],
  'server/auth/rights/monitor': ['test/server/auth/monitor.test.ts'],
  'server/auth/authorise': [
    'test/server/auth/{authorise,monitor,sessions,sign-in,view-kind}.test.ts',
    'test/attacks/grant-commands.test.ts',
  ],
  'server/auth/auth.ts': ['test/server/auth/{bounds,ended-elsewhere,kept-sessions,monitor,oidc,sessions,sign-in}.test.ts'],
  'server/auth/': [
    'test/server/auth/{authorise,bounds,client-addresses,ended-elsewhere,kept-sessions,own-parts,sessions,sign-in,view-kind}.test.ts',
    'test/attacks/grant-commands.test.ts',
  ],
  'server/commands/drift': ['test/server/commands/{drift,drift-rows,request-revert,drift-replace,replacement,refused}.test.ts'],
  'server/commands/request-revert': ['test/server/commands/{request-revert,drift,drift-replace,replacement,refused}.test.ts'],
  'server/commands/command-deps': [
    'test/server/commands/{application-acts,applications,decide,drift-replace,permission,planned-changes,request-revert}.test.ts',
  ],
  'server/commands/objects': ['test/server/commands/objects/*.test.ts', 'test/attacks/{object-acts,streams}.test.ts'],
  'server/commands/terminal': ['test/server/commands/{terminal,pod-access}.test.ts'],
  'server/commands/pod-access': ['test/server/commands/{pod-access,terminal,forward}.test.ts'],
  'server/commands/logs': ['test/server/commands/logs/*.test.ts', 'test/server/api/logs.test.ts'],
  'server/commands/read-logs': ['test/server/commands/logs/hook-logs.test.ts'],
  'server/commands/read-refused': ['test/server/commands/{planned-changes,refused}.test.ts'],
  'server/commands/change-component': ['test/server/commands/{planned-changes,applications}.test.ts'],
  'server/commands/releases': ['test/server/commands/{edit-release,kept-release-values}.test.ts'],
  'server/commands/flux': ['test/server/commands/act-on-flux.test.ts'],
  'server/commands/applications': [
    'test/server/commands/application-{acts,deletion,deletion-undone}.test.ts',
    'test/attacks/application-acts.test.ts',
  ],
  'server/commands/forward': ['test/server/commands/{forward,pod-access}.test.ts', 'test/attacks/forwards.test.ts'],
  'server/commands/inbox': ['test/server/commands/inbox/assignees.test.ts'],
  'server/commands/record': ['test/server/commands/{shown,decide}.test.ts'],
  'server/commands/editor': [
    'test/server/commands/{checked-text,written-values,kept-values,values-rights,text-reader,thread-pool,editor,manifest-text}.test.ts',
    'test/attacks/{told-values,written}.test.ts',
  ],
  'server/commands/read-application-text': ['test/server/commands/{written-values,kept-values,editor}.test.ts'],
  'server/commands/object-diff': ['test/server/commands/compared-objects.test.ts'],
  'server/commands/preview-': ['test/server/commands/{compared-objects,planned-changes,preview-masks,applications,accept-plan}.test.ts'],
  'server/commands/compare-revisions': ['test/server/commands/{compared-objects,editor}.test.ts'],
  'server/commands/decide.ts': ['test/server/commands/{decide,decided-by-whom,roll-back,shown}.test.ts'],
  'server/commands/decide-application': ['test/server/commands/{decide,decided-by-whom,shown}.test.ts'],
  'server/commands/decide-release': ['test/server/commands/decide-release.test.ts'],
  'server/commands/uninstall-release': ['test/server/commands/uninstall-release.test.ts'],
  'server/commands/stored-previews': ['test/server/commands/{accept-plan,stored-previews}.test.ts'],
  'server/commands/mask-rows': ['test/server/commands/{mask-rows,preview-masks}.test.ts'],
  'server/commands/permit-contents': [
    'test/server/commands/{accept-plan,applications,permission,planned-changes,roll-back,values-rights}.test.ts',
  ],
  'server/commands/apply-application': [
    'test/server/commands/{applications,apply-application,editor,kept-values,permission,preview-masks,shown,values-rights}.test.ts',
  ],
  'server/commands/conflicting-change': ['test/server/commands/{applications,apply-application,roll-back}.test.ts'],
  'server/commands/stage-decision': ['test/server/commands/{decide,decided-by-whom,roll-back,shown}.test.ts'],
  'server/commands/roll-back': ['test/server/commands/{decide,decided-by-whom,roll-back}.test.ts'],
  'server/commands/read-rights': [
    'test/server/commands/{decide,decided-by-whom,read-rights}.test.ts',
    'test/server/api/{application-rights,rights}.test.ts',
  ],
  'server/commands/accept-plan': ['test/server/commands/{accept-plan,permission,planned-changes}.test.ts'],
  'server/commands/refusal': ['test/server/commands/{decide,refusal}.test.ts'],
  'server/commands/manifest-text': [
    'test/attacks/{told-values,written}.test.ts',
    'test/server/commands/{manifest-text,applications}.test.ts',
  ],
  'server/commands/per-person-limit': ['test/server/commands/per-person-limit.test.ts'],
  'server/commands/releases/uninstall-undeclared': ['test/server/commands/uninstall-undeclared.test.ts'],
  'server/commands/sessions': ['test/server/commands/sessions.test.ts'],
  'server/application/act/': [
    'test/server/application/act-{collect,dispatch,finalize,kept,obstructed,revision,rollout,run,status}.test.ts',
    'test/server/application/{deciders,decide}.test.ts',
  ],
  'server/application/decide/': [
    'test/server/application/{applied,condition-values,decide,decided,decided-plan,reverts,rollout-write,status}.test.ts',
    'test/server/application/{collected,collection,deciders,drift,rollout}.test.ts',
  ],
  'server/application/observe/': [
    'test/server/application/{claims,live-checks,object-stores,observed,obstacles,services,verified-plan}.test.ts',
  ],
  'server/application/plan/': [
    'test/server/application/{evaluated,observed,plan-digest,planned-change,planner,verified-plan,wait-until-readable}.test.ts',
  ],
  'server/application/reconciler': ['test/server/application/reconciler.test.ts'],
  'server/application/repair-log': ['test/server/application/revert-throttle.test.ts'],
  'server/application/revert-throttle': ['test/server/application/revert-throttle.test.ts'],
  'server/application/revision': ['test/server/application/{rolled-back,snapshots}.test.ts'],
  'server/application/spec/': ['test/server/application/{open-values,own-kinds,parse,spec-parts}.test.ts'],
  'server/application/engine': ['test/server/application/wakes.test.ts'],
  'server/application/render/': [
    'test/server/application/{components,parse,propagated,render,rendered-parts,rendered-traits,spec-parts}.test.ts',
  ],
  'server/application/served/': ['test/server/application/{decided-plan,served,served-plan}.test.ts'],
  'server/application/values/': ['test/server/application/{open-values,values-kept,values-stored}.test.ts'],
  'server/application/write-with-audit': ['test/server/application/reconciler.test.ts'],
  'server/application/rollback': ['test/server/application/{answer-rollbacks,rolled-back}.test.ts'],
  'server/application/permission/missing-right': [
    'test/server/application/{obstacles,propagated,requester,rights,rights-of-change}.test.ts',
  ],
  'server/application/permission/permitted': ['test/server/application/{rights-of-change,served}.test.ts'],
  'server/application/permission/propagated': ['test/server/application/propagated.test.ts'],
  'server/application/permission/requester': [
    'test/server/application/{deciders,obstacles,propagated,requester,rights,rights-of-change}.test.ts',
  ],
  'server/application/permission/approvals': ['test/server/application/{act-collect,approvals,collected,collection,deciders}.test.ts'],
  'server/application/faults': ['test/server/application/{own-kinds,parse,spec-parts}.test.ts', 'test/server/application/faults/*.test.ts'],
  'server/application/permission/rights-': ['test/server/application/{rights-of-change,served}.test.ts'],
  'server/rollout/stage': ['test/server/rollout/stage-*.test.ts'],
  'server/rollout/policy': ['test/server/rollout/{gates,policy,policy-*,strictness}.test.ts'],
  'server/rollout/planning': ['test/server/rollout/{planning-*,routes,traps}.test.ts'],
  'server/rollout/stage-decisions': ['test/server/rollout/{retired,retired-pass}.test.ts'],
  'server/rollout/stage-decisions/duplicate-vote': [
    'test/server/rollout/{quorum,decided}.test.ts',
    'test/server/commands/{decide,decided-by-whom}.test.ts',
  ],
  'server/rollout/stage-decisions/personal': [
    'test/server/rollout/{quorum,decided}.test.ts',
    'test/server/commands/decided-by-whom.test.ts',
  ],
  'server/rollout/describe/': [
    'test/server/rollout/{rollout-facts,described-*,planned-in-pass,describe,failed-part,failed-pass,loosening,tightening-undo,states}.test.ts',
    'test/server/application/answer-rollbacks.test.ts',
  ],
  'server/rollout/pass/': [
    'test/server/rollout/{planned-in-pass,described-parts,halted,held-pass,new-targets,failed-pass,pause,control,gates,pass-ends,way-back}.test.ts',
  ],
  'server/rollout/engine': ['test/server/rollout/{wakes,writes,lost-states,engine,failed-part}.test.ts'],
  'server/rollout/act.ts': ['test/server/rollout/{act,act-writes,lost-policy}.test.ts'],
  'server/rollout/failed-part.ts': ['test/server/rollout/{failed-part,told-failures}.test.ts'],
  'server/rollout/failed-pass.ts': ['test/server/rollout/{failed-pass,told-failures}.test.ts'],
  'server/rollout/reconciler.ts': ['test/server/rollout/passes.test.ts'],
  'server/rollout/spa-reconciler.ts': ['test/server/rollout/mirrored.test.ts'],
  'server/rollout/manual-scaling.ts': ['test/server/rollout/own-counts.test.ts'],
  'server/rollout/observe.ts': ['test/server/rollout/observed.test.ts'],
  'server/rollout/objects.ts': ['test/server/rollout/{objects,read-objects}.test.ts'],
  'server/rollout/policy-storage.ts': ['test/server/rollout/{lost-policy,policy-storage}.test.ts'],
  'server/rollout/status-change.ts': ['test/server/rollout/status-change.test.ts'],
  'server/rollout/status-rules': ['test/server/status/rules/delivery.test.ts'],
  'server/rollout/surface': ['test/server/rollout/{conformance,routes}.test.ts'],
  'server/rollout/ownership.ts': ['test/server/rollout/ownership.test.ts'],
  'server/rollout/scale.ts': ['test/server/rollout/{scale,scale-counts}.test.ts'],
  'server/rollout/control': [
    'test/server/rollout/{actions,another-target,consequences,control,decide,describe,failed-pass,forged,gates,health,held-pass,loosening,lost-policy}.test.ts',
    'test/server/rollout/{pause,promises,quorum,refused-decisions,retired,shared-revision,states,strictness,tightening-undo,traps,way-back}.test.ts',
    'test/server/rollout/{control-states,crashed-passes,flat-records,judged,lost-states,new-targets,remembered,remembered-facts,rollout-digest}.test.ts',
  ],
};

/** What is run at once: a room, or folders and files of one. */
export interface Slice {
  /** By which its former results are kept. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly tests: readonly string[];
}

/** The folders and files that a person names, those of one room together, or each room where they name none. */
export function slicesOf(named: readonly string[]): readonly Slice[] {
  const paths = named.map((path) => path.replace(/\/+$/, ''));
  const strange = paths.find((path) => !Object.keys(ROOMS).some((room) => isWithin(path, room)));
  if (strange !== undefined) throw new Error(`mutants needs folders and files of ${Object.keys(ROOMS).join(', ')}, found ${strange}`);
  if (named.length === 0) return Object.entries(ROOMS).map(([room, tests]) => ({ name: room, paths: [room], tests }));
  const parts = new Map<string, string[]>();
  for (const path of paths) {
    const part = partOf(path);
    parts.set(part, [...(parts.get(part) ?? []), path]);
  }
  return [...parts].map(([part, own]) => ({
    name: own.length === 1 ? (own[0] ?? part) : part.replace(/\/$/, ''),
    paths: own,
    tests: PARTS[part] ?? ROOMS[part] ?? [],
  }));
}

/** The closest part of a room that a path lies in, else its room. */
function partOf(path: string): string {
  const [closest] = Object.keys(PARTS)
    .filter((part) => path.startsWith(part))
    .sort((a, b) => b.length - a.length);
  return closest ?? Object.keys(ROOMS).find((room) => isWithin(path, room)) ?? path;
}

/** Whether a path is a folder, or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
