import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PlanPanel } from '@/components/ui/editor/plan-panel';

describe('what a changed text does', () => {
  it('[design 5] is read next once it is known, and again once it is worked out anew', () => {
    const show = (plan: { readonly line: string } | null) => (
      <>
        <button type="button">Preview</button>
        <PlanPanel title="What will change" plan={plan}>
          {({ line }) => <p>{line}</p>}
        </PlanPanel>
      </>
    );
    const { rerender } = render(show(null));
    expect(screen.queryByText('What will change')).toBeNull();
    const first = { line: 'replicas: 3' };
    rerender(show(first));
    expect(screen.getByText('What will change')).toHaveFocus();
    screen.getByRole('button', { name: 'Preview' }).focus();
    rerender(show(first));
    expect(screen.getByRole('button', { name: 'Preview' })).toHaveFocus();
    rerender(show({ line: 'replicas: 4' }));
    expect(screen.getByText('What will change')).toHaveFocus();
    expect(screen.getByText('replicas: 4')).toBeInTheDocument();
  });
});
