import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';

const chosen: string[] = [];

function Fruits() {
  return (
    <Menu trigger={<button type="button">Fruits</button>}>
      <MenuItem onSelect={() => chosen.push('apple')}>Apple</MenuItem>
      <MenuItem onSelect={() => chosen.push('pear')}>Pear</MenuItem>
    </Menu>
  );
}

describe('a menu', () => {
  it('[issue 14 figures] opens by the press that brings its library, and keeps its button', async () => {
    render(<Fruits />);
    const button = screen.getByRole('button', { name: 'Fruits' });
    await userEvent.click(button);
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Pear' }));
    expect(chosen.splice(0)).toEqual(['pear']);
    await waitFor(() => expect(button).toHaveFocus());
    expect(screen.getByRole('button', { name: 'Fruits' })).toBe(button);
    expect(screen.queryByRole('menu')).toBeNull();
  });

  it.each(['{Enter}', ' ', '{ArrowDown}'])(
    '[issue 14.3] opens by %s with the focus on its first entry, and closes by Escape',
    async (key) => {
      render(<Fruits />);
      await userEvent.tab();
      await userEvent.keyboard(key);
      await waitFor(async () => expect(await screen.findByRole('menuitem', { name: 'Apple' })).toHaveFocus());
      expect(screen.getByRole('menu')).toHaveAccessibleName('Fruits');
      await userEvent.keyboard('{Escape}');
      await waitFor(() => expect(screen.getByRole('button', { name: 'Fruits' })).toHaveFocus());
      expect(screen.getByRole('button', { name: 'Fruits' })).toHaveAttribute('aria-expanded', 'false');
    },
  );

  it('[issue 14.3] closes by a second press of its button', async () => {
    render(<Fruits />);
    const button = screen.getByRole('button', { name: 'Fruits' });
    await userEvent.click(button);
    await screen.findByRole('menu');
    await userEvent.click(button);
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  });
});
