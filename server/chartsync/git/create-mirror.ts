import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Semaphore } from '@/lib/std/semaphore';
import type { Outbound } from '@/server/outbound';
import type { Clock, Log } from '@/server/platform';
import type { GitAddress } from './address';
import { BinaryRepository } from './binary-repository';
import type { NamedCredentials } from './credentials';
import { GitBinary } from './git-binary';
import { GitConnections } from './git-connection';
import type { MirrorTimes } from './mirror';
import { Mirror } from './mirror';

export interface MirrorParts {
  readonly id: string;
  readonly address: GitAddress;
  readonly outbound: Pick<Outbound, 'pin'>;
  readonly readCredentials: () => Promise<NamedCredentials | undefined>;
  /** A folder of its own. */
  readonly folder: string;
  /** The folders of which the exports of an earlier process are gone: what lies there now may be read, whatever mirror it was exported by. */
  readonly cleared?: Set<string>;
  readonly times: MirrorTimes;
  /** Why mirrors may not grow, since they take too much together; absent where that is no matter. */
  readonly crowded?: () => Promise<string | undefined>;
  readonly slots?: Semaphore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A mirror by the git binary in a folder of its own; nothing is read or written before its first step. */
export function createMirror({ id, address, outbound, readCredentials, folder, cleared = new Set(), ...parts }: MirrorParts): Mirror {
  const { times, crowded, slots, clock, log } = parts;
  const git = new GitBinary({ scheme: address.scheme, home: folder, clock });
  const contacts = new GitConnections({ address, outbound, readCredentials, folder: path.join(folder, 'contacts') });
  const binary = new BinaryRepository({ address, git, contacts, folder, crowded, clock });
  const clone = async (signal: AbortSignal) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Exports of an earlier process are nobody's; those of this one outlive an outage.
    if (!cleared.has(folder)) await rm(path.join(folder, 'exports'), { recursive: true, force: true });
    cleared.add(folder);
    await binary.clone(signal);
  };
  const port = { isThere: binary.isThere.bind(binary), clone, check: binary.check.bind(binary), fetch: binary.fetch.bind(binary) };
  const reading = {
    revision: binary.revision.bind(binary),
    isGone: binary.isGone.bind(binary),
    commitsBetween: binary.commitsBetween.bind(binary),
    export: binary.export.bind(binary),
  };
  const queries = {
    ...reading,
    facts: binary.facts.bind(binary),
    charts: binary.charts.bind(binary),
    commitsOn: binary.commitsOn.bind(binary),
    kept: binary.kept.bind(binary),
    keep: binary.keep.bind(binary),
  };
  return new Mirror({ id, repository: { ...port, ...queries }, times, ...(slots === undefined ? {} : { slots }), clock, log });
}
