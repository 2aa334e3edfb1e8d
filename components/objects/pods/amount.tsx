import { cx } from '@/components/ui/cx';
import { Meter } from '@/components/ui/meter';
import { t } from '@/lib/words/catalogue/objects/pods';
import { formatCpu, formatMemory } from '@/lib/words/format-pod';

const SAY = { cpu: formatCpu, memory: formatMemory } as const;
const NAME = { cpu: t.cpu, memory: t.memory } as const;

export interface AmountProps {
  readonly of: 'cpu' | 'memory';
  readonly used: number | null;
  readonly asked: number | null;
}

/** What is used beside what is asked for, with a bar where both are known. */
export function Amount({ of, used, asked }: AmountProps) {
  const say = SAY[of];
  if (used === null && asked === null) return <span className="text-ink-4">–</span>;
  const percent = used === null || asked === null || asked === 0 ? null : (used / asked) * 100;
  return (
    <span className="inline-block w-full max-w-28 align-middle">
      <span className="block whitespace-nowrap text-xs">
        {used === null ? null : <span className={cx(percent !== null && percent > 100 && 'text-warn')}>{say(used)}</span>}
        {asked === null ? (
          <span className="text-ink-3"> {t.used}</span>
        ) : (
          <span className="text-ink-3">{used === null ? t.requested(say(asked)) : t.of(say(asked))}</span>
        )}
      </span>
      {percent === null ? null : (
        <Meter
          percent={percent}
          label={t.ofWhatIsRequested(NAME[of], Math.round(percent))}
          className={cx('mt-0.5 block', percent > 100 ? 'text-warn' : 'text-accent')}
        />
      )}
    </span>
  );
}
