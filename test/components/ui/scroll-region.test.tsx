import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ScrollRegion } from '@/components/ui/scroll-region';

it.each([
  ['section', 'region'],
  ['pre', 'region'],
  ['ol', 'list'],
] as const)('[design 9] what scrolls as %s is a %s with a name that the keyboard reaches', (tag, role) => {
  render(
    <ScrollRegion tag={tag} label="Stages">
      <li>one</li>
    </ScrollRegion>,
  );
  const region = screen.getByRole(role, { name: 'Stages' });
  region.focus();
  expect(region).toHaveFocus();
});
