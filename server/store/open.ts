import { messageOf } from '@/lib/contract/app-error';
import { toInstant } from '@/lib/std/instant';
import type { Clock, Ids, Log, Release } from '@/server/platform';
import type { AuditLog } from './audit/audit-log';
import { createAuditLog } from './audit/audit-log';
import { HeadKeeper } from './audit/head-keeper';
import type { HeadStorage } from './audit/kept-heads';
import { folderHeadStorage } from './audit/kept-heads';
import { openSigningKeys, temporaryKeys } from './audit/signing-key';
import type { OpenDatabase } from './database';
import { openFolder, openMemory } from './embedded-database';
import { openPostgres } from './postgres-database';
import type { Previews } from './previews';
import { createPreviews } from './previews';
import type { Samples } from './samples';
import { createSamples } from './samples';
import type { ServerKeys } from './server-keys';
import { createServerKeys } from './server-keys';
import type { Sessions } from './sessions';
import { createSessions } from './sessions';
import { withStoreErrors } from './store-errors';

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;

/** Where the store lies: a folder, a Postgres, or nowhere. */
export type StorePlace =
  | { readonly kind: 'folder'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'memory' };

/** What the store stands on. */
export interface StoreDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How the record is signed; absent, a key of this process alone signs it, and no head outlives the process. */
  readonly signing?: RecordSigning;
}

/** Where the key of the record lies, and where its heads are kept outside the store. */
export interface RecordSigning {
  /** Holds the key, unless a file is named, and heads. */
  readonly folder: string;
  /** A file with the key, for instance of a mounted Secret. */
  readonly keyFile?: string | undefined;
  /** Where heads are kept besides. */
  readonly places: readonly HeadStorage[];
}

/** What is no state of the cluster and must outlive the process. */
export interface Store extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly audit: AuditLog;
  readonly samples: Samples;
  readonly previews: Previews;
  readonly keys: ServerKeys;
}

/** Opens the store and keeps it tidy. The first opening of a folder takes seconds; callers go on meanwhile. */
export async function openStore(place: StorePlace, deps: StoreDeps): Promise<Store> {
  const open = await openDatabase(place, deps);
  const heads = await openHeads(open, deps).catch(async (error: unknown) => {
    await open[Symbol.asyncDispose]();
    throw error;
  });
  const sessions = withStoreErrors(createSessions(open.database, deps.clock));
  const samples = withStoreErrors(createSamples(open.database));
  const previews = withStoreErrors(createPreviews(open.database));
  const tidy = keepTidy({ sessions, samples, previews }, deps);
  return {
    sessions,
    samples,
    previews,
    keys: withStoreErrors(createServerKeys(open.database, deps.ids)),
    audit: withStoreErrors(createAuditLog(open.database, deps.clock, heads)),
    async [Symbol.asyncDispose]() {
      tidy();
      await heads[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
    },
  };
}

async function openHeads({ database }: OpenDatabase, { clock, log, signing }: StoreDeps): Promise<HeadKeeper> {
  const keys = signing === undefined ? temporaryKeys() : await openSigningKeys(signing.folder, signing.keyFile);
  const places = signing === undefined ? [] : [folderHeadStorage(signing.folder), ...signing.places];
  const heads = new HeadKeeper({ database, keys, places, clock, log });
  await heads.open();
  return heads;
}

async function openDatabase(place: StorePlace, { ids, log }: StoreDeps): Promise<OpenDatabase> {
  switch (place.kind) {
    case 'folder':
      return openFolder(place.dataDir, ids);
    case 'postgres':
      return openPostgres(place.url, log);
    case 'memory':
      return openMemory();
  }
}

/** Forgets daily what is over: ended sessions, samples and previews of more than a month. */
function keepTidy({ sessions, samples, previews }: Pick<Store, 'sessions' | 'samples' | 'previews'>, { clock, log }: StoreDeps): Release {
  let cancel: Release = () => undefined;
  const tidy = () => {
    cancel = clock.schedule(DAY_MS, tidy);
    const before = toInstant(clock.now() - KEPT_MS);
    Promise.all([sessions.prune(), samples.prune(before), previews.prune(before)]).catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, 'the store could not be cleaned up'),
    );
  };
  tidy();
  return () => cancel();
}
