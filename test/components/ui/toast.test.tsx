import { act, render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { showToast, Toaster } from '@/components/ui/overlay/toast';

const notifications = () => screen.getByRole('status', { name: 'Notifications' });

describe('what is said in the corner', () => {
  it('[design 9] is shown on the page that is open, and by no page that opens later', () => {
    const { unmount } = render(<Toaster />);
    act(() => showToast('web-v2 is approved.'));
    expect(notifications()).toHaveTextContent('web-v2 is approved.');
    unmount();
    showToast('Nobody is there to read this.');
    render(<Toaster />);
    expect(notifications()).toBeEmptyDOMElement();
  });

  it('[design 9] is a sentence where the API refused', () => {
    render(<Toaster />);
    act(() => showToast('the rollout was already resumed', 'bad'));
    expect(notifications()).toHaveTextContent('The rollout was already resumed.');
  });
});
