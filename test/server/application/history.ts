import { readField, readFields, readList } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { readTracker, revisionNumberOf } from '@/server/dispatch';
import { ApplicationHouse } from '../../support/application-house';
import { CutConnection } from '../../support/cut-connection';
import { FakeInformers } from '../../support/fake-informers';
import type { Edit, Trouble, Turn, Wish } from './histories';

const THINGS = 'things.example.dev';
const STRANGER = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stranger', namespace: 'shop' } };
const MAX_BEHIND = 60;
const REFUSED_MS = 60_000;
const QUIET_MS = 11 * 60_000;

/** Every name has its kind for good, so that there are never five objects, of which more than half would wait for a person. */
const manifestOf = (name: string, { value, version }: Wish) =>
  name === 'a' || name === 'c'
    ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }
    : { apiVersion: `${THINGS}/${version}`, kind: 'Thing', metadata: { name }, spec: { value } };
const specOf = (wish: Wish) => ({
  components: [{ name: wish.component, type: 'k8s-objects', properties: { objects: wish.names.map((name) => manifestOf(name, wish)) } }],
});
const idsOf = (wish: Wish) => wish.names.map((name) => `${manifestOf(name, wish).kind}/${name}`);

const isOurs = ({ kind, metadata: { name } }: KubeObject) => (kind === 'ConfigMap' || kind === 'Thing') && name !== STRANGER.metadata.name;
const idOf = ({ kind, metadata: { name = '' } }: KubeObject) => `${kind}/${name}`;

function isEdited(tracker: KubeObject): boolean {
  try {
    return !readTracker(tracker).intact;
  } catch {
    return true; // junk that the history itself wrote
  }
}

/** An application that lives through a history, watched at every request. What breaks a promise is noted as a sentence. */
export class Life implements AsyncDisposable {
  readonly house = new ApplicationHouse();
  readonly broken: string[] = [];
  #connection: CutConnection;
  #informers: FakeInformers;
  /** True while somebody has taken lines out of a record, who answers for what is in none. */
  #isEdited = false;
  #hasTwo = false;

  constructor() {
    this.#connection = new CutConnection(this.house.server);
    this.#informers = new FakeInformers(this.house.server);
    this.house.server.establishes = true;
    this.house.server.seed(STRANGER);
    this.house.server.onRequest = (verb, at) => {
      if (verb === 'delete') this.#evaluateDeletion(at);
    };
    this.#watch();
  }

  async start(): Promise<this> {
    await this.#restart();
    return this;
  }

  /** One turn: the wish is stated while the trouble is on, then everything is well again for a while. */
  async live({ wish, trouble }: Turn): Promise<Wish> {
    const last = await this.#suffer(wish, trouble);
    await this.house.clock.advance(QUIET_MS);
    this.#evaluateRest(last);
    return last;
  }

  /** Writes that an engine makes which starts on what is there. */
  async needlessWrites(): Promise<readonly string[]> {
    this.house.takeWrites();
    await this.#restart();
    await this.house.clock.advance(QUIET_MS);
    return this.house.takeWrites();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.house[Symbol.asyncDispose]();
  }

  async #restart(): Promise<void> {
    await this.house.stop();
    this.#watch();
    this.#connection = new CutConnection(this.house.server);
    this.#informers = new FakeInformers(this.house.server);
    await this.house.startAnother(this.#informers, this.#connection.cluster);
  }

  async #state(wish: Wish): Promise<void> {
    const { server, clock } = this.house;
    if (wish.names.length > 0) return this.house.apply(specOf(wish));
    await server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' }).catch(() => undefined); // there may be none
    await clock.settle();
  }

  async #suffer(wish: Wish, trouble: Trouble): Promise<Wish> {
    switch (trouble.kind) {
      case 'none':
        await this.#state(wish);
        return wish;
      case 'crash': {
        const hangs = this.#connection.cutAt(trouble.atRequest, trouble.how);
        const stated = this.#state(wish);
        await Promise.race([stated, hangs]);
        this.#connection.giveUp();
        await this.#restart();
        await stated;
        return wish;
      }
      case 'refusals':
        for (const kind of ['ConfigMap', 'Thing', 'ResourceTracker'])
          this.house.server.addFaults([{ verb: trouble.verb, kind, code: 500, times: trouble.times }]);
        await this.#state(wish);
        await this.house.clock.advance(REFUSED_MS);
        this.house.server.clearFaults(); // each costs a try, and tries come ever more rarely: those of several turns would outlast the quiet
        return wish;
      case 'edited':
        return this.#edited(wish, trouble);
      case 'changed':
        return this.#changed(wish, trouble);
      case 'ailing': {
        if (trouble.restarts) await this.#restart();
        this.#informers.fall(trouble.of, trouble.ailment);
        await this.#state(wish);
        await this.house.clock.advance(40_000);
        this.#informers.recover();
        return wish;
      }
      case 'two':
        return this.#withAnother(trouble);
    }
  }

  /** The application is changed once more while the first change is under way. */
  async #changed(wish: Wish, { atRequest, to }: { readonly atRequest: number; readonly to: Wish }): Promise<Wish> {
    let last = wish;
    const from = { count: 0 };
    this.#connection.between = () => {
      from.count += 1;
      if (from.count !== atRequest) return;
      last = this.#restate(to) ? to : wish;
    };
    await this.#state(wish);
    await this.house.clock.advance(60_000);
    this.#connection.between = () => undefined;
    return last;
  }

  /** Changes the application at once, as a person would; false when it is going or gone. */
  #restate(to: Wish): boolean {
    const live = this.house.get(KINDS.application, 'web');
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
    if (to.names.length === 0) void this.house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
    else void this.house.server.update({ ...live, spec: specOf(to) });
    return true;
  }

  /** Two engines act at once, as no Lease would let them, each with a pace of its own, one of them with copies that are behind. */
  async #withAnother({ wish, pace, behind, to, atRequest }: Extract<Trouble, { kind: 'two' }>): Promise<Wish> {
    this.#hasTwo = true;
    const other = new CutConnection(this.house.server);
    const informers = new FakeInformers(this.house.server);
    const turns = async (request: number) => {
      for (let left = pace[request % pace.length] ?? 0; left > 0; left--) await new Promise<void>((resolve) => setImmediate(resolve));
    };
    // Two that see different things would undo each other's work for as long as they do.
    other.between = (request) => {
      if (request === MAX_BEHIND) informers.recover();
      return turns(request);
    };
    let last = wish;
    this.#connection.between = async (request) => {
      if (request === atRequest) last = this.#restate(to) ? to : wish;
      await turns(request + 1);
    };
    const engine = await this.house.startAnother(informers, other.cluster);
    for (const kind of behind) informers.fall(kind, 'behind');
    await this.#state(wish);
    await this.house.clock.advance(30_000);
    informers.recover();
    await this.house.clock.advance(30_000);
    await engine[Symbol.asyncDispose]();
    this.#connection.between = () => undefined;
    this.house.server.cascade(); // what was written under a tracker that went that very moment
    this.#hasTwo = false;
    return last;
  }

  /** Somebody edits a record, at once or while the change is under way; later the record is put back, labels aside. */
  async #edited(wish: Wish, { edit, which, atRequest }: Extract<Trouble, { kind: 'edited' }>): Promise<Wish> {
    let restore: () => void = () => undefined;
    const strike = () => {
      restore = this.#edit(edit, which);
    };
    if (atRequest === 0) strike();
    const from = { count: 0 };
    this.#connection.between = () => {
      from.count += 1;
      if (from.count === atRequest) strike();
    };
    await this.#state(wish);
    await this.house.clock.advance(30_000);
    this.#connection.between = () => undefined;
    restore();
    this.#isEdited = false;
    return wish;
  }

  #edit(edit: Edit, which: number): () => void {
    const trackers = this.#trackers();
    const tracker = trackers[which % Math.max(1, trackers.length)];
    if (tracker === undefined) return () => undefined;
    const { server } = this.house;
    const at = { ...KINDS.resourceTracker, name: tracker.metadata.name ?? '' };
    const before = structuredClone(readList(tracker, 'spec', 'managedResources'));
    if (edit === 'unlabelled') {
      const { labels: _labels, ...metadata } = tracker.metadata;
      server.seed({ ...tracker, metadata });
      return () => undefined;
    }
    const { metadata, ...type } = STRANGER;
    const after = {
      removed: before.slice(1),
      added: [...before, { ...type, ...metadata }],
      duplicated: [...before, ...before],
      junk: [...before, { oops: true }],
    }[edit];
    if (JSON.stringify(after) === JSON.stringify(before)) return () => undefined;
    this.#isEdited = true;
    const write = (managedResources: readonly unknown[]) => {
      const live = server.peek(at);
      if (live !== undefined) server.seed({ ...live, spec: { ...readFields(live, 'spec'), managedResources } } as KubeObject);
    };
    write(after);
    return () => {
      const live = server.peek(at);
      if (JSON.stringify(readList(live, 'spec', 'managedResources')) === JSON.stringify(after)) write(before);
    };
  }

  #trackers(): readonly KubeObject[] {
    return this.house.server.all().filter(({ kind }) => kind === 'ResourceTracker');
  }

  #ours(): readonly KubeObject[] {
    return this.house.server.all().filter(isOurs);
  }

  /** Objects that no record names. */
  #forgotten(): readonly string[] {
    const listed = new Set(
      this.#trackers().flatMap((tracker) =>
        readList(tracker, 'spec', 'managedResources').map((entry) => `${readField(entry, 'kind')}/${readField(entry, 'name')}`),
      ),
    );
    return this.#ours()
      .map(idOf)
      .filter((id) => !listed.has(id));
  }

  #watch(): void {
    this.house.server.watchers.add((before, after) => {
      const object = after ?? before;
      if (object === undefined || this.#isEdited || this.#hasTwo) return; // with two it is judged once they are at rest
      if (object.kind !== 'ResourceTracker' && !isOurs(object)) return;
      for (const id of this.#forgotten())
        this.broken.push(`${id} was in no record after ${object.kind} ${object.metadata.name} was ${after ? 'written' : 'deleted'}`);
    });
  }

  /** No object goes that the newest revision lists, nor one that nobody of ours made, nor anything while a record is edited. */
  #evaluateDeletion({ kind, name }: { readonly kind: string; readonly name: string }): void {
    if (kind !== 'ConfigMap' && kind !== 'Thing') return;
    const id = `${kind}/${name}`;
    if (name === STRANGER.metadata.name) this.broken.push(`${id} is a stranger's and was to go`);
    const application = this.house.get(KINDS.application, 'web');
    const live = this.#ours().find((object) => idOf(object) === id);
    if (this.#hasTwo && live === undefined) return; // the other was first
    if (application === undefined) {
      this.broken.push(`${id} was to go although there is no application any more`);
      return;
    }
    if (application.metadata.deletionTimestamp !== undefined) return;
    const numberOf = ({ metadata: { name = '' } }: KubeObject) => revisionNumberOf(name.replace(/-shop$/, '')) ?? 0;
    const [newest] = [...this.#trackers()].sort((left, right) => numberOf(right) - numberOf(left));
    if (newest === undefined || isEdited(newest)) return; // a line that was added by hand is no revision's
    if (!readTracker(newest).entries.some((entry) => entry.kind === kind && entry.name === name)) return;
    // Another engine may have listed it this very moment; from when it has taken it over, it must not go.
    if (this.#hasTwo && live !== undefined && controllerOf(live)?.name !== newest.metadata.name) return;
    this.broken.push(`${id} was to go although ${newest.metadata.name} lists it`);
  }

  #evaluateRest(wish: Wish): void {
    const there = this.#ours().map(idOf).sort();
    const wanted = idsOf(wish).sort();
    if (JSON.stringify(there) !== JSON.stringify(wanted))
      this.broken.push(`wanted ${wanted.join(' ')}, found ${there.join(' ')}: ${this.#explain()}`);
    for (const id of this.#forgotten()) this.broken.push(`${id} is in no record`);
    if (this.#trackers().length !== (wish.names.length === 0 ? 0 : 1))
      this.broken.push(`${this.#trackers().length} trackers are left: ${this.#explain()}`);
    for (const object of this.#ours()) {
      const value = readField(object, object.kind === 'Thing' ? 'spec' : 'data', 'value');
      if (value !== wish.value) this.broken.push(`${idOf(object)} has ${String(value)} and not ${wish.value}`);
    }
  }

  #explain(): string {
    return JSON.stringify(readField(this.house.get(KINDS.application, 'web'), 'status', 'conditions') ?? 'no application');
  }
}
