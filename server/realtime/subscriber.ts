import type { Socket } from 'socket.io';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { refuseTopic } from '@/lib/contract/lists/refuse-topic';
import type { ClientEvents, Seq, ServerEvents, SubscribeAnswer, SubscribeRefusal } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic, parseTopic } from '@/lib/contract/topic';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import type { Auth, Session } from '@/server/auth';
import type { Clock, Log, RateLimiter } from '@/server/platform';
import { createRateLimiter } from '@/server/platform';
import { nameView } from '@/server/readmodel';
import { parseSubscribe, refuse, toRefusal } from './client-message';
import type { Topics, TopicUse } from './topics';
import { UnsentDeltas } from './unsent-deltas';

export type LiveSocket = Socket<ClientEvents, ServerEvents>;

const MESSAGES_PER_WINDOW = 300;
const WINDOW_MS = 10_000;
const AT_ONCE = 16;

interface Subscription {
  readonly topic: Topic;
  /** Absent while the right is being asked for. */
  use: TopicUse | undefined;
}

interface Asked {
  readonly since: Seq | undefined;
  readonly reply: (reply: SubscribeAnswer) => void;
}

/** What one connected browser is served by. */
export interface SubscriberDeps {
  readonly socket: LiveSocket;
  readonly session: Session;
  readonly auth: Auth;
  readonly topics: Topics;
  /** Messages by person, over all their sessions and sockets. */
  readonly allowance: RateLimiter;
  /** Messages that are counted elsewhere, by their name. */
  readonly uncounted: (message: unknown) => boolean;
  /** Topics that it may watch at a time. */
  readonly maxSubscriptions: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One connected browser.
 *
 * 1. It is sent rows only while what was sent before has left; a topic whose delta it could not take is `reset`
 *    once it has caught up, and nothing is kept for it meanwhile.
 * 2. Whatever it sends that is no subscription is answered with a refusal or with nothing.
 */
export class Subscriber {
  readonly #deps: SubscriberDeps;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #behind = new Set<string>();
  readonly #unsent = new UnsentDeltas();
  #session: Session;
  readonly #messages: RateLimiter;

  constructor(deps: SubscriberDeps) {
    this.#deps = deps;
    this.#session = deps.session;
    this.#messages = createRateLimiter(deps.clock, { most: MESSAGES_PER_WINDOW, windowMs: WINDOW_MS });
    const { socket } = deps;
    socket.use(([message], next) => {
      if (deps.uncounted(message) || this.#isQuiet()) next();
    });
    socket.on('subscribe', (request: unknown, answer: unknown) => this.#onSubscribe(request, answer));
    socket.on('unsubscribe', (topic: unknown) => {
      if (typeof topic === 'string') this.#leave(topic);
    });
    socket.conn.on('drain', () => this.#onDrain());
  }

  /** Told before a delta goes to a room: true when this one takes it, otherwise it has left the room. */
  takes(topic: string): boolean {
    if (this.#unsent.count(topic)) return true;
    this.#leave(topic);
    this.#behind.add(topic);
    return false;
  }

  /** Asks for every right anew, of the person as the cluster knows them now; a topic that was lost, or that shows other namespaces now, is reset. */
  async checkRights(session: Session, notBefore: Instant): Promise<void> {
    this.#session = session;
    await inParallel([...this.#subscriptions], AT_ONCE, ([text, subscription]) => this.#checkRight(text, subscription, notBefore));
  }

  async #checkRight(text: string, subscription: Subscription, notBefore: Instant): Promise<void> {
    const { auth, log } = this.#deps;
    const { topic, use } = subscription;
    if (use === undefined) return;
    try {
      const { visibility, ...beside } = await auth.authorise(this.#session, { kind: 'view-topic', topic }, notBefore);
      if (nameView(topic, visibility, beside) === use.room) return;
    } catch (error) {
      if (toRefusal(error) === undefined) {
        log.warn({ topic: text, error: messageOf(error) }, 'a right could not be checked');
        return;
      }
    }
    if (this.#subscriptions.get(text) === subscription) this.#reset(text);
  }

  /** Gives every topic up. */
  release(): void {
    for (const text of [...this.#subscriptions.keys()]) this.#leave(text);
    this.#behind.clear();
  }

  #onSubscribe(request: unknown, answer: unknown): void {
    if (typeof answer !== 'function') return;
    const reply = answer as (reply: SubscribeAnswer) => void; // socket.io gives a function for an acknowledgement
    const parsed = parseSubscribe(request);
    const topic = parsed && parseTopic(parsed.topic);
    const refusal = this.#refusalOf(parsed?.topic, topic);
    if (parsed === undefined || topic === undefined || refusal !== undefined) {
      reply(refusal ?? refuse('invalid', 'this is not a topic'));
      return;
    }
    // An answer is as large as any delta: who does not read gets none, and is told to ask again once there is room.
    if (!this.#unsent.count(parsed.topic)) {
      this.#behind.add(parsed.topic);
      return;
    }
    this.#subscribe(parsed.topic, topic, { since: parsed.since, reply }).catch((error: unknown) => {
      const told = toRefusal(error);
      if (told === undefined) this.#deps.log.warn({ topic: parsed.topic, error: messageOf(error) }, 'a subscription failed');
      reply(told ?? refuse('not-found', 'the topic cannot be read now; try again'));
    });
  }

  #refusalOf(text: string | undefined, topic: Topic | undefined): SubscribeRefusal | undefined {
    if (text === undefined || topic === undefined) return refuse('invalid', 'this is not a topic');
    // Deltas bear the canonical text, so another spelling would never hear of them.
    if (formatTopic(topic) !== text) return refuse('invalid', `this topic is written ${formatTopic(topic)}`);
    const unreadable = refuseTopic(topic);
    if (unreadable !== null) return refuse('invalid', unreadable);
    if (this.#subscriptions.has(text)) return undefined;
    const { maxSubscriptions } = this.#deps;
    if (this.#subscriptions.size < maxSubscriptions) return undefined;
    return refuse('too-many', `one page watches at most ${maxSubscriptions} topics at a time`);
  }

  /** Says nothing when the client changed its mind meanwhile. */
  async #subscribe(text: string, topic: Topic, { since, reply }: Asked): Promise<void> {
    const { auth, topics, socket } = this.#deps;
    this.#leave(text);
    const subscription: Subscription = { topic, use: undefined };
    this.#subscriptions.set(text, subscription);
    try {
      const { visibility, ...beside } = await auth.authorise(this.#session, { kind: 'view-topic', topic });
      await topics.whenComplete(topic);
      if (this.#subscriptions.get(text) !== subscription || !socket.connected) return;
      subscription.use = topics.use(topic, visibility, beside);
      if (subscription.use === undefined) throw new AppError('not-found', 'what the topic names does not exist');
    } catch (error) {
      if (this.#subscriptions.get(text) === subscription) this.#subscriptions.delete(text);
      throw error;
    }
    // Answered and joined within one turn: a delta before the answer would be lost, one after it is not.
    reply(subscription.use.topic.resume(since));
    void socket.join(subscription.use.room);
  }

  #leave(text: string): void {
    this.#behind.delete(text);
    const subscription = this.#subscriptions.get(text);
    this.#subscriptions.delete(text);
    if (subscription?.use === undefined) return;
    void this.#deps.socket.leave(subscription.use.room);
    subscription.use.release();
  }

  #reset(text: string): void {
    this.#leave(text);
    this.#deps.socket.emit('reset', text);
  }

  #onDrain(): void {
    this.#unsent.clear();
    for (const text of this.#behind) this.#deps.socket.emit('reset', text);
    this.#behind.clear();
  }

  /** Counts what a client says, whatever it is; one that shouts is cut off. */
  #isQuiet(): boolean {
    const { socket, log, session, allowance } = this.#deps;
    if (this.#messages('socket') && allowance(session.user)) return true;
    if (!socket.connected) return false;
    log.warn({ user: session.user }, 'a client sent too much and was cut off');
    socket.disconnect(true);
    return false;
  }
}
