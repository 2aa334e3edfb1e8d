import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { actWithAudit } from '@/server/application';

const ENTRY: RecordEntry = {
  id: 'one',
  at: toInstant(0),
  actor: 'ann',
  action: 'application.change',
  about: { ...KINDS.application, namespace: 'shop', name: 'web' },
  message: 'changes it',
};

/** Acts, and answers what happened in which order. */
async function acted(fails: { readonly trial?: true; readonly record?: true; readonly act?: true }, isRepeated = false) {
  const order: string[] = [];
  const record = async ({ action, message }: RecordEntry) => {
    await Promise.resolve();
    if (fails.record) throw new Error('the store is down');
    order.push(`record ${action}: ${message}`);
  };
  const send = async (dryRun: boolean, tried: string | undefined) => {
    if (dryRun ? fails.trial : fails.act) throw new Error(dryRun ? 'refused' : 'refused after all');
    order.push(dryRun ? 'trial' : `act on ${tried}`);
    return dryRun ? 'what was tried' : 'done';
  };
  const outcome = await actWithAudit<string>(record, ENTRY, { send, isRepeated }).catch((error: unknown) => (error as Error).message);
  return { outcome, order };
}

describe('what is done for a person', () => {
  it('[issue 10.3] is tried, then on record, then done, and not before it is on record', async () => {
    expect(await acted({})).toEqual({
      outcome: 'done',
      order: ['trial', 'record application.change: changes it', 'act on what was tried'],
    });
    expect(await acted({ record: true })).toEqual({ outcome: 'the store is down', order: ['trial'] });
  });

  it('[issue 10.3] leaves no trace where it was refused as it was tried', async () => {
    expect(await acted({ trial: true })).toEqual({ outcome: 'refused', order: [] });
  });

  it('[issue 10.3] has a second entry where it failed after all, unless it is tried again', async () => {
    const [first, second] = [
      'record application.change: changes it',
      'record application.change.failed: was not done after all: refused after all',
    ];
    expect(await acted({ act: true })).toEqual({ outcome: 'refused after all', order: ['trial', first, second] });
    expect(await acted({ act: true }, true)).toEqual({ outcome: 'refused after all', order: ['trial', first] });
  });
});
