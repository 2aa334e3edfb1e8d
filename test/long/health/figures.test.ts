import { describe, expect, it } from 'vitest';
import { reaches, toFigures } from './figures';

const AIMS = { agreed: 0.5, currentWhereBroken: 0.25, currentWhereNotDone: 0.25, notCurrentWhereHealthy: 0.25 };
const told = (...pairs: readonly (readonly [string, string])[]) => toFigures(pairs.map(([expected, found]) => ({ expected, found })));

describe('the figures of health', () => {
  it('[issue 9] count agreement as it is written there', () => {
    const agreeing = told(
      ['Healthy', 'Current'],
      ['Progressing', 'InProgress'],
      ['Progressing', 'Terminating'],
      ['Degraded', 'Failed'],
      ['Missing', 'NotFound'],
      ['Unknown', 'Unknown'],
      ['Unknown', 'InProgress'],
      ['Suspended', 'Current'],
      ['Suspended', 'InProgress'],
    );
    expect(agreeing).toEqual({ cases: 9, agreed: 9, currentWhereBroken: 0, currentWhereNotDone: 0, notCurrentWhereHealthy: 0 });
    expect(told(['Degraded', 'Current'], ['Progressing', 'Current'], ['Healthy', 'Unknown'], ['Suspended', 'Failed'])).toEqual({
      cases: 4,
      agreed: 0,
      currentWhereBroken: 1,
      currentWhereNotDone: 1,
      notCurrentWhereHealthy: 1,
    });
  });

  it('[issue 9] reach an aim only when every share does', () => {
    const fine = [
      ['Healthy', 'Current'],
      ['Healthy', 'Current'],
      ['Degraded', 'Current'],
    ] as const;
    expect(reaches(told(...fine, ['Healthy', 'Failed']), AIMS)).toBe(true);
    expect(reaches(told(...fine, ['Degraded', 'Current']), AIMS)).toBe(false);
    expect(reaches(told(['Healthy', 'Current'], ['Missing', 'Failed'], ['Missing', 'Failed']), AIMS)).toBe(false);
  });
});
