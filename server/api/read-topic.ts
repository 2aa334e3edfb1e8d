import { AppError } from '@/lib/contract/app-error';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import type { SessionView } from '@/lib/contract/requests';
import type { Topic } from '@/lib/contract/topic';
import { parseTopic } from '@/lib/contract/topic';
import type { Auth, Grant } from '@/server/auth';
import { toSessionView } from '@/server/auth';
import type { ReadModel } from '@/server/readmodel';

/** The topic of a text; throws invalid for a text that is none. */
export function requireTopic(text: string): Topic {
  const topic = parseTopic(text);
  if (topic === undefined) throw new AppError('invalid', `"${text.slice(0, 80)}" is no topic`);
  return topic;
}

/** The first answer of a topic that was granted. */
export function readSnapshot(readModel: ReadModel, topic: Topic, grant: Grant): WindowSnapshot<Keyed> {
  const window = readModel.open(topic, grant.visibility);
  if (window === undefined) throw new AppError('not-found', `there is no ${describeTopic(topic)}`);
  try {
    return window.snapshot();
  } finally {
    window.release();
  }
}

function describeTopic(topic: Topic): string {
  if ('ns' in topic) return `${topic.kind} ${topic.name} in ${topic.ns}`;
  return 'name' in topic ? `${topic.kind} ${topic.name}` : topic.kind;
}

/** What pages read on the server, bound to a session; the same rights as over HTTP. */
export function createReads({ auth, readModel }: { readonly auth: Auth; readonly readModel: ReadModel }) {
  return async (cookieHeader: string | null) => {
    const session = await auth.readSession(cookieHeader);
    if (session === undefined) return undefined;
    const view: SessionView = toSessionView(session);
    return {
      session: view,
      async snapshot(text: string): Promise<WindowSnapshot<Keyed>> {
        const topic = requireTopic(text);
        return readSnapshot(readModel, topic, await auth.authorise(session, { kind: 'view-topic', topic }));
      },
    };
  };
}
