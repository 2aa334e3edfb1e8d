import { asc, desc, inArray } from 'drizzle-orm';
import type { AuditRow } from '@/lib/contract/audit-chain';
import { GENESIS } from '@/lib/contract/audit-chain';
import type { AuditHead, AuditKey } from '@/lib/contract/audit-head';
import { endorsedText, isSigned } from '@/lib/contract/audit-head';
import { toInstant, toIso } from '@/lib/std/instant';
import { formatCount } from '@/lib/words/figures';
import type { Clock, Log, Release } from '@/server/platform';
import { signatureVerifier } from '@/server/platform';
import type { Database } from '../database';
import { audit, auditKeys } from '../schema';
import { rootReason } from '../store-errors';
import type { HeadStorage, KeptHeads } from './kept-heads';
import { filterTrustedHeads, mergeHeads, NO_HEADS } from './kept-heads';
import type { SigningKeys } from './signing-key';
import { signHead } from './signing-key';

const DAY_MS = 86_400_000;
/** The running head is promised within a second of each entry. */
const WRITE_AFTER_MS = 300;
const RETRY_MS = 10_000;
const SIGN_EVERY = 1000;

export interface HeadKeeperDeps {
  readonly database: Database;
  readonly keys: SigningKeys;
  /** Where heads are kept, outside the store. */
  readonly places: readonly HeadStorage[];
  readonly clock: Clock;
  readonly log: Log;
}

type Entry = Pick<AuditRow, 'seq' | 'hash'>;

/**
 * Keeps signed heads of the record outside the store, so that whoever can write the store cannot change what was written unnoticed.
 *
 * 1. A running head is written within a second of each entry; one is signed for good each day and at each thousandth entry.
 * 2. Before a head is signed, the store must still agree with the last one. One that it contradicts is kept, and named by all that are signed afterwards.
 * 3. A place that could not be read at the start is read, and compared with the store, before anything is written there.
 * 4. A head that was not signed with a key of this record counts for nothing, and takes the place of none.
 */
export class HeadKeeper implements AsyncDisposable {
  readonly #deps: HeadKeeperDeps;
  #kept: KeptHeads = NO_HEADS;
  /** Signed or found since the places were last written. */
  #hasChanged = false;
  #newest: Entry | undefined;
  /** Entries whose heads are to be signed for good. */
  #due: Entry[] = [];
  #writing: Promise<void> = Promise.resolve();
  #cancelWrite: Release | undefined;
  #cancelDay: Release = () => undefined;
  readonly #troubles = new Map<string, string>();
  /** How many heads each place holds that somebody else signed. */
  readonly #foreign = new Map<string, number>();
  /** Places of which nobody knows yet what an earlier process kept there: nothing is written over it. */
  readonly #unread = new Set<string>();

  constructor(deps: HeadKeeperDeps) {
    this.#deps = deps;
  }

  /** Takes up what an earlier process kept, and notes what the store contradicts. */
  async open(): Promise<void> {
    await this.#noteKey();
    for (const { name } of this.#deps.places) this.#unread.add(name);
    await this.#readPlaces();
    const [newest] = await this.#deps.database.select({ seq: audit.seq, hash: audit.hash }).from(audit).orderBy(desc(audit.seq)).limit(1);
    this.#newest = newest;
    await this.#compareWithStore(this.#kept.signed);
    this.#signToday();
    // An earlier process may have ended between an entry and its head.
    if (this.#isAhead(newest)) this.#writeSoon(0);
  }

  /** Entries that have just become durable. */
  appended(rows: readonly Entry[]): void {
    for (const row of rows) if (row.seq % SIGN_EVERY === 0) this.#due.push(row);
    this.#newest = rows.at(-1) ?? this.#newest;
    this.#writeSoon(WRITE_AFTER_MS);
  }

  /** Every head that is known, read anew where it is kept. */
  async heads(): Promise<readonly AuditHead[]> {
    await this.#readPlaces();
    const known = new Set((await this.keys()).map(({ publicKey }) => publicKey));
    const { running, signed, contradicted } = this.#kept;
    return [...signed, ...contradicted, ...(running === null ? [] : [running])].filter(({ publicKey }) => known.has(publicKey));
  }

  /** Keys that signed heads, the oldest first. */
  async keys(): Promise<readonly AuditKey[]> {
    const { database, keys } = this.#deps;
    const rows = await database.select().from(auditKeys).orderBy(asc(auditKeys.since));
    const own = keys.current.publicKey;
    if (rows.some(({ publicKey }) => publicKey === own)) return rows;
    return [...rows, { publicKey: own, since: toIso(this.#deps.clock.now()), endorsedBy: null, endorsement: null }];
  }

  /** Signs a head now. Where the record contradicts one of before, the new one says so: our signature must not make a record good that was changed. */
  sign(entry: Entry, part?: AuditHead['part']): AuditHead {
    const { contradicted } = this.#kept;
    const now = { entries: entry.seq, at: toIso(this.#deps.clock.now()) };
    // What a head that was changed says is nobody's word; that there is one is.
    const { entries, at } = contradicted.find((head) => isSigned(head, signatureVerifier)) ?? now;
    const head = {
      ...{ ...now, hash: entry.hash },
      ...(contradicted.length === 0 ? {} : { contradicts: { entries, at } }),
      ...(part === undefined ? {} : { part }),
    };
    return signHead(this.#deps.keys.current, head);
  }

  /** Compares the store with every head that is known, and answers whether it agrees with all that there ever were. */
  async agrees(): Promise<boolean> {
    await this.#compareWithStore(this.#kept.signed);
    return this.#kept.contradicted.length === 0;
  }

  /** Heads that the entries in the store do not agree with. */
  async #contradictedOf(heads: readonly AuditHead[]): Promise<readonly AuditHead[]> {
    const places = [...new Set(heads.map(({ entries }) => entries))];
    const rows = await this.#deps.database.select({ seq: audit.seq, hash: audit.hash }).from(audit).where(inArray(audit.seq, places));
    const hashes = new Map([[0, GENESIS], ...rows.map(({ seq, hash }) => [seq, hash] as const)]);
    return heads.filter(({ entries, hash }) => hashes.get(entries) !== hash);
  }

  /** What is wrong with the record or with the places of its heads, a sentence each. */
  troubles(): readonly string[] {
    const found = this.#kept.contradicted.map(
      ({ entries, at }) => `the record no longer contains the ${entries} entries that it contained at ${at}`,
    );
    const foreign = [...this.#foreign].map(
      ([name, count]) =>
        `${name} holds ${formatCount(count, 'head', 'heads')} that no key of this record signed. Find out who put it there, then remove every head whose publicKey is not in an export of the record`,
    );
    return [...found, ...foreign, ...this.#troubles.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelDay();
    this.#cancelWrite?.();
    if (this.#cancelWrite !== undefined) this.#write();
    await this.#writing;
  }

  async #noteKey(): Promise<void> {
    const { database, keys, clock } = this.#deps;
    const { current, former } = keys;
    const isOther = former !== undefined && former.publicKey !== current.publicKey;
    const endorsed = isOther ? { endorsedBy: former.publicKey, endorsement: former.sign(endorsedText(current.publicKey)) } : {};
    const since = toIso(clock.now());
    if (isOther)
      await database
        .insert(auditKeys)
        .values({ publicKey: former.publicKey, since: toIso(toInstant(0)) })
        .onConflictDoNothing();
    await database
      .insert(auditKeys)
      .values({ publicKey: current.publicKey, since, ...endorsed })
      .onConflictDoNothing();
  }

  async #readPlaces(): Promise<void> {
    const keys = await this.keys();
    for (const place of this.#deps.places) {
      await this.#attempt(place, 'read', async () => {
        const known = new Set(keys.map(({ publicKey }) => publicKey));
        let foreign = 0;
        for (const key of known) {
          const sifted = filterTrustedHeads((await place.read(key)) ?? NO_HEADS, known);
          await this.#take(place, sifted.ours);
          foreign = Math.max(foreign, sifted.foreign);
        }
        if (foreign === 0) this.#foreign.delete(place.name);
        else this.#foreign.set(place.name, foreign);
        this.#unread.delete(place.name);
      });
    }
  }

  /** A running head of before this process may be lower than its own by now, and is compared before it gives way. */
  async #take({ name }: HeadStorage, found: KeptHeads): Promise<void> {
    const { running } = this.#kept;
    if (running !== null && this.#unread.has(name)) await this.#noteContradicted(found, found.signed);
    this.#kept = mergeHeads(this.#kept, found);
  }

  /** What the store contradicts is kept beside: the next running head must not make it forgotten. */
  async #compareWithStore(signed: readonly AuditHead[] = []): Promise<void> {
    await this.#noteContradicted(this.#kept, signed);
  }

  async #noteContradicted({ running }: Pick<KeptHeads, 'running'>, signed: readonly AuditHead[]): Promise<void> {
    const lost = await this.#contradictedOf([...signed, ...(running === null ? [] : [running])]);
    const known = new Set(this.#kept.contradicted.map(({ signature }) => signature));
    const fresh = lost.filter(({ signature }) => !known.has(signature));
    if (fresh.length === 0) return;
    this.#kept = { ...this.#kept, contradicted: [...this.#kept.contradicted, ...fresh] };
    this.#hasChanged = true;
    this.#deps.log.error({ heads: fresh.map(({ entries, at }) => ({ entries, at })) }, 'the record does not match its signed heads');
    this.#writeSoon(0);
  }

  #isAhead(entry: Entry | undefined): boolean {
    return entry !== undefined && entry.seq > (this.#kept.running?.entries ?? 0);
  }

  #signForGood(entry: Entry): void {
    this.#kept = { ...this.#kept, signed: [...this.#kept.signed, this.sign(entry)] };
    this.#hasChanged = true;
  }

  /** Signs what the day brought, and looks again at the end of the next. */
  #signToday(): void {
    const { clock } = this.#deps;
    const last = this.#kept.signed.at(-1);
    const newest = this.#newest;
    const isOver = last === undefined || Math.floor(Date.parse(last.at) / DAY_MS) < Math.floor(clock.now() / DAY_MS);
    if (isOver && newest !== undefined && newest.seq > (last?.entries ?? 0)) {
      this.#due.push(newest);
      this.#writeSoon(0);
    }
    this.#cancelDay = clock.schedule(DAY_MS - (clock.now() % DAY_MS), () => this.#signToday());
  }

  #writeSoon(delayMs: number): void {
    this.#cancelWrite ??= this.#deps.clock.schedule(delayMs, () => this.#write());
  }

  #write(): void {
    this.#cancelWrite = undefined;
    const release = this.#deps.clock.hold();
    this.#writing = this.#writing
      .then(() => this.#writeNow())
      .catch((error: unknown) => {
        this.#deps.log.warn({ error: rootReason(error) }, 'the store could not be checked against the signed heads');
        this.#writeSoon(RETRY_MS);
      })
      .finally(release);
  }

  async #writeNow(): Promise<void> {
    if (this.#unread.size > 0) await this.#readPlaces();
    await this.#compareWithStore();
    for (const entry of this.#due.splice(0)) this.#signForGood(entry);
    const newest = this.#newest;
    if (newest !== undefined && this.#isAhead(newest)) this.#kept = { ...this.#kept, running: this.sign(newest) };
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    const { publicKey } = this.#deps.keys.current;
    for (const place of this.#deps.places) {
      if (this.#unread.has(place.name)) continue;
      if (!place.keepsRunning && !hasChanged && !this.#troubles.has(place.name)) continue;
      await this.#attempt(place, 'written', () =>
        place.keep(publicKey, place.keepsRunning ? this.#kept : { ...this.#kept, running: null }),
      );
    }
    if (this.#troubles.size > 0) this.#writeSoon(RETRY_MS);
  }

  async #attempt(place: HeadStorage, what: 'read' | 'written', act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#troubles.delete(place.name);
    } catch (error) {
      const sentence = `heads of the record could not be ${what} in ${place.name}: ${rootReason(error)}`;
      if (!this.#troubles.has(place.name))
        this.#deps.log.warn({ place: place.name, error: rootReason(error) }, `heads of the record could not be ${what}`);
      this.#troubles.set(place.name, sentence);
    }
  }
}
