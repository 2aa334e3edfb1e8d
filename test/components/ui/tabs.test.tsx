import { render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Tabs } from '@/components/ui/tabs';

const TABS = ['First', 'Second', 'Third'].map((label) => ({ id: label, label, body: null }));

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['Third', [700, 800], 555],
  ['First', [-90, -10], -245],
  ['Second', [100, 200], 0],
])(
  '[issue 12.4] a strip that is too narrow for its tabs moves to the one that is chosen, as by a link, and only where it is out of view: %s',
  (shown, place, left) => {
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function rect(this: Element) {
      const [from = 0, to = 0] = this.getAttribute('role') === 'tab' ? place : [0, 390];
      return { left: from, right: to } as DOMRect;
    });
    render(<Tabs label="Parts" tabs={TABS} shown={shown} />);
    expect(screen.getByRole('tablist').scrollLeft).toBe(left);
  },
);
