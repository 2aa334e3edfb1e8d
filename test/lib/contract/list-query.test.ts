import { describe, expect, it } from 'vitest';
import { formatListQuery, isFiltered, parseListQuery } from '@/lib/contract/lists/list-query';
import { formatTopic, parseTopic } from '@/lib/contract/topic';

describe('the filters of a list in an address', () => {
  it('[issue 14.3] take several values in any order and are written in one', () => {
    const query = parseListQuery(new URLSearchParams('ns=shop,pay,shop&health=Failed&owner=none,Helm&labels= app=web '));
    expect(query).toMatchObject({ ns: ['pay', 'shop'], health: ['Failed'], owner: ['Helm', 'none'], labels: 'app=web' });
    expect(formatListQuery(query)).toBe('ns=pay%2Cshop&health=Failed&labels=app%3Dweb&owner=Helm%2Cnone');
  });

  it.each(['applications?ns=pay%2Cshop&labels=tier+in+%28a%2Cb%29&owner=none', 'facets/applications', 'facets/flux-sources'])(
    '[issue 14.3] %s reads and writes as itself',
    (text) => {
      const topic = parseTopic(text);
      expect(topic && formatTopic(topic)).toBe(text);
    },
  );

  it.each(['facets', 'facets/strays', 'facets/applications/more'])('[issue 14.3] %s is no topic', (text) => {
    expect(parseTopic(text)).toBeUndefined();
  });

  it('[issue 14.3] are none where only the order and the page are named', () => {
    expect(isFiltered(parseListQuery(new URLSearchParams('sort=name&desc=1&page=3')))).toBe(false);
    expect(isFiltered(parseListQuery(new URLSearchParams('labels=app')))).toBe(true);
  });
});
