import { Check, CornerDownLeft, LockKeyhole, LockKeyholeOpen, SkipForward, X } from 'lucide-react';
import { cx } from '@/components/ui/cx';
import { ScrollRegion } from '@/components/ui/scroll-region';
import { useZone } from '@/components/ui/time/zone';
import { rich } from '@/components/ui/words/rich';
import type { AttemptView, GatePassedView, RevisionScale, StageView } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { formatList, formatPercent } from '@/lib/words/figures';
import type { Zone } from '@/lib/words/times';
import { formatMoment } from '@/lib/words/times';

/** Up to this many stages have their figures beside them; more are drawn as a ruler. */
const WITH_FIGURES = 12;

const STATE_WORD: Readonly<Record<StageView['state'], string>> = {
  done: t.done,
  current: t.underWay,
  planned: t.plannedInline,
  failed: t.failed,
  skipped: t.skipped,
};

export interface StageRailProps {
  readonly attempt: Pick<AttemptView, 'stages' | 'to' | 'outcome' | 'firstGate' | 'firstGatePassed'>;
  /** Figures of now, for the attempt under way. */
  readonly revisions: readonly Pick<RevisionScale, 'revision' | 'actual'>[];
}

/** The stages of one attempt from first to last, the gates between them, and a cursor that moves with the replicas. */
export function StageRail({ attempt, revisions }: StageRailProps) {
  const { stages, to, outcome, firstGatePassed } = attempt;
  // Nobody can open a gate of what was aborted.
  const shown = (gate: StageView['gate']) => (outcome === 'aborted' && gate === 'closed' ? 'none' : gate);
  const firstGate = shown(attempt.firstGate);
  const isRuler = stages.length > WITH_FIGURES;
  return (
    <ScrollRegion tag="ol" label={t.stages} className={cx('flex px-4 py-4', isRuler ? 'gap-0.5' : 'gap-1')}>
      {firstGate === 'none' || isRuler ? null : (
        <li className="flex shrink-0 items-center pr-1">
          <Gate gate={firstGate} passed={firstGatePassed} />
        </li>
      )}
      {stages.map((stage) => (
        <Stage
          key={`${stage.way} ${stage.index}`}
          stage={{ ...stage, gate: shown(stage.gate) }}
          target={to}
          isRuler={isRuler}
          progress={progressOf(stage, { stages, to, revisions })}
        />
      ))}
    </ScrollRegion>
  );
}

/** How far a stage has come, 0 to 1: replicas of the target that are there, between those before the stage and those it wants. */
export function progressOf(
  stage: StageView,
  {
    stages,
    to,
    revisions,
  }: { readonly stages: readonly StageView[]; readonly to: string; readonly revisions: StageRailProps['revisions'] },
): number {
  if (stage.state === 'done' || stage.state === 'failed') return 1;
  if (stage.state !== 'current') return 0;
  const wanted = replicasOf(stage, to);
  const before = replicasOf(stages[stages.indexOf(stage) - 1], to) ?? 0;
  const actual = revisions.find((each) => each.revision === to)?.actual ?? null;
  if (wanted === null || actual === null || wanted === before) return 0;
  return Math.max(0, Math.min(1, (actual - before) / (wanted - before)));
}

function replicasOf(stage: StageView | undefined, revision: string): number | null {
  return stage?.entries.find((entry) => entry.revision === revision)?.replicas ?? null;
}

interface StageProps {
  readonly stage: StageView;
  readonly target: string;
  readonly isRuler: boolean;
  readonly progress: number;
}

function Stage({ stage, target, isRuler, progress }: StageProps) {
  const { index, way, state, percent, gate } = stage;
  const isCurrent = state === 'current';
  const name = way === 'back' ? t.backStage(index) : t.stageTitle(index);
  return (
    <li
      aria-current={isCurrent ? 'step' : undefined}
      className={cx('flex-1', isRuler ? 'min-w-1.5' : 'min-w-[58px] sm:min-w-[76px]')}
      title={`${name}, ${STATE_WORD[state]}`}
    >
      <span className="sr-only">
        {name}, {STATE_WORD[state]}.{' '}
      </span>
      {isRuler ? null : (
        <div className="mb-1 flex items-baseline gap-1.5 pr-3">
          {way === 'back' ? <CornerDownLeft size={12} aria-hidden className="self-center text-warn" /> : null}
          <span
            className={cx(
              'font-semibold',
              isCurrent ? 'text-accent' : isQuiet(stage) ? 'text-ink-3' : 'text-ink',
              state === 'skipped' && 'line-through',
            )}
          >
            {formatPercent(percent)}
          </span>
          <StageWord stage={stage} />
        </div>
      )}
      <div className="flex h-[18px] items-center">
        <Bar stage={stage} progress={progress} />
        {isRuler ? null : <Gate gate={gate} passed={stage.gatePassed} />}
      </div>
      {isRuler ? null : <Figures stage={stage} target={target} />}
    </li>
  );
}

const isQuiet = ({ state }: StageView) => state === 'planned' || state === 'skipped';
const ABOUT: Readonly<Record<StageView['entries'][number]['exact'], string>> = { exactly: '', atLeast: '≥ ', atMost: '≤ ' };

/** Replicas that a stage leaves, of the target and of the others. */
function Figures({ stage, target }: Pick<StageProps, 'stage' | 'target'>) {
  const mine = stage.entries.find((entry) => entry.revision === target);
  const others = stage.entries.filter((entry) => entry.revision !== target);
  const old = others.reduce<number | null>((sum, entry) => (entry.replicas === null ? sum : (sum ?? 0) + entry.replicas), null);
  if (mine?.replicas == null && old === null) return null;
  return (
    <p className="mt-1 text-2xs text-ink-3">
      <span className={cx('whitespace-nowrap', !isQuiet(stage) && 'text-ink-2')}>
        {t.newBy(mine?.replicas == null ? '–' : `${ABOUT[mine.exact]}${mine.replicas}`)}
      </span>
      {old === null ? null : (
        <span className="whitespace-nowrap max-sm:block">
          {rich(
            t.oldRich(<span className="max-sm:hidden"> · </span>, others.length === 1 ? ABOUT[others[0]?.exact ?? 'exactly'] : '', old),
          )}
        </span>
      )}
    </p>
  );
}

function StageWord({ stage }: { readonly stage: StageView }) {
  switch (stage.state) {
    case 'done':
      return <Check size={12} aria-hidden className="self-center text-accent" />;
    case 'failed':
      return <X size={12} aria-hidden className="self-center text-bad" />;
    case 'skipped':
      return <SkipForward size={12} aria-hidden className="self-center text-ink-3" />;
    case 'current':
      return <span className="hidden text-2xs text-accent sm:inline">{t.nowInline}</span>;
    case 'planned':
      return null;
  }
}

const BAR_LOOK: Readonly<Record<StageView['state'], string>> = {
  done: 'text-accent',
  current: 'text-accent',
  planned: 'text-transparent',
  failed: 'text-bad',
  skipped: 'text-transparent',
};

function Bar({ stage, progress }: { readonly stage: StageView; readonly progress: number }) {
  return (
    <svg aria-hidden="true" className={cx('h-2.5 min-w-0 flex-1', BAR_LOOK[stage.state])} width="100%" height="10">
      <rect y="2" width="100%" height="6" rx="3" className={stage.state === 'current' ? 'fill-accent-soft' : 'fill-pressed'} />
      <rect y="2" width={`${progress * 100}%`} height="6" rx="3" fill="currentColor" />
      {stage.state === 'current' ? (
        <svg aria-hidden="true" x={`${Math.max(2, Math.min(96, progress * 100))}%`} overflow="visible">
          <circle cx="0" cy="5" r="5" fill="currentColor" className="animate-breathe" fillOpacity=".3" />
          <circle cx="0" cy="5" r="3.5" fill="var(--color-panel)" stroke="currentColor" strokeWidth="2" />
        </svg>
      ) : null}
    </svg>
  );
}

const PASSED_WORD: Readonly<Partial<Record<DecisionVerb, string>>> = {
  approve: t.approved,
  advance: t.advanced,
  'promote-full': t.promoted,
};

/** Who went past a gate, in words. */
function formatPassed({ by, at }: GatePassedView, zone: Zone): string {
  const [first] = by;
  const when = formatMoment(Date.parse(at), zone);
  return first === undefined
    ? t.openedByItselfAt(when)
    : t.byAt(PASSED_WORD[first.verb] ?? first.verb, formatList(by.map(({ user }) => user)), when);
}

function Gate({ gate, passed }: { readonly gate: StageView['gate']; readonly passed: GatePassedView | null | undefined }) {
  const zone = useZone();
  if (gate === 'none') return null;
  const Icon = gate === 'closed' ? LockKeyhole : LockKeyholeOpen;
  const word = gate === 'closed' ? t.gateClosedUntilApproved : t.gate(passed ? formatPassed(passed, zone) : t.open);
  return (
    <span
      title={word}
      className={cx(
        'ml-1 inline-flex size-[18px] shrink-0 items-center justify-center rounded-full',
        gate === 'closed' ? 'bg-warn-soft text-warn' : 'text-good',
      )}
    >
      <Icon size={11} strokeWidth={2.4} aria-hidden />
      <span className="sr-only">{word}</span>
    </span>
  );
}
