/** What made chart sync look at a release. */
export type LoopName = 'schedule' | 'resource' | 'commit' | 'deletion';

/** Everything that is said of a Helm release, by id; the sentences are in `say-release.ts`. */
export type ReleaseMessage =
  | {
      readonly id: 'state.in-sync';
      readonly loop: LoopName;
      readonly outcome: 'equal' | 'unmoved' | 'installed' | 'upgraded' | 'rolled-back';
      readonly revision: string | null;
    }
  | { readonly id: 'state.in-sync-told'; readonly revision: string | null }
  | { readonly id: 'state.changing'; readonly phase: string }
  | { readonly id: 'state.spec-ahead'; readonly generation: number; readonly seen: number }
  | { readonly id: 'state.failed'; readonly why: string; readonly loop: LoopName | null }
  | { readonly id: 'state.pending'; readonly stored: string; readonly why: string | null }
  | { readonly id: 'state.refused'; readonly by: string; readonly release: string; readonly namespace: string }
  | { readonly id: 'state.rolled-back'; readonly revision: string | null; readonly why: string }
  | { readonly id: 'state.drifted'; readonly why: string }
  | { readonly id: 'state.suspended' }
  | { readonly id: 'state.not-looked-at' }
  | { readonly id: 'state.not-compared'; readonly stored: string }
  | { readonly id: 'wait.engine'; readonly why: string }
  | { readonly id: 'wait.mend'; readonly why: string; readonly command: string }
  | { readonly id: 'drift.base' }
  | { readonly id: 'drift.disabled' }
  | { readonly id: 'drift.not-compared' }
  | { readonly id: 'drift.none' }
  | { readonly id: 'drift.found'; readonly why: string }
  | { readonly id: 'upgrade.none-due'; readonly rule: string | null; readonly revision: string | null; readonly outcome: 'equal' | 'unmoved' }
  | { readonly id: 'upgrade.done'; readonly rule: string | null; readonly revision: string | null; readonly outcome: 'installed' | 'upgraded' }
  | { readonly id: 'upgrade.failed'; readonly rule: string | null; readonly revision: string | null; readonly why: string }
  | { readonly id: 'upgrade.dropped' }
  | { readonly id: 'upgrade.suspended' }
  | { readonly id: 'upgrade.refused'; readonly by: string }
  | { readonly id: 'upgrade.not-looked-at' }
  | { readonly id: 'upgrade.elsewhere' };
