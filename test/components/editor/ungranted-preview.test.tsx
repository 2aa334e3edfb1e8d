import { render, screen } from '@testing-library/react';
import { createRef } from 'react';
import { describe, expect, it } from 'vitest';
import { EditorPreview } from '@/components/editor/editor-preview';
import { PlanSummary } from '@/components/ui/data/plan-summary';
import { saving } from '@/test/support/fixture/changes';

const ungranted =
  'the server may not create configmaps in namespace shop until its owner grants it: slipway grant shop | kubectl apply -f -';
const preview = saving('full');

describe.each([
  ['the editor', (shown: typeof preview) => <EditorPreview base="" text="" preview={shown} headingRef={createRef()} />],
  ['a dialog', (shown: typeof preview) => <PlanSummary preview={shown} />],
])('a preview in %s', (_where, show) => {
  it('[issue 10.1] says before anything is applied that nothing is written yet, with the command', () => {
    const { rerender } = render(show({ ...preview, ungranted }));
    expect(screen.getByText(/Nothing is written yet:/).closest('p')).toHaveTextContent(`Nothing is written yet: ${ungranted}`);
    rerender(show(preview));
    expect(screen.queryByText(/Nothing is written yet/)).toBeNull();
  });

  it('[issue 14.3] says before anything is applied that the application is suspended', () => {
    const suspended = 'Application web in shop is suspended: none of this happens until it is resumed';
    const { rerender } = render(show({ ...preview, suspended }));
    expect(screen.getByText(/is suspended: none of this happens/).closest('p')).toHaveTextContent(suspended);
    rerender(show(preview));
    expect(screen.queryByText(/is suspended/)).toBeNull();
  });
});

it('[issue 14.3] a dialog tells what a change does in a live region that stood there before, since of one that comes with its words nothing is said', () => {
  const { rerender } = render(<PlanSummary preview={null} />);
  const status = screen.getByRole('status');
  expect(status).toBeEmptyDOMElement();
  rerender(<PlanSummary preview={preview} />);
  expect(screen.getByRole('status')).toBe(status);
  expect(status).toHaveTextContent(/objects? change/);
});
