import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parseObjectPage } from '@/components/ui/preferences/object-page';
import {
  changePreferences,
  dropRecents,
  NO_PREFERENCES,
  onPreferences,
  readPreferences,
} from '@/components/ui/preferences/preferences-store';

const KEY = 'slipway-kept/mara';

describe('what this browser keeps for a person', () => {
  beforeEach(() => localStorage.clear());

  it('[issue 14.3] is read again as it was written, and is of that person alone', () => {
    changePreferences('mara', (now) => ({ ...now, favourites: ['/rollouts/shop/checkout'] }));
    expect(readPreferences('mara').favourites).toEqual(['/rollouts/shop/checkout']);
    expect(readPreferences('ben')).toEqual(NO_PREFERENCES);
    expect(readPreferences('mara')).toBe(readPreferences('mara'));
  });

  it.each([
    '{',
    '{"favourites":7}',
    '{"favourites":["https://evil.example"]}',
    '{"favourites":["//evil.example"]}',
    '{"favourites":["/\\\\evil.example"]}',
  ])('[issue 14.3] leads to pages of ours alone, whatever stands in the browser: %s', (text) => {
    localStorage.setItem(KEY, text);
    expect(readPreferences('mara').favourites).toEqual([]);
  });

  it('[issue 14.3] loses one part that cannot be read and no other', () => {
    localStorage.setItem(KEY, JSON.stringify({ favourites: ['/trackers/a'], views: 'none' }));
    expect(readPreferences('mara')).toEqual({ ...NO_PREFERENCES, favourites: ['/trackers/a'] });
  });

  it('[issue 14.3] is bounded: of the pages opened last the oldest go', () => {
    for (let at = 0; at < 40; at++) changePreferences('mara', (now) => ({ ...now, recents: [`/trackers/t${at}`, ...now.recents] }));
    expect(readPreferences('mara').recents).toHaveLength(12);
    expect(readPreferences('mara').recents[0]).toBe('/trackers/t39');
  });

  it('[issue 14.3] is told to whoever shows it, also when another window changes it', () => {
    const told = vi.fn();
    const stop = onPreferences(told);
    changePreferences('mara', (now) => now);
    globalThis.dispatchEvent(new StorageEvent('storage', { key: KEY }));
    stop();
    changePreferences('mara', (now) => now);
    expect(told).toHaveBeenCalledTimes(2);
  });

  it('[issue 14.3] does not tell the next person what was opened: signing out drops that, and keeps what was chosen', () => {
    changePreferences('mara', () => ({ ...NO_PREFERENCES, favourites: ['/trackers/a'], recents: ['/trackers/b'] }));
    dropRecents();
    expect(readPreferences('mara')).toEqual({ ...NO_PREFERENCES, favourites: ['/trackers/a'] });
  });

  it('[issue 14.3] works where the browser refuses to keep anything, as long as the page is open', () => {
    const refuse = () => {
      throw new DOMException('no', 'SecurityError');
    };
    using write = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(refuse);
    using read = vi.spyOn(Storage.prototype, 'getItem').mockImplementation(refuse);
    changePreferences('mara', (now) => ({ ...now, favourites: ['/trackers/a'] }));
    expect(readPreferences('mara').favourites).toEqual(['/trackers/a']);
    expect([write, read].every((spy) => spy.mock.calls.length > 0)).toBe(true);
  });
});

describe('the address of an object’s page', () => {
  it.each([
    ['/applications/shop/checkout', 'application', 'shop', 'checkout'],
    ['/rollouts/shop/checkout', 'rollout', 'shop', 'checkout'],
    ['/releases/platform/helmrelease/notifier', 'release', 'platform', 'notifier'],
    ['/trackers/checkout-v1-shop', 'tracker', null, 'checkout-v1-shop'],
    ['/objects/apps/deployments/shop/web', 'deployments', 'shop', 'web'],
    ['/objects/core/namespaces/-/shop', 'namespaces', null, 'shop'],
    ['/objects/core/configmaps/shop/a%20b', 'configmaps', 'shop', 'a b'],
  ])('[issue 14.3] says of %s what it is', (path, kind, ns, name) => {
    expect(parseObjectPage(path)).toEqual({ path, kind, ns, name });
  });

  it.each([
    '/',
    '/applications',
    '/applications/new',
    '/applications/shop/checkout/edit',
    '/trackers/strays',
    '/rollouts/history',
    '/constructor/a/b',
    '/engine',
  ])('[issue 14.3] is none: %s', (path) => expect(parseObjectPage(path)).toBeNull());
});
