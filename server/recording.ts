import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { Store } from '@/server/store';

/** The record as the rest of the server writes it, whether its store is open or not. */
export interface Recording {
  /** Puts an entry on record; resolves when it is durable. */
  record(entry: RecordEntry): Promise<void>;
  /** What of the record is not in order. */
  findings(): readonly Finding[];
}

/** The record over a store that may still be opening. */
export function createRecording(opening: Promise<Store>, onRecorded: (entry: RecordEntry) => void): Recording {
  let store: Store | undefined;
  let failure: string | undefined;
  opening.then(
    (open) => {
      store = open;
    },
    (error: unknown) => {
      failure = messageOf(error);
    },
  );
  return {
    async record(entry) {
      await (await opening).audit.append(entry);
      onRecorded(entry);
    },
    findings() {
      if (failure !== undefined) return [toFinding(`the store did not open: ${failure}`)];
      return (store?.audit.troubles() ?? []).map(toFinding);
    },
  };
}

function toFinding(sentence: string): Finding {
  return { area: 'record', subject: 'record', sentence, mend: null };
}
