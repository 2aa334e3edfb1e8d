import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { TerminalScreen } from '@/components/terminal/terminal-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const asked = vi.hoisted(() => ({ times: 0 }));
vi.mock('@xterm/addon-fit', () => {
  asked.times += 1;
  throw new Error('the server does not answer');
});

it('[issue 14.1] a terminal whose library does not come says so and why, and asks for it again when it is opened again', async () => {
  using _log = answerFetch({});
  await showScreen(<TerminalScreen ns="shop" pod="web-1" />);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(
    /^No connection to the server.*This part of the page could not be loaded\. Check the connection to the server/,
  );
  expect(screen.getByText('No terminal in pod web-1 in shop.')).toBeInTheDocument();
  const before = asked.times;
  await userEvent.click(screen.getByRole('button', { name: 'Open again' }));
  await waitFor(() => expect(asked.times).toBe(before + 1));
  expect(await screen.findByRole('alert')).toHaveTextContent(/could not be loaded/);
});
