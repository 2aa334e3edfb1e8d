import { describe, expect, it } from 'vitest';
import { formatInboxQuery, INBOX_PAGE, parseInboxQuery } from '@/lib/contract/inbox/inbox-query';
import type { InboxRow } from '@/lib/contract/system-rows';
import { pageInbox } from '@/server/readmodel/system/inbox-page';

const entry = (key: string, over: Partial<InboxRow> = {}): InboxRow => ({
  key,
  group: 'failing',
  kind: 'application',
  ns: 'shop',
  name: key,
  title: 'Not healthy',
  sentence: 'It fails.',
  health: 'Failed',
  since: null,
  href: '/',
  ...over,
});
const ENTRIES = [
  entry('gate', { group: 'waits', kind: 'rollout', title: 'Stage 2 waits' }),
  ...Array.from({ length: INBOX_PAGE + 50 }, (_, at) => entry(`app-${at}`)),
  entry('ledger', { ns: 'pay', sentence: 'Back-off of ledger.' }),
  entry('drift', { kind: 'release', ns: 'pay' }),
];
const keysOf = (text: string) => [...pageInbox(ENTRIES, parseInboxQuery(new URLSearchParams(text))).order];

describe('a page of the inbox', () => {
  it('[issue 14] is narrowed among all entries, by what a row shows, namespaces and kinds', () => {
    expect(keysOf('q=BACK-OFF')).toEqual(['ledger']);
    expect(keysOf('q=stage')).toEqual(['gate']);
    expect(keysOf('ns=pay')).toEqual(['ledger', 'drift']);
    expect(keysOf('ns=pay%2Cstore&kind=release')).toEqual(['drift']);
    expect(keysOf('kind=rollout%2Crelease%2Cnonsense')).toEqual(['gate', 'drift']);
    expect(keysOf('q=nowhere')).toEqual([]);
  });

  it('[issue 14] goes on where the one before ended, to the end', () => {
    const [first, second, third] = [keysOf(''), keysOf('page=1'), keysOf('page=2')];
    expect([...first, ...second]).toEqual(ENTRIES.map(({ key }) => key));
    expect([first.length, second.length, third.length]).toEqual([INBOX_PAGE, 53, 0]);
  });

  it('[issue 14] counts what is on all pages: groups as narrowed, kinds as if none were chosen', () => {
    expect(pageInbox(ENTRIES, { page: 1 })).toMatchObject({ total: 253, counts: { groups: { waits: 1, failing: 252, moving: 0 } } });
    expect(pageInbox(ENTRIES, { ns: ['pay'], kind: ['release'] })).toMatchObject({
      total: 1,
      counts: { groups: { waits: 0, failing: 1, moving: 0 }, kinds: { application: 1, release: 1 } },
    });
  });

  it.each(['', 'q=a+b&ns=pay%2Cshop&kind=rollout%2Crelease&page=3'])('[issue 14] is asked for by one text: %j', (text) => {
    expect(formatInboxQuery(parseInboxQuery(new URLSearchParams(text)))).toBe(text);
  });
});
