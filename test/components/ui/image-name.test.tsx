import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ImageName } from '@/components/ui/words/image-name';

it('[issue 14] the name of an image is one text, and is cut at its beginning where there is no room', () => {
  render(<ImageName image="registry.example.com/payments/checkout:7.2" />);
  const name = screen.getByText('registry.example.com/payments/checkout:7.2');
  expect(name).toHaveAttribute('dir', 'ltr');
  expect(screen.getByTitle('registry.example.com/payments/checkout:7.2')).toHaveAttribute('dir', 'rtl');
  expect(name.parentElement).toHaveClass('truncate', 'text-left');
});
