import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ScaledBy } from '@/components/rollouts/scaled-by';
import type { RevisionScaler } from '@/lib/contract/rollout-rows';

const aScaler = (more: Partial<RevisionScaler> = {}): RevisionScaler => ({
  name: 'web-v4',
  min: 2,
  max: 5,
  state: 'scaling',
  message: null,
  ...more,
});

function show(scaler: RevisionScaler): string {
  render(
    <dl>
      <ScaledBy scaler={scaler} />
    </dl>,
  );
  return screen.getByRole('definition').textContent;
}

describe('who scales a revision', () => {
  it('[design 9] is named with the bounds it has now', () => {
    expect(show(aScaler())).toBe('HPA web-v4, 2 – 5');
    expect(screen.getByRole('term').textContent).toBe('Scaled by');
  });

  it('[design 9] is said to hold its bounds when it reads no metrics, with the reason at hand', () => {
    expect(show(aScaler({ state: 'holding', message: 'unable to get metrics' }))).toContain(
      'no metrics, keeps its bounds: unable to get metrics',
    );
  });

  it('[design 9] while it scales is told without what it said before', () => {
    expect(show(aScaler({ message: 'unable to get metrics' }))).toBe('HPA web-v4, 2 – 5');
  });

  it('[design 9] is said to sleep while there is nothing to scale', () => {
    expect(show(aScaler({ state: 'asleep' }))).toContain('inactive at zero replicas');
  });
});
