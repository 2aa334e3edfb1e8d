import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LongName } from '@/components/ui/words/long-name';

it('[issue 14] a long name is one text, and is cut at its beginning where there is no room', () => {
  render(<LongName name="registry.example.com/payments/checkout:7.2" />);
  const name = screen.getByText('registry.example.com/payments/checkout:7.2');
  expect(name).toHaveAttribute('dir', 'ltr');
  expect(screen.getByTitle('registry.example.com/payments/checkout:7.2')).toHaveAttribute('dir', 'rtl');
  expect(name.parentElement).toHaveClass('truncate', 'text-left');
});
