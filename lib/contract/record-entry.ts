import type { ObjectAddress } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';

/** Something that happened and that must stay on record. Appended once per id, however often it is offered. */
export interface RecordEntry {
  /** Names the happening, for instance the uid of a decision; the same id is never recorded twice. */
  readonly id: string;
  readonly at: Instant;
  /** Who: a user, or the engine's name. */
  readonly actor: string;
  /** What, in the words of the field: `decision.approve`, `stage.completed`, `garbage.deleted`. */
  readonly action: string;
  readonly about: ObjectAddress;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
