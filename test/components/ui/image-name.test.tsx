import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ImageName } from '@/components/ui/words/image-name';

it.each([
  ['registry.example.com/payments/checkout:7.2', 'registry.example.com/payments/', 'checkout:7.2'],
  ['nginx:1', '', 'nginx:1'],
])('[issue 14] %s keeps what tells it apart, and lets the registry give way', (image, registry, name) => {
  const { container } = render(<ImageName image={image} />);
  expect(container).toHaveTextContent(image);
  const [first, last] = [...container.querySelectorAll('span span')];
  expect([first?.textContent, last?.textContent]).toEqual([registry, name]);
  expect([first?.classList.contains('shrink-0'), last?.classList.contains('shrink-0')]).toEqual([false, true]);
});
