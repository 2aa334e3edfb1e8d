import { expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { ActivityRow } from '@/lib/contract/system-rows';
import { startHouse } from '../../support/house';
import { until } from '../../support/until';
import { cookieOf } from '../auth/rig';
import { openRows } from '../readmodel/rig';
import type { Seen } from './rig';
import { startHub, subscribe } from './rig';

const ACTIVITY = 'activity';

// Rows are JSON on the wire; their schemas are checked where the browser reads them.
const sentTo = ({ rows }: Seen) => rows.flatMap(({ delta }) => (delta.rows as readonly ActivityRow[]).map(({ message }) => message));

it('[issue 9, 6] activity of a namespace is sent to whoever may see that namespace, and to nobody else on the same server', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  const happens = (namespace: string | undefined, message: string): void => {
    const about = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', ...(namespace === undefined ? {} : { namespace }) };
    const entry: RecordEntry = { id: message, at: house.clock.now(), actor: 'ada', action: 'application.changed', about, message };
    rows.model.recorded(entry);
  };
  const may = ({ user, namespace }: { readonly user: string; readonly namespace: string | undefined }) =>
    namespace === (user === 'viewer' ? 'shop' : 'bank');
  await using rig = await startHub({ shown: rows.model, rules: { namespaces: ['bank', 'shop'], may } });
  const operator = await rig.auth.readSession(rig.cookie);
  if (operator === undefined) throw new Error('nobody is signed in');
  const viewer = cookieOf((await rig.auth.signIn(await rig.auth.createLink(operator, 'viewer'))).setCookie);

  happens('shop', 'Shop before');
  happens('bank', 'Bank before');
  happens(undefined, 'Cluster before');
  const [ofShop, ofBank] = [rig.connect({ headers: { cookie: viewer } }), rig.connect()];
  const seen = async (browser: Seen) => {
    const answer = await subscribe(browser, ACTIVITY);
    return answer.kind === 'snapshot' ? (answer.snapshot.rows as readonly ActivityRow[]).map(({ message }) => message) : [];
  };
  expect(await seen(ofShop)).toEqual(['Shop before']);
  expect(await seen(ofBank)).toEqual(['Bank before']);

  happens('bank', 'Bank later');
  happens(undefined, 'Cluster later');
  happens('shop', 'Shop later');
  await until('both were told', () => sentTo(ofShop).length > 0 && sentTo(ofBank).length > 0);
  expect([...new Set(sentTo(ofShop))]).toEqual(['Shop later']);
  expect([...new Set(sentTo(ofBank))]).toEqual(['Bank later']);
});
