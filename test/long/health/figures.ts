/** What Argo CD expects of a case, and what was told. */
export interface Told {
  readonly expected: string;
  readonly found: string;
}

export interface Figures {
  readonly cases: number;
  readonly agreed: number;
  readonly currentWhereBroken: number;
  readonly currentWhereNotDone: number;
  readonly notCurrentWhereHealthy: number;
}

const AGREEING: Readonly<Record<string, readonly string[]>> = {
  Healthy: ['Current'],
  Progressing: ['InProgress', 'Terminating'],
  Degraded: ['Failed'],
  Missing: ['NotFound'],
  Unknown: ['Unknown', 'InProgress'],
  Suspended: ['Current', 'InProgress'],
};

/** Counts how often two judges of the same objects agree, and the ways of being wrong that cost. */
export function toFigures(told: readonly Told[]): Figures {
  const count = (holds: (one: Told) => boolean) => told.filter(holds).length;
  return {
    cases: told.length,
    agreed: count(({ expected, found }) => AGREEING[expected]?.includes(found) ?? false),
    currentWhereBroken: count(({ expected, found }) => expected === 'Degraded' && found === 'Current'),
    currentWhereNotDone: count(({ expected, found }) => expected === 'Progressing' && found === 'Current'),
    notCurrentWhereHealthy: count(({ expected, found }) => expected === 'Healthy' && found !== 'Current'),
  };
}

/** Aims as shares of all cases: agreement at least, the others at most. */
export interface Aims {
  readonly agreed: number;
  readonly currentWhereBroken: number;
  readonly currentWhereNotDone: number;
  readonly notCurrentWhereHealthy: number;
}

/** Whether figures reach what is aimed at. */
export function reaches({ cases, ...figures }: Figures, aims: Aims): boolean {
  const within = (name: Exclude<keyof Aims, 'agreed'>) => figures[name] <= aims[name] * cases;
  return (
    figures.agreed >= aims.agreed * cases &&
    within('currentWhereBroken') &&
    within('currentWhereNotDone') &&
    within('notCurrentWhereHealthy')
  );
}
