import { AppError } from '@/lib/contract/app-error';
import { refuseTopic } from '@/lib/contract/lists/refuse-topic';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import type { Refusals, RightsOf } from '@/lib/contract/rights-of';
import type { Topic } from '@/lib/contract/topic';
import { parseTopic } from '@/lib/contract/topic';
import type { Auth, Grant, Session } from '@/server/auth';
import { toSessionView } from '@/server/auth';
import type { Commands } from '@/server/commands';
import type { Clock } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import type { ReadModel } from '@/server/readmodel';

/** The topic of a text; throws invalid for a text that is none. */
export function requireTopic(text: string): Topic {
  const topic = parseTopic(text);
  if (topic === undefined) throw new AppError('invalid', `"${text.slice(0, 80)}" is not a topic`);
  return requireReadable(topic);
}

/** A topic whose filters can be read; throws invalid with the sentence for one whose label selector cannot. */
export function requireReadable<Asked extends Topic>(topic: Asked): Asked {
  const wrong = refuseTopic(topic);
  if (wrong !== null) throw new AppError('invalid', wrong);
  return topic;
}

/** The first answer of a topic that was granted. */
export async function readSnapshot(readModel: ReadModel, topic: Topic, grant: Grant): Promise<WindowSnapshot<Keyed>> {
  await readModel.whenComplete(topic);
  const window = readModel.open(topic, grant.visibility, grant);
  if (window === undefined) throw noSuch(topic);
  try {
    return window.snapshot();
  } finally {
    window.release();
  }
}

/** The one row of the view of an object; throws not-found where it is gone, also while somebody else still keeps its view open. */
export async function readOne(readModel: ReadModel, topic: Topic, grant: Grant): Promise<Keyed> {
  const [row] = (await readSnapshot(readModel, topic, grant)).rows;
  if (row === undefined) throw noSuch(topic);
  return row;
}

const noSuch = (topic: Topic) => new AppError('not-found', `there is no ${describeTopic(topic)}`);

function describeTopic(topic: Topic): string {
  if ('ns' in topic) return `${topic.kind} ${topic.name} in ${topic.ns}`;
  return 'name' in topic ? `${topic.kind} ${topic.name}` : topic.kind;
}

/** Milliseconds that a page waits for what its reader may do; the browser asks for what is late. */
const RIGHTS_LIMIT_MS = 500;

interface ReadsDeps {
  readonly auth: Auth;
  readonly readModel: ReadModel;
  readonly commands: Pick<Commands, 'readRights' | 'readApplicationRights' | 'readCreateRights'>;
  readonly clock: Clock;
}

/** What pages read on the server, bound to a session; the same rights as over HTTP. */
export function createReads({ auth, readModel, commands, clock }: ReadsDeps) {
  const readRights = async (session: Session, of: RightsOf): Promise<Refusals> => {
    if (of.kind === 'applications') return commands.readCreateRights(session);
    const { kind, ns, name } = of;
    await auth.authorise(session, { kind: 'view-topic', topic: { kind, ns, name } });
    return kind === 'rollout' ? commands.readRights(session, { ns, name }) : commands.readApplicationRights(session, { ns, name });
  };
  return async (cookieHeader: string | null) => {
    const session = await auth.readSession(cookieHeader);
    if (session === undefined) return undefined;
    return {
      session: toSessionView(session),
      async snapshot(text: string): Promise<WindowSnapshot<Keyed>> {
        const topic = requireTopic(text);
        return readSnapshot(readModel, topic, await auth.authorise(session, { kind: 'view-topic', topic }));
      },
      async rights(of: RightsOf): Promise<Refusals | undefined> {
        // What cannot be read is read by the browser, which shows why.
        const known = readRights(session, of).catch(() => undefined);
        return waitAtMost({ clock, ms: RIGHTS_LIMIT_MS, late: () => undefined }, known);
      },
    };
  };
}
