import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { CopyButton } from '@/components/ui/copy-button';

it('[design 9] puts a text on the clipboard, says so, and says it again the next time', async () => {
  const user = userEvent.setup();
  render(<CopyButton text="kubectl delete ConfigMap flags" what="the command" />);
  await user.click(screen.getByRole('button', { name: 'Copy the command' }));
  expect(await screen.findByRole('button', { name: 'Copied the command' })).toHaveFocus();
  expect(await navigator.clipboard.readText()).toBe('kubectl delete ConfigMap flags');
  await user.tab();
  expect(screen.getByRole('button', { name: 'Copy the command' })).toBeInTheDocument();
});
