import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Button } from '@/components/ui/button';

describe('a button', () => {
  it('[design 1] that may not be pressed does nothing, stays reachable and says why', async () => {
    let presses = 0;
    render(
      <Button blocked="Two people must approve first." onClick={() => presses++}>
        Approve
      </Button>,
    );
    const button = screen.getByRole('button', { name: 'Approve' });
    await userEvent.tab();
    expect(button).toHaveFocus();
    expect(button).toHaveAccessibleDescription('Two people must approve first.');
    await userEvent.keyboard('{Enter}');
    await userEvent.click(button);
    expect(presses).toBe(0);
  });

  it('[design 1] that may not be pressed shows why when a finger presses it', async () => {
    render(<Button blocked="Two people must approve first.">Approve</Button>);
    expect(screen.queryByRole('tooltip')).toBeNull();
    await userEvent.pointer({ keys: '[TouchA]', target: screen.getByRole('button', { name: 'Approve' }) });
    expect(await screen.findByRole('tooltip')).toHaveTextContent('Two people must approve first.');
  });

  it('[design 9] that may be pressed in the end is the same element, and keeps the focus', async () => {
    const { rerender } = render(<Button blocked="It is being checked.">Approve</Button>);
    await userEvent.tab();
    rerender(<Button blocked={null}>Approve</Button>);
    const button = screen.getByRole('button', { name: 'Approve' });
    expect(button).toHaveFocus();
    expect(button).not.toHaveAttribute('aria-disabled');
    expect(button).not.toHaveAccessibleDescription();
    expect(screen.queryByRole('tooltip')).toBeNull();
  });

  it('[design 9] that is busy says what is awaited and is not pressed twice', async () => {
    let presses = 0;
    render(
      <Button pending="Sending…" onClick={() => presses++}>
        Approve
      </Button>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Sending…' }));
    expect(presses).toBe(0);
  });
});
