import { t } from '@/lib/words/catalogue/console/charts';

/** One bar: a week, its value, and both in words. */
export interface WeekBar {
  readonly key: string;
  /** Null where there is nothing to tell: no bar, which is not a bar of nothing. */
  readonly value: number | null;
  readonly said: string;
}

export interface WeekBarsProps {
  readonly label: string;
  readonly bars: readonly WeekBar[];
  /** The value of a full bar; the highest of them where it is absent. */
  readonly full?: number;
}

const HEIGHT = 32;
const [STEP, WIDTH] = [14, 10];

/** A value for each week as bars, the newest at the right and lighter since its week is not over. Drawn in SVG: the policy refuses style attributes. */
export function WeekBars({ label, bars, full }: WeekBarsProps) {
  const top = full ?? Math.max(1, ...bars.map(({ value }) => value ?? 0));
  return (
    <svg
      role="img"
      aria-label={t.labelled(label, bars.map(({ said }) => said).join(', '))}
      width={bars.length * STEP}
      height={HEIGHT}
      className="max-w-full text-ink-3"
    >
      {bars.map(({ key, value, said }, at) => {
        const height = value === null ? 0 : Math.max(2, (value / top) * (HEIGHT - 4));
        const x = at * STEP;
        return (
          <g key={key}>
            <title>{said}</title>
            <rect x={x} y="0" width={STEP} height={HEIGHT} fill="transparent" />
            {value === null ? <rect x={x + WIDTH / 2 - 1} y={HEIGHT - 4} width="2" height="2" className="fill-ink-4" /> : null}
            {value === null ? null : (
              <rect
                x={x}
                y={HEIGHT - height}
                width={WIDTH}
                height={height}
                rx="1.5"
                fill="currentColor"
                fillOpacity={at === bars.length - 1 ? 0.45 : 0.85}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
