/** The number judged, and the bound it has to keep. */
export type Limit =
  | { readonly of: 'value' | 'ratio'; readonly atMost: number; readonly atLeast?: never }
  | { readonly of: 'value' | 'ratio'; readonly atLeast: number; readonly atMost?: never };

/** One measured number, with what it is measured beside: a peer of the same run, a limit, or both. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Measured in the same run, in the same unit. */
  readonly beside?: { readonly what: string; readonly value: number };
  readonly limit?: Limit;
}

export type Verdict = 'met' | 'missed' | 'told';

/** How many times the peer the value is; undefined without a peer. */
export function ratioOf({ value, beside }: Figure): number | undefined {
  return beside === undefined ? undefined : value / beside.value;
}

/** Whether the figure keeps its limit; a figure without one is only told. */
export function judge(figure: Figure): Verdict {
  const { limit } = figure;
  if (limit === undefined) return 'told';
  const judged = limit.of === 'value' ? figure.value : ratioOf(figure);
  if (judged === undefined || Number.isNaN(judged)) return 'missed';
  const keeps = limit.atMost === undefined ? judged >= limit.atLeast : judged <= limit.atMost;
  return keeps ? 'met' : 'missed';
}
