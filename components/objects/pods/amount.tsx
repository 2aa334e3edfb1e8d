import { cx } from '@/components/ui/cx';
import { Meter } from '@/components/ui/meter';
import { sayPercent } from '@/lib/words/figures';
import { sayCpu, sayMemory } from '@/lib/words/say-pod';

const SAY = { cpu: sayCpu, memory: sayMemory } as const;
const NAME = { cpu: 'CPU', memory: 'Memory' } as const;

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
          <span className="text-ink-3"> used</span>
        ) : (
          <span className="text-ink-3">{used === null ? `${say(asked)} requested` : ` of ${say(asked)}`}</span>
        )}
      </span>
      {percent === null ? null : (
        <Meter
          percent={percent}
          label={`${NAME[of]}: ${sayPercent(Math.round(percent))} of what is requested`}
          className={cx('mt-0.5 block', percent > 100 ? 'text-warn' : 'text-accent')}
        />
      )}
    </span>
  );
}
