// One row for each fact of design 14's table, and for others that were told twice: the room that computes it, and the sign by which a second computation is known.
// `licensed` are files where the sign means something else, and what it means there.

/** @typedef {{ fact: string, sign: RegExp, example: string, home: RegExp, instead: string,
 *   licensed?: Readonly<Record<string, string>> }} Rule */

/** @type {readonly Rule[]} */
export const RULES = [
  {
    fact: 'whether a workload is ready',
    sign: /['"](readyReplicas|availableReplicas|updatedReplicas|unavailableReplicas|numberReady|observedGeneration)['"]|\bstatus\.(readyReplicas|availableReplicas)\b/,
    example: "readNumber(deployment, 'status', 'readyReplicas')",
    home: /^server\/(status|rollout|embedded)\/|^lib\/kube\//,
    instead: 'ask the door of server/status',
    licensed: {
      'server/application/decide/conditions.ts': 'which generation of an Application its engine has been through, which only that writes',
      'server/chartsync/sync/status/status-draft.ts': 'which generation of a HelmRelease its sync has been through, which only that writes',
      'server/chartsync/describe/describe-release.ts': 'tells the same: which generation of a HelmRelease its sync has been through',
      'server/chartsync/depends-on/wait-reason.ts': 'asks the same of those that a HelmRelease depends on, which chart sync writes too',
      'server/readmodel/flux/flux-rows.ts': 'shows which generation a controller of Flux says it has come to, and judges nothing by it',
    },
  },
  {
    fact: 'the health of an object',
    sign: /'status', 'conditions'|\breadConditions\(|\bgetCondition\(/,
    example: "getCondition(deployment, 'Available')",
    home: /^server\/(status|rollout|embedded)\/|^server\/application\/(act|decide)\/|^server\/framework\/operatorkit\/|^lib\/kube\//,
    instead: 'ask the door of server/status; of our own objects, the door of the room that writes the condition',
    licensed: {
      'server/chartsync/describe/describe-release.ts': 'tells the conditions that chart sync itself writes, for everybody',
      'server/chartsync/describe/comparing/drift-of.ts': 'tells the same of drift',
      'server/chartsync/describe/status-fields.ts': 'tells the same of what Helm went back to',
      'server/chartsync/depends-on/wait-reason.ts':
        'reads a condition that chart sync itself writes, of those that a HelmRelease depends on',
      'server/chartsync/sync/status/last-attempt.ts': 'reads the conditions that chart sync itself writes, of what it attempted last',
      'server/dispatch/prerequisites.ts': 'whether a definition is served, which is no health',
      'server/flux/describe/state.ts': 'whether Flux took back what failed; that it failed is the verdict of server/status',
    },
  },
  {
    fact: 'how old a copy is, and whether it proves anything',
    sign: /\.knowledge\(|\blastContactAt\b|\boldestPollAt\b|\bpolledEveryMs\b/,
    example: "store.knowledge('shop/web')",
    home: /^server\/(kube|status)\/|^lib\/contract\//,
    instead: 'ask findStaleness or freshUntil of the door of server/kube',
    licensed: {
      'server/readmodel/freshness.ts': 'puts what server/kube judged into the words and times of a page',
      'server/readmodel/watch-staleness.ts': 'only notices that something about age is another',
      'server/dispatch/garbage/cached-state.ts': 'tells an object that is not there from one that nobody knows of, for everybody',
      'server/readmodel/live-state.ts': 'tells one that may not be read, and one whose kind is not served, in words',
      'server/readmodel/system/engine-row.ts': 'shows what each copy says of itself, and judges nothing',
      'server/readmodel/trackers/blast-radius.ts': 'tells all that there is of a kind from what there is at least',
      'components/engine/watches-panel.tsx': 'shows what each copy says of itself, and judges nothing',
      'server/application/observe/object-stores.ts': 'what is written by takes only a watch for proof of absence',
    },
  },
  {
    fact: 'how the containers of a pod are',
    sign: /containerStatuses|\brestartCount\b|(CrashLoop|ImagePull)BackOff/,
    example: "readList(pod, 'status', 'containerStatuses')",
    home: /^server\/(status|embedded)\//,
    instead: 'ask the door of server/status',
    licensed: { 'server/rollout/objects.ts': 'restarts of one pod, of which a sample allows so many before its status fails' },
  },
  {
    fact: 'where a rollout stands',
    sign: /['"](status|spec)['"], ['"]control['"]|\b(status|spec)\.control\b|\bstageRevisionStatus\b|\bstageTargetRevisions\b/,
    example: "readField(rollout, 'status', 'control')",
    home: /^server\/(rollout|installation)\//,
    instead: 'ask describeRollout of the door of server/rollout',
    licensed: {
      'server/embedded/rights/engine-kinds.ts': 'which fields engines alone may write, as the admission policy of a real cluster says it',
    },
  },
  {
    fact: 'why a release is what it is',
    sign: /['"](releaseStatus|lastAttemptedRevision|lastAttemptedValues|rollbackCount)['"]|\b(R-1[AB]|X-(SYNC|FAIL|PEND|RB|RETRY))-\d/,
    example: "readString(release, 'status', 'releaseStatus')",
    home: /^server\/(chartsync|embedded|status)\//,
    instead: 'ask describeRelease of the door of server/chartsync',
    licensed: {
      'lib/words/format-reconcile.ts': 'the sentence of each rule by which chartsync says it decided',
      'server/flux/describe/describe-release.ts': 'what a release of Flux says of itself, which chartsync never looks at',
    },
  },
  {
    fact: 'what a rollout policy means',
    sign: /\b(requiredSoakTime|progressDeadlineSeconds|progressDeadlineAbort|minReadySeconds|abortScaleDownDelaySeconds|autoPromotionEnabled|overConsumptionRatio|stageTimeoutMinutes)\b|\b(policy|control)\??\.gates\b/,
    example: 'policy.control.requiredSoakTime',
    home: /^server\/rollout\/|^server\/embedded\/|^server\/status\/kinds\//,
    instead: 'pass the policy on through the schema of server/rollout',
  },
  {
    fact: 'what a change of an application makes, changes and deletes',
    sign: /\bnew AppManifestsDispatcher\b|\bdryRun(All|Manifests)\(|\bplanChange = |function planChange\b/,
    example: 'new AppManifestsDispatcher(cluster, revision)',
    home: /^server\/(application|dispatch)\//,
    instead: 'ask planChange of the door of server/application',
  },
  {
    fact: 'what garbage goes, and why not',
    sign: /\bverdict: '(deleted|held|handed-over|gone)'|\? 'deleted' : 'held'/,
    example: "rows.map((row) => ({ ...row, verdict: 'deleted' }))",
    home: /^server\/dispatch\//,
    instead: 'ask the plan and the judge of the door of server/dispatch',
    licensed: {
      'server/application/plan/evaluate-manifest.ts':
        'planChange itself: what is written, and whose it is from then on; what goes is dispatch’s plan beside it',
      'server/readmodel/trackers/create-blast-radius.ts': 'asks what would go with one object; decides nothing',
    },
  },
  {
    fact: 'who may do what',
    sign: /SubjectAccessReview/,
    example: "create({ kind: 'SubjectAccessReview' })",
    home: /^server\/kube\/access-review\.ts$|^server\/(auth|embedded)\//,
    instead: 'ask authorise of server/auth, or the reviewer of server/kube',
  },
  {
    fact: 'who asked for a change',
    sign: /\b(REQUESTED_BY|PUT_BACK)\.(user|groups)\b|slipway\.dev\/(requested-by|put-back-by)/,
    example: 'annotations[REQUESTED_BY.user]',
    home: /^lib\/kube\/|^server\/(kube|auth|embedded)\//,
    instead: 'read the note of a person by lib/kube/user-annotations.ts',
  },
  {
    fact: 'what differs, and who set it',
    sign: /\bmanagedFields\b|last-applied-configuration|\bLAST_APPLIED\b/,
    example: 'live.metadata.managedFields',
    home: /^server\/(dispatch|embedded|kube)\/|^lib\/kube\//,
    instead: 'ask findDrift of the door of server/dispatch',
    licensed: {
      'server/application/revision.ts': 'leaves the annotation out of what is kept',
      'server/commands/object-diff.ts': 'leaves fields of the server out of what is shown',
      'server/commands/read-object.ts': 'leaves it out of what is shown',
      'server/readmodel/applications/status-only.ts': 'leaves it out of what is compared',
    },
  },
  {
    fact: 'what a setting means',
    sign: /\bprocess\.env\b(?!\.NODE_ENV)/,
    example: 'process.env.SLIPWAY_PORT',
    home: /^server\/platform\/|^server\/cli\//,
    instead: 'read the settings of server/platform',
  },
  {
    fact: 'how a number or a time is written for a person',
    sign: /\bIntl\.|\.toLocale(Date|Time)?String\(|\.toFixed\(/,
    example: "new Intl.NumberFormat('en')",
    home: /^lib\/words\//,
    instead: 'use the formats of lib/words',
  },
  {
    fact: 'which characters are invisible',
    sign: /\bDefault_Ignorable_Code_Point\b/,
    example: '/[\\p{Cf}\\p{Default_Ignorable_Code_Point}]/u',
    home: /^lib\/std\/text\/hidden-characters\.ts$/,
    instead: 'use UNSEEN or HIDDEN of lib/std/text/hidden-characters.ts',
  },
  {
    fact: 'how waits grow from failure to failure',
    sign: /\bMath\.min\([^;]*\* 2\b/,
    example: 'Math.min(waitMs * 2, LONGEST_WAIT_MS)',
    home: /^lib\/std\/back-off\.ts$/,
    instead: 'use backOffMs of lib/std/back-off.ts',
  },
];
