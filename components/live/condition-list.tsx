import { CircleCheck, CircleDashed, CircleDot, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/console/live';
import { Ago } from './ago';

type Shown = ApplicationDetail['conditions'][number];

const LOOKS = {
  good: { icon: CircleCheck, look: 'text-good' },
  failed: { icon: CircleX, look: 'text-bad' },
  'under-way': { icon: CircleDot, look: 'text-busy' },
  odd: { icon: CircleDashed, look: 'text-odd' },
  none: { icon: CircleDashed, look: 'text-ink-3' },
} as const satisfies Readonly<Record<Shown['state'], unknown>>;

/** Conditions of an object, as whoever owns them wrote them; a message that several share stands at the first. */
export function ConditionList({ conditions, className }: { readonly conditions: readonly Shown[]; readonly className: string }) {
  return (
    <ul className="@container divide-y">
      {conditions.map((condition, at) => {
        const isSaid = conditions.slice(0, at).some(({ message }) => message === condition.message);
        const { icon: Icon, look } = LOOKS[condition.state];
        return (
          <li key={condition.type} className={cx('flex gap-2.5 py-2', className)}>
            <Icon size={14} aria-hidden className={cx('mt-[3px] shrink-0', look)} />
            {/* Where there is room, a condition is one line. */}
            <div className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-2 @3xl:grid-cols-[18rem_minmax(0,1fr)_auto]">
              <p className="wrap-anywhere">
                <span className="font-medium">{condition.type}</span>{' '}
                <span className="ml-1 text-ink-3">
                  {condition.status}
                  {condition.reason && condition.reason !== condition.type ? `, ${condition.reason}` : ''}
                </span>
              </p>
              <p className="text-ink-3 text-xs @3xl:col-start-3">
                <Ago at={condition.at} none="" />
              </p>
              {condition.message && !isSaid ? (
                <p className="col-span-2 text-ink-3 text-xs wrap-anywhere @3xl:col-span-1 @3xl:col-start-2 @3xl:row-start-1">
                  <Sentence text={condition.message} />
                </p>
              ) : null}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

interface ConditionsPanelProps {
  readonly conditions: readonly Shown[];
  readonly note?: ReactNode;
  /** What is said where there are none; without it nothing stands there. */
  readonly none?: string;
}

/** Conditions of an object as a panel of its page. */
export function ConditionsPanel({ conditions, note, none }: ConditionsPanelProps) {
  if (conditions.length === 0 && none === undefined) return null;
  return (
    <Panel title={t.conditions} note={note}>
      {conditions.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">{none}</p>
      ) : (
        <ConditionList conditions={conditions} className="px-4" />
      )}
    </Panel>
  );
}
