/** A mutant that touches a right, a gate, a deletion or a bound, and that no test could tell from the original. */
export interface Equivalent {
  readonly file: string;
  /** The line without its margin, and what becomes of which part of it; more than one line in one. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'server/auth/origins.ts',
    line: "if (!origin || origin === 'null') return false;",
    from: "origin === 'null'",
    to: 'false',
    why: 'no address of ours is written `null`, so it is refused further on',
  },
  {
    file: 'server/auth/tickets.ts',
    line: 'for (const [hash, { endsAt }] of open) if (endsAt <= clock.now()) open.delete(hash);',
    from: 'endsAt <= clock.now()',
    to: 'false',
    why: 'all links live an hour, so the one that gives way is over first; and what is over signs nobody in',
  },
  {
    file: 'server/application/permission/grants.ts',
    line: 'if (missing.length === 0) this.#waiting.delete(application);',
    from: 'missing.length === 0',
    to: 'false',
    why: 'an application that waits for nothing is told of nowhere',
  },
];
