import type { AuditRow, Verified } from './audit-chain';
import { coveredText, GENESIS } from './audit-chain';
import type { AuditHead, SignatureVerifier } from './audit-head';
import { isSigned, keyName } from './audit-head';

interface WalkOptions {
  /** Heads that were kept elsewhere; their signatures are checked here, their keys by who gives them. */
  readonly heads?: readonly AuditHead[];
  /** Of an export of some namespaces: entries of others are left out, so numbers have gaps. */
  readonly namespaces?: readonly string[] | null;
}

/** Walks the record from its beginning, entry by entry, and names the first that is not as it was written. */
export class ChainWalk {
  readonly #proofs: SignatureVerifier;
  readonly #namespaces: readonly string[] | null;
  readonly #heads: AuditHead[];
  #entries = 0;
  #seq = 0;
  #previous = GENESIS;
  #digest = GENESIS;
  /** Of an export of some namespaces, the places of its entries since the last head. */
  #places: number[] = [];
  /** The last entry that a head vouches for. */
  #vouched = 0;
  #signed: AuditHead | null = null;
  #fault: { readonly at: number; readonly why: string } | null = null;

  constructor(proofs: SignatureVerifier, { heads = [], namespaces = null }: WalkOptions = {}) {
    this.#proofs = proofs;
    this.#namespaces = namespaces;
    this.#heads = heads.filter((head) => this.#isGenuine(head)).sort((left, right) => left.entries - right.entries);
    this.#takeHeads();
  }

  add(row: AuditRow): void {
    this.#entries++;
    this.#checkPlace(row);
    if (row.hash !== this.#proofs.sha256(coveredText(row)))
      this.fault(this.#numberOf(row), `entry ${this.#numberOf(row)} was changed after it was written`);
    this.#seq = row.seq;
    this.#previous = row.hash;
    if (this.#isPart) {
      this.#digest = this.#proofs.sha256(this.#digest + row.hash);
      this.#places.push(row.seq);
    }
    this.#takeHeads();
  }

  /** Takes a head that stands here among the entries. */
  addHead(head: AuditHead): void {
    if (!this.#isGenuine(head)) return;
    if ((head.part !== undefined) !== this.#isPart) this.fault(1, 'a head of this export belongs to another one');
    else if (head.part === undefined) this.#compare(head, head.entries);
    else if (nameSet(head.part.namespaces) !== nameSet(this.#namespaces ?? [])) this.#formatOther(head.part.namespaces, head.at);
    else this.#comparePart(head, head.part);
  }

  /** Notes what else is wrong; what was found first stays. */
  fault(at: number, why: string): void {
    this.#fault ??= { at, why };
  }

  /** What a head says of an export of some namespaces that was walked so far; the next one begins here. */
  takePart(): NonNullable<AuditHead['part']> {
    const places = this.#places;
    this.#places = [];
    return { namespaces: [...(this.#namespaces ?? [])], places, entries: this.#entries, digest: this.#digest };
  }

  /** The place of the entry that was read last. */
  last(): { readonly seq: number; readonly entries: number; readonly hash: string } {
    return { seq: this.#seq, entries: this.#entries, hash: this.#previous };
  }

  result(): Verified {
    const [missing] = this.#heads;
    if (missing !== undefined) this.#formatCut(missing.entries, missing.at);
    const [fault, signed] = [this.#fault, this.#signed];
    return {
      entries: this.#entries,
      intact: fault === null,
      brokenAt: fault?.at ?? null,
      why: fault?.why ?? null,
      signed: signed === null ? null : { entries: signed.entries, at: signed.at, key: keyName(signed.publicKey, this.#proofs) },
      head: this.#previous,
    };
  }

  #checkPlace({ seq, previous }: AuditRow): void {
    const next = this.#seq + 1;
    if (this.#isPart ? seq < next : seq !== next) {
      this.fault(Math.min(seq, next), seq > next ? `entry ${next} is missing` : `entry ${seq} is not where it was written`);
    } else if (seq === next && previous !== this.#previous) {
      this.fault(seq, `entry ${seq} does not follow from the one before: one of them was inserted or written again`);
    }
  }

  /** Compares with the heads that were kept of this place. */
  #takeHeads(): void {
    for (let [head] = this.#heads; head !== undefined && head.entries <= this.#seq; [head] = this.#heads) {
      this.#heads.shift();
      // In an export of some namespaces the entry of a head may be one that is left out: nothing can be said of it here.
      if (!this.#isPart || head.entries === this.#seq) this.#compare(head, this.#seq);
    }
  }

  #compare(head: AuditHead, at: number): void {
    if (at > this.#seq) this.#formatCut(at, head.at);
    else if (head.entries !== this.#seq || head.hash !== this.#previous) this.#formatRewritten(this.#seq, head.at);
    else this.#vouch(head);
  }

  #comparePart(head: AuditHead, { places, entries, digest }: NonNullable<AuditHead['part']>): void {
    const found = this.takePart().places;
    // One head may count every entry of an export.
    const [counted, read] = [new Set(places), new Set(found)];
    const [missing, inserted] = [places.find((seq) => !read.has(seq)), found.find((seq) => !counted.has(seq))];
    if (missing !== undefined) this.fault(missing, `entry ${missing} is missing: the head signed at ${head.at} counts it`);
    else if (inserted !== undefined)
      this.fault(inserted, `entry ${inserted} was inserted: the head signed at ${head.at} does not count it`);
    else if (entries !== this.#entries || digest !== this.#digest) this.#formatRewritten(this.#seq, head.at);
    else this.#vouch(head);
  }

  #vouch(head: AuditHead): void {
    if (head.contradicts !== undefined) this.#formatRewritten(this.#seq, head.contradicts.at);
    if (this.#fault !== null) return;
    this.#vouched = this.#seq;
    this.#signed = head;
  }

  #formatCut(entries: number, at: string): void {
    this.fault(this.#seq + 1, `entries ${this.#seq + 1} to ${entries} are cut off: the head signed at ${at} counts them`);
  }

  #formatRewritten(last: number, at: string): void {
    const first = this.#vouched + 1;
    this.fault(
      first,
      `${last > first ? `entries ${first} to ${last} are` : `entry ${first} is`} not what was signed at ${at}: inserted or written again`,
    );
  }

  #formatOther(signed: readonly string[], at: string): void {
    this.fault(
      1,
      `this export says that it is of ${formatNames(this.#namespaces)}, and the head signed at ${at} is of ${formatNames(signed)}`,
    );
  }

  get #isPart(): boolean {
    return this.#namespaces !== null;
  }

  #isGenuine(head: AuditHead): boolean {
    if (isSigned(head, this.#proofs)) return true;
    this.fault(head.entries, `the head signed at ${head.at} has an invalid signature: it was changed`);
    return false;
  }

  #numberOf({ seq }: AuditRow): number {
    return this.#isPart ? seq : this.#entries;
  }
}

const nameSet = (namespaces: readonly string[]) => JSON.stringify([...namespaces].sort());

function formatNames(namespaces: readonly string[] | null): string {
  return namespaces === null || namespaces.length === 0 ? 'no namespace' : `namespaces ${namespaces.join(', ')}`;
}
