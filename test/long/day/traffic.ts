import type { Socket } from 'socket.io-client';
import { messageOf } from '@/lib/contract/app-error';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { driftAnswer } from '@/lib/contract/drift-rows';
import { KINDS } from '@/lib/kube/kinds';
import { isNotFound } from '@/server/kube';
import { aStorefront } from '../../support/applications';
import type { Dice } from '../../support/preview/random-application';
import type { DayPerson } from './day-person';
import { enter, subscribe } from './day-person';
import type { DayServer } from './day-server';
import type { Settled } from './settled';
import { change, collect, complete, decide, NS, push, SETTLED, settledAs } from './settled';

const MINUTE_MS = 60_000;
/** Longer than the cluster remembers what became of its objects. */
const REST_MS = 11 * MINUTE_MS;
/** Most that happens within a minute. */
const MAX_ACTS = 4;
const MAX_VISITORS = 6;
const MAX_GUESTS = 4;
const LONGEST_VISIT = 20;
const LONGEST_STAY = 25;
const TOPICS = [
  'inbox',
  'applications',
  'rollouts',
  'releases',
  'trackers',
  'strays',
  'activity',
  'engine',
  'status',
  'flux-sources',
] as const;
/** More than the pages show. */
const RECORD_ROWS = 5200;
const AT_ONCE = 20;
const REFUSED = { verb: 'pause', uid: 'any', reason: 'somebody without the right asks' } as const;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const DEPLOYMENT = KINDS.deployment;

interface Visitor {
  readonly person: DayPerson;
  tab: Socket;
  minutesLeft: number;
}

interface Guest {
  readonly name: string;
  minutesLeft: number;
}

/** How often each thing was done. */
export type Done = Readonly<Record<string, number>>;

/**
 * Random traffic of a day. Applications that are there all day change, and their rollouts are decided about; others come and go under names of their own, and so
 * do people. After `rest` the same applications are there as at every other rest, at the end of their rollouts, and nobody looks.
 */
export class DayTraffic {
  readonly #server: DayServer;
  readonly #dice: Dice;
  readonly #done: Record<string, number> = {};
  #visitors: Visitor[] = [];
  #guests: Guest[] = [];
  #serial = 0;

  constructor(server: DayServer, dice: Dice) {
    this.#server = server;
    this.#dice = dice;
  }

  /** What a rest takes at least. */
  readonly restMs = MINUTE_MS + REST_MS;

  done(): Done {
    return this.#done;
  }

  /** Makes the applications that are there all day. */
  async begin(): Promise<void> {
    const { day, kubectl, owner } = this.#server;
    await day.during(kubectl((cluster) => cluster.create({ ...KINDS.namespace, metadata: { name: NS } })));
    for (const name of SETTLED) {
      const { status, text } = await day.during(
        owner.post('/api/v1/applications', { manifest: JSON.stringify(settledAs(name, this.#dice)) }),
      );
      if (status !== 202) throw new Error(`making ${name} answered ${status}: ${text}`);
    }
    await this.rest();
  }

  /** Fills the window over the record with refusals, as hours of acts would. */
  async fillRecord(): Promise<void> {
    const { day, viewer } = this.#server;
    for (let filled = 0; filled < RECORD_ROWS; filled += AT_ONCE) {
      // Each about a rollout of its own: the same refusal is on record once in a while.
      const asked = Array.from({ length: AT_ONCE }, (_, at) =>
        viewer.post(`/api/v1/namespaces/${NS}/rollouts/front-${filled + at}/decisions`, REFUSED),
      );
      const other = (await day.during(Promise.all(asked))).find(({ status }) => status !== 403);
      if (other !== undefined) throw new Error(`a viewer who pauses needs 403, found ${other.status}: ${other.text}`);
      await day.pass(1000);
    }
  }

  /** What happens within a minute, and the minute. */
  async minute(): Promise<void> {
    const { day } = this.#server;
    for (let left = this.#dice.pick([...Array(MAX_ACTS + 1).keys()]); left > 0; left--) {
      const [name, act] = this.#dice.pick(ACTS);
      // What the cluster was told to fail may fail what somebody does; they come to it again.
      const came = await day.during(act(this), name).catch((error: unknown) => `failed: ${messageOf(error).slice(0, 80)}`);
      this.#note(`${name}: ${came}`);
    }
    for (const visitor of this.#visitors.filter((one) => --one.minutesLeft <= 0)) await day.during(this.#leave(visitor));
    for (const guest of this.#guests.filter((one) => --one.minutesLeft <= 0)) await day.during(this.#remove(guest));
    await day.pass(MINUTE_MS);
  }

  /** Everybody leaves, what came goes, and every rollout comes to its end. */
  async rest(): Promise<void> {
    const { day } = this.#server;
    for (const visitor of this.#visitors) await day.during(this.#leave(visitor));
    for (const guest of this.#guests) await day.during(this.#remove(guest));
    await day.pass(MINUTE_MS);
    await this.#server.renew();
    for (const name of SETTLED) await complete(this.#server, name, this.#dice);
    for (const name of SETTLED) await collect(this.#server, name);
    // They stay as long as their rollout, so there would be more of them at each rest.
    await day.during(this.#server.kubectl((cluster) => cluster.deleteCollection({ ...KINDS.stageDecision, namespace: NS })));
    await day.pass(REST_MS);
  }

  async change(): Promise<string> {
    return `${await change(this.#server, this.#pickSettled(), this.#dice)}`;
  }

  async push(): Promise<string> {
    await push(this.#server, this.#pickSettled(), this.#dice);
    return 'taken';
  }

  async decide(): Promise<string> {
    return (await decide(this.#server, this.#pickSettled(), this.#dice)) ?? 'nothing offered';
  }

  async visit(): Promise<string> {
    if (this.#visitors.length >= MAX_VISITORS) return 'full';
    const person = await this.#server.enter();
    const { tab, shown } = await person.look(this.#topics());
    this.#visitors.push({ person, tab, minutesLeft: 1 + this.#dice.pick([...Array(LONGEST_VISIT).keys()]) });
    return shown > 0 ? 'shown' : 'nothing shown';
  }

  /** A tab goes to other pages: some topics are left, others opened. */
  async browse(): Promise<string> {
    const visitor = this.#visitors.length === 0 ? undefined : this.#dice.pick(this.#visitors);
    if (visitor === undefined) return 'nobody there';
    if (this.#dice.chance(0.3)) {
      visitor.tab.disconnect();
      const looked = await visitor.person.look(this.#topics()).catch(() => undefined); // of whom a newer sign-in has ended
      if (looked !== undefined) visitor.tab = looked.tab;
      return looked === undefined ? 'signed out meanwhile' : 'a new tab';
    }
    for (const topic of this.#topics()) visitor.tab.emit('unsubscribe', topic);
    const shown = await subscribe(visitor.tab, this.#topics());
    return shown > 0 ? 'other topics' : 'signed out meanwhile';
  }

  async read(): Promise<string> {
    const visitor = this.#visitors.length > 0 && this.#dice.chance(0.5) ? this.#dice.pick(this.#visitors).person : this.#server.owner;
    const name = this.#pickSettled();
    const at = `/api/v1/namespaces/${NS}/applications/${name}`;
    const object = `/api/v1/objects?apiVersion=v1&kind=ConfigMap&ns=${NS}&name=${name}-one`;
    const rollout = `/api/v1/namespaces/${NS}/rollouts/${name}`;
    const ofApplication = ['manifest', 'text', 'preview', 'rights', 'status', 'refused', 'moved-plan', 'status?for=current&timeout=1s'].map(
      (one) => `${at}/${one}`,
    );
    const record = [
      '/api/v1/activity',
      '/api/v1/activity?q=approve',
      `/api/v1/activity?ns=${NS}`,
      '/api/v1/activity/export',
      '/api/v1/activity/verify',
    ];
    const others = [
      object,
      `${rollout}/rights`,
      `${rollout}/garbage`,
      '/metrics',
      '/readyz',
      '/api/v1/session',
      '/api/v1/schemas/application',
      '/api/v1/releases',
    ];
    const { status } = await visitor.get(this.#dice.pick([...ofApplication, ...record, ...others]));
    return `${status}`;
  }

  /** Somebody without the right tries, and is put on record. */
  async refused(): Promise<string> {
    return `${(await this.#server.viewer.post(`/api/v1/namespaces/${NS}/rollouts/${this.#pickSettled()}/decisions`, REFUSED)).status}`;
  }

  async strangers(): Promise<string> {
    const answer = await enter(this.#server.origin, { token: `nobody-has-${this.#serial++}` }).catch((error: unknown) => String(error));
    return typeof answer === 'string' ? (/answered (\d+)/.exec(answer)?.[1] ?? 'failed') : 'let in';
  }

  async guest(): Promise<string> {
    if (this.#guests.length >= MAX_GUESTS) return 'full';
    const name = `guest-${this.#serial++}`;
    const object = { ...aStorefront({ name, replicas: 2, configMaps: [`${name}-one`] }), metadata: { name, namespace: NS } };
    await this.#server.kubectl((cluster) => cluster.create(object));
    this.#guests.push({ name, minutesLeft: 2 + this.#dice.pick([...Array(LONGEST_STAY).keys()]) });
    return 'came';
  }

  /** Somebody edits, scales or removes by hand what an application owns. */
  async drift(): Promise<string> {
    const name = this.#pickSettled();
    const map = { ...CONFIG_MAP, namespace: NS, name: `${name}-${this.#dice.pick(['one', 'two'])}` };
    const how = this.#dice.pick(['edited', 'edited', 'removed', 'scaled']);
    await this.#server.kubectl(async (cluster) => {
      if (how === 'removed') return void (await cluster.delete(map).catch(ifThere));
      if (how === 'edited') return void (await cluster.patch(map, { type: 'merge', body: { data: { made: 'by hand' } } }).catch(ifThere));
      for await (const { items } of cluster.list({ ...DEPLOYMENT, namespace: NS })) {
        const found = items.find(({ metadata }) => metadata.name?.startsWith(`${name}-v`));
        if (found === undefined) continue;
        return void (await cluster
          .patch({ ...DEPLOYMENT, namespace: NS, name: found.metadata.name ?? '' }, { type: 'merge', body: { spec: { replicas: 7 } } })
          .catch(ifThere));
      }
    });
    return how;
  }

  /** What a policy leaves as it was made by hand is put back by whoever asks. */
  async putBack(): Promise<string> {
    const [name] = SETTLED;
    const row = await this.#server.owner.row<ApplicationDetail>(`application/${NS}/${name}`);
    const object = row?.drift.objects[0];
    if (object === undefined) return 'nothing drifted';
    const { apiVersion, kind, name: of } = object;
    const at = { apiVersion, kind, ns: NS, name: of };
    const answered = driftAnswer.parse(
      (await this.#server.owner.get(`/api/v1/namespaces/${NS}/applications/${name}/drift?${new URLSearchParams(at)}`)).body,
    );
    if (answered.state !== 'compared') return 'nothing to compare';
    const said = { ...at, seen: answered.fields.map(({ path }) => path) };
    return `${(await this.#server.owner.post(`/api/v1/namespaces/${NS}/applications/${name}/revert`, said)).status}`;
  }

  async cut(): Promise<string> {
    const kind = this.#dice.pick(['every watch', 'Application', 'ConfigMap', 'Deployment', 'RolloutOrchestrator']);
    this.#server.faults.cutWatches(kind === 'every watch' ? {} : { kind });
    return kind;
  }

  async fail(): Promise<string> {
    const verb = this.#dice.pick(['get', 'list', 'create', 'update', 'patch', 'watch'] as const);
    const code = this.#dice.pick([409, 429, 500, 503]);
    const release = this.#server.faults.fail({ verb }, code, { times: 3 });
    this.#server.day.clock.schedule(MINUTE_MS, release);
    return `${verb} ${code}`;
  }

  #pickSettled(): Settled {
    return this.#dice.pick(SETTLED);
  }

  #topics(): readonly string[] {
    const name = this.#pickSettled();
    return [...new Set([this.#dice.pick(TOPICS), this.#dice.pick(TOPICS), `application/${NS}/${name}`, `rollout/${NS}/${name}`, 'status'])];
  }

  async #leave(visitor: Visitor): Promise<void> {
    this.#visitors = this.#visitors.filter((one) => one !== visitor);
    if (this.#dice.chance(0.5)) await visitor.person.leave();
    visitor.tab.disconnect();
  }

  async #remove(guest: Guest): Promise<void> {
    this.#guests = this.#guests.filter((one) => one !== guest);
    await this.#server.kubectl((cluster) => cluster.delete({ ...KINDS.application, namespace: NS, name: guest.name }).catch(ifThere));
  }

  #note(what: string): void {
    this.#done[what] = (this.#done[what] ?? 0) + 1;
  }
}

type Act = readonly [name: string, act: (traffic: DayTraffic) => Promise<string>];

const often = (times: number, act: Act): readonly Act[] => Array.from({ length: times }, () => act);

const ACTS: readonly Act[] = [
  ...often(1, ['change', (traffic) => traffic.change()]),
  ...often(5, ['push', (traffic) => traffic.push()]),
  ...often(14, ['decide', (traffic) => traffic.decide()]),
  ...often(5, ['visit', (traffic) => traffic.visit()]),
  ...often(5, ['browse', (traffic) => traffic.browse()]),
  ...often(14, ['read', (traffic) => traffic.read()]),
  ...often(2, ['refused', (traffic) => traffic.refused()]),
  ...often(1, ['stranger', (traffic) => traffic.strangers()]),
  ...often(3, ['guest', (traffic) => traffic.guest()]),
  ...often(4, ['drift', (traffic) => traffic.drift()]),
  ...often(2, ['put back', (traffic) => traffic.putBack()]),
  ...often(1, ['cut', (traffic) => traffic.cut()]),
  ...often(1, ['fail', (traffic) => traffic.fail()]),
];

const ifThere = (error: unknown): void => {
  if (!isNotFound(error)) throw error;
};
