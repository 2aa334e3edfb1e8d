import { render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Waiting } from '@/components/live/inbox/notifications';
import { requestNotifications, useInboxNotifications } from '@/components/live/inbox/notifications';

const told: string[] = [];
let allowed: NotificationPermission = 'granted';

class FakeNotification {
  static get permission() {
    return allowed;
  }
  static requestPermission = async () => allowed;
  onclick: (() => void) | null = null;
  constructor(_title: string, { body }: { body: string }) {
    told.push(body);
  }
  close() {}
}

const Watcher = ({ waiting }: { readonly waiting: readonly Waiting[] | undefined }) => {
  useInboxNotifications(waiting);
  return null;
};
const of = (...keys: string[]): readonly Waiting[] => keys.map((key) => ({ key, text: key }));

describe('notifications of the browser', () => {
  beforeEach(() => {
    told.length = 0;
    allowed = 'granted';
    localStorage.clear();
    vi.stubGlobal('Notification', FakeNotification);
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('[issue 14.3] tell once of what comes after the page was opened, where they were asked for', async () => {
    expect(await requestNotifications(true)).toBeNull();
    const { rerender } = render(<Watcher waiting={undefined} />);
    rerender(<Watcher waiting={of('old')} />);
    rerender(<Watcher waiting={of('old', 'new')} />);
    rerender(<Watcher waiting={of('new', 'old')} />);
    expect(told).toEqual(['new']);
  });

  it('[issue 14.3] tell nothing that nobody asked for, and nothing to who looks at the page', async () => {
    const { rerender } = render(<Watcher waiting={of()} />);
    rerender(<Watcher waiting={of('a')} />);
    await requestNotifications(true);
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
    rerender(<Watcher waiting={of('a', 'b')} />);
    expect(told).toEqual([]);
    await requestNotifications(false);
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    rerender(<Watcher waiting={of('a', 'b', 'c')} />);
    expect(told).toEqual([]);
  });

  it('[issue 14.3] are left to the worker where a page may make none, as on phones, and the page goes on', async () => {
    const shown = vi.fn<(title: string, options: NotificationOptions) => Promise<void>>().mockResolvedValue();
    vi.stubGlobal('navigator', { ...navigator, serviceWorker: { getRegistration: async () => ({ showNotification: shown }) } });
    class OfPhone extends FakeNotification {
      constructor(title: string, options: { body: string }) {
        super(title, options);
        throw new TypeError("Failed to construct 'Notification': Illegal constructor");
      }
    }
    vi.stubGlobal('Notification', OfPhone);
    await requestNotifications(true);
    const { rerender } = render(<Watcher waiting={of()} />);
    rerender(<Watcher waiting={of('storefront waits')} />);
    await vi.waitFor(() => expect(shown).toHaveBeenCalledTimes(1));
    expect(shown).toHaveBeenCalledWith('Slipway: waiting for you', { body: 'storefront waits', tag: 'storefront waits' });
  });

  it.each([
    ['where the browser blocks them', 'denied', /^This browser blocks notifications/],
    ['where its question was closed without an answer', 'default', /^Notifications stay off/],
  ] as const)('[issue 14.3] say why they stay off %s', async (_what, answer, why) => {
    allowed = answer;
    expect(await requestNotifications(true)).toMatch(why);
    expect(localStorage.getItem('slipway-notify')).toBeNull();
  });
});
