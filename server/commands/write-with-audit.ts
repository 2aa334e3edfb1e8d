import type { KubeObject } from '@/lib/kube/object';
import type { ApplicationWrite } from '@/server/application';
import { writeWithAudit as writeAs } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps } from './command-deps';
import { FIELD_MANAGER } from './command-deps';

/** Writes an application as the person who is signed in, and puts it on record. */
export function writeWithAudit(
  deps: CommandDeps,
  session: Session,
  write: Omit<ApplicationWrite, 'act' | 'note' | 'isRepeated'>,
): Promise<KubeObject> {
  const { cluster, clock, ids, record } = deps;
  const writer = { by: session, cluster: cluster.as(session.person), fieldManager: FIELD_MANAGER, record, now: clock.now() };
  return writeAs(writer, { ...write, act: ids.uuid() });
}
