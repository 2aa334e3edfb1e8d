import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LeaveLink } from '@/components/ui/editor/leave-link';
import { showScreen } from '@/test/support/screen';

it.each([
  [false, 'Leave the editor'],
  [true, 'Discard changes and leave'],
])('[issue 11.3] the way out of an editor says what it costs (%s)', async (isDirty, name) => {
  await showScreen(<LeaveLink href="/applications/shop/web" isDirty={isDirty} />);
  expect(screen.getByRole('link', { name })).toHaveAttribute('href', '/applications/shop/web');
});
