/** What made chart sync look at a release. */
export const RECONCILE_TRIGGERS = ['schedule', 'resource', 'commit', 'repository', 'values', 'drift', 'deletion', 'decision'] as const;
export type ReconcileTrigger = (typeof RECONCILE_TRIGGERS)[number];

/** An archive of a chart: the version that it was found as, and its SHA-256. */
export interface Archive {
  readonly revision: string;
  readonly digest: string;
}

/** A chart that another depends on, as it was fetched. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
}

/** How far the approval of one commit, or of one archive, has come. */
export interface Given {
  readonly id: 'gate.given';
  readonly approvers: readonly string[];
  readonly required: number;
  readonly groups: readonly (readonly string[])[];
}

/** Everything that is said of a Helm release, by id; the sentences are in `format-release.ts`. */
export type ReleaseMessage =
  | {
      readonly id: 'state.in-sync';
      readonly loop: ReconcileTrigger;
      readonly outcome: 'equal' | 'unmoved' | 'installed' | 'upgraded' | 'rolled-back' | 'put-back';
      readonly revision: string | null;
    }
  | { readonly id: 'state.in-sync-told'; readonly revision: string | null; readonly elsewhere: boolean }
  /** When that was known last; null where nobody knows. */
  | { readonly id: 'state.was-in-sync'; readonly revision: string | null; readonly at: string | null; readonly why: ReleaseMessage }
  | { readonly id: 'state.branch-gone'; readonly branch: string; readonly revision: string | null }
  | {
      readonly id: 'state.unfetched';
      readonly why: string;
      readonly since: string;
      readonly next: string | null;
      /** Whether something is released. */
      readonly stays: boolean;
    }
  | {
      readonly id: 'state.changing';
      readonly phase: string;
      /** The command of Helm that has ended, where what follows it is under way. */
      readonly ended?: string;
    }
  | {
      readonly id: 'state.reported';
      /** The phase of the status, or what Helm's storage says. */
      readonly reported: { readonly by: 'status' | 'storage'; readonly text: string };
      /** Whether another replica may run Helm. */
      readonly isElsewhere: boolean;
      /** What keeps this one from the release. */
      readonly why: ReleaseMessage | null;
    }
  | { readonly id: 'state.retrying'; readonly command: string; readonly why: string }
  | {
      readonly id: 'state.turn';
      readonly command: string;
      readonly behind: readonly { readonly release: string; readonly command: string; readonly since: string }[];
      /** How many of other namespaces. */
      readonly others: number;
    }
  | { readonly id: 'state.spec-ahead'; readonly generation: number; readonly seen: number }
  | { readonly id: 'state.uninstalling' | 'upgrade.deleted' | 'act.deleted' }
  | { readonly id: 'state.uninstall-waits'; readonly finalizer: string }
  | { readonly id: 'state.uninstall-failed'; readonly why: string; readonly finalizer: string }
  | {
      readonly id: 'state.failed';
      readonly why: string;
      readonly loop: ReconcileTrigger | null;
      readonly nextFetch: string | null;
      /** Whether it is released, and stays so since its repository cannot be fetched or has no such chart. */
      readonly stays: boolean;
    }
  | { readonly id: 'state.pending'; readonly stored: string; readonly why: string | null }
  | { readonly id: 'state.refused'; readonly by: string; readonly release: string; readonly namespace: string }
  | { readonly id: 'state.rolled-back'; readonly revision: string | null; readonly why: string }
  | { readonly id: 'state.drifted'; readonly why: string }
  | { readonly id: 'state.suspended' }
  | { readonly id: 'state.not-looked-at' }
  | { readonly id: 'state.not-compared'; readonly stored: string; readonly why: ReleaseMessage | null }
  | { readonly id: 'wait.engine'; readonly why: string }
  | { readonly id: 'wait.remedy'; readonly why: string; readonly command: string }
  | { readonly id: 'drift.turned-off' }
  | { readonly id: 'drift.unknown'; readonly why: string }
  | { readonly id: 'drift.disabled' }
  | { readonly id: 'drift.wrong'; readonly why: string }
  | { readonly id: 'drift.not-compared' }
  | { readonly id: 'drift.none' }
  | { readonly id: 'drift.was-none'; readonly at: string | null; readonly why: ReleaseMessage }
  | { readonly id: 'drift.was-found'; readonly found: string; readonly at: string | null; readonly why: ReleaseMessage }
  | { readonly id: 'drift.found'; readonly why: string }
  | {
      readonly id: 'upgrade.none-due';
      readonly rule: string | null;
      readonly revision: string | null;
      readonly outcome: 'equal' | 'unmoved';
    }
  | {
      readonly id: 'upgrade.done';
      readonly rule: string | null;
      readonly revision: string | null;
      readonly outcome: 'installed' | 'upgraded';
    }
  | {
      readonly id: 'upgrade.failed' | 'upgrade.remediated';
      readonly rule: string | null;
      readonly revision: string | null;
      readonly why: string;
    }
  | { readonly id: 'upgrade.dropped' }
  | { readonly id: 'upgrade.commit-waits' | 'decided.void'; readonly commit: string }
  | { readonly id: 'state.plan-moved'; readonly why: string }
  | { readonly id: 'upgrade.plan-moved'; readonly why: string }
  | { readonly id: 'upgrade.suspended' }
  | { readonly id: 'upgrade.refused'; readonly by: string }
  | { readonly id: 'upgrade.not-looked-at' }
  | { readonly id: 'upgrade.elsewhere' }
  | { readonly id: 'upgrade.held'; readonly by: string }
  | { readonly id: 'upgrade.rolled-back' | 'upgrade.put-back' | 'upgrade.under-way' | 'decided.waits-for-helm' }
  | {
      readonly id: 'state.held';
      readonly by: string;
      readonly at: string;
      readonly verb: 'hold' | 'rollback';
      readonly revision: number | null;
      readonly reason: string | null;
      /** The commit that it is at, where the branch does not contain it any more. */
      readonly lost: string | null;
    }
  | { readonly id: 'act.held' | 'act.cancelled'; readonly by: string }
  | { readonly id: 'act.nothing-under-way' | 'act.under-way' }
  | { readonly id: 'act.not-pending'; readonly stored: string | null }
  | { readonly id: 'does.cancel' | 'does.cancel-waiting' | 'does.cancel-leaves' | 'does.cancel-then' | 'does.unlock' | 'does.unlock-then' }
  | { readonly id: 'decided.cancel' | 'decided.nothing-cancelled' | 'decided.cut-short' }
  /** Without a command where the server stopped before it was told what became of it. */
  | {
      readonly id: 'decided.cancelled';
      readonly command: string | null;
      readonly stored: string | null;
      readonly revision: number | null;
      /** Why what Helm stored could not be read; absent where it could. */
      readonly unread?: string | undefined;
    }
  | { readonly id: 'decided.unlock' | 'decided.unlocked'; readonly revision: number }
  | { readonly id: 'decided.unlock-failed'; readonly why: string }
  | { readonly id: 'decided.ungranted'; readonly why: string }
  | { readonly id: 'decided.may-not-unlock'; readonly user: string; readonly right: string }
  | {
      readonly id:
        | 'act.not-held'
        | 'act.no-earlier-revision'
        | 'act.not-gated'
        | 'act.nothing-waits'
        | 'act.no-archive-waits'
        | 'act.nothing-looser';
    }
  | {
      readonly id: 'gate.demands';
      readonly of: 'commit' | 'archive';
      readonly required: number;
      readonly groups: readonly (readonly string[])[];
    }
  | Given
  | {
      readonly id: 'gate.archive-waits';
      readonly revision: string;
      readonly digest: string;
      readonly given: Given;
    }
  | {
      readonly id: 'gate.archive-moved';
      readonly version: string;
      readonly now: Archive;
      /** The one that the release is at; its digest is null where that was not told. */
      readonly before: { readonly revision: string; readonly digest: string | null };
      readonly required: number;
      /** The approved one, where it cannot be had any more. */
      readonly lost: Archive | null;
    }
  | {
      readonly id: 'gate.dependencies-moved';
      readonly commit: string;
      readonly now: readonly Dependency[];
      /** What the commit was approved or released with; empty where that was not told. */
      readonly before: readonly Dependency[];
    }
  | {
      readonly id: 'gate.waits';
      readonly lost: string | null;
      readonly commit: string;
      readonly subject: string;
      readonly author: string;
      readonly given: Given;
      /** What its chart depends on and does not hold. */
      readonly dependencies: readonly Dependency[];
    }
  | {
      readonly id: 'state.gated';
      readonly required: number;
      readonly lost: string | null;
      readonly isInstalled: boolean;
      /** What keeps newer commits from it besides; null where nothing does. */
      readonly behind: ReleaseMessage | null;
    }
  | { readonly id: 'upgrade.gated'; readonly required: number; readonly lost: string | null }
  | { readonly id: 'gate.void' | 'gate.moved' | 'state.commit-gone'; readonly commit: string }
  | { readonly id: 'state.depends' | 'upgrade.depends'; readonly why: string }
  | {
      readonly id:
        | 'does.approve'
        | 'does.approve-keeps'
        | 'does.approve-forward'
        | 'does.approve-archive'
        | 'does.approve-archive-keeps'
        | 'does.loosen';
    }
  | { readonly id: 'decided.approve-archive' | 'decided.archive-already-approved' | 'decided.archive-moved'; readonly digest: string }
  | { readonly id: 'decided.archive-approved'; readonly revision: string; readonly digest: string; readonly by: readonly string[] }
  | {
      readonly id: 'decided.approve' | 'decided.already-approved' | 'decided.not-on-branch' | 'decided.no-chart' | 'decided.chart-moved';
      readonly commit: string;
    }
  | { readonly id: 'decided.goes-back'; readonly commit: string; readonly approved: string }
  | { readonly id: 'decided.loosen' | 'decided.demand-moved' }
  | { readonly id: 'decided.no-release' | 'decided.uninstalled'; readonly release: string; readonly namespace: string }
  | { readonly id: 'decided.declared'; readonly by: string }
  | { readonly id: 'decided.uninstall' | 'decided.uninstall-interrupted' }
  | { readonly id: 'decided.uninstall-failed'; readonly why: string }
  | { readonly id: 'decided.may-not-uninstall'; readonly user: string; readonly right: string }
  | { readonly id: 'decided.no-member'; readonly user: string; readonly groups: readonly (readonly string[])[] }
  | { readonly id: 'decided.no-person'; readonly user: string; readonly groups: readonly string[] }
  | { readonly id: 'decided.approved-twice'; readonly user: string; readonly have: number; readonly required: number }
  | { readonly id: 'decided.counted'; readonly have: number; readonly required: number }
  | { readonly id: 'decided.approved'; readonly commit: string; readonly by: readonly string[] }
  | { readonly id: 'decided.loosened'; readonly by: readonly string[] }
  | {
      readonly id: 'does.sync' | 'does.sync-upgrades' | 'does.sync-failed' | 'does.holds' | 'does.deletion';
    }
  | { readonly id: 'does.rollback'; readonly account: string | null; readonly namespace: string }
  | { readonly id: 'does.lift'; readonly to: 'commit' | 'archive'; readonly isGated: boolean }
  | { readonly id: 'does.lift-gated'; readonly to: 'commit' | 'archive' }
  | {
      readonly id:
        | 'decided.another'
        | 'decided.expired'
        | 'decided.sync'
        | 'decided.hold'
        | 'decided.lift'
        | 'decided.unreadable'
        | 'decided.interrupted';
    }
  | { readonly id: 'decided.gone'; readonly resource: string }
  | { readonly id: 'decided.hold-moved'; readonly by: string }
  | { readonly id: 'decided.no-revision' | 'decided.already-there' | 'decided.rollback' | 'decided.rolled-back'; readonly revision: number }
  | { readonly id: 'decided.stored-moved'; readonly seen: number | null; readonly newest: number }
  | { readonly id: 'decided.may-not'; readonly user: string; readonly right: string }
  | { readonly id: 'decided.failed'; readonly revision: number; readonly why: string };
