import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';

/**
 * Does something on a person's behalf, and has it on record.
 *
 * 1. It is tried without effect first, so that what the cluster refuses leaves no trace.
 * 2. It is on record before it happens: no crash in between can hide it. What fails after all gets a second entry, unless `isRepeated` says
 *    that whoever does it tries again, and answers for what becomes of it.
 */
export async function actWithAudit<T>(
  record: (entry: RecordEntry) => Promise<void>,
  entry: RecordEntry,
  { send, isRepeated = false }: { readonly send: (dryRun: boolean, tried: T | undefined) => Promise<T>; readonly isRepeated?: boolean },
): Promise<T> {
  const tried = await send(true, undefined);
  await record(entry);
  try {
    return await send(false, tried);
  } catch (error) {
    if (!isRepeated)
      await record({
        ...entry,
        id: `${entry.id}/failed`,
        action: `${entry.action}.failed`,
        message: `was not done after all: ${messageOf(error)}`,
      });
    throw error;
  }
}
