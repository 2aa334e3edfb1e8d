import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeaseServer } from './lease-server';
import type { Network, Replica } from './replicas';
import { startReplicasAt } from './replicas';

const NAMES = ['a', 'b', 'c'] as const;
const RUNS = Number(process.env.FENCING_RUNS ?? 20);
const openLeaseServer = async () => ({ cluster: new LeaseServer().cluster, [Symbol.asyncDispose]: async () => undefined });

type Trouble =
  | { readonly do: 'pause' | 'stall'; readonly ms: number }
  | { readonly do: 'lease network' | 'data network'; readonly change: Partial<Network> };

interface Step {
  readonly afterMs: number;
  readonly who: (typeof NAMES)[number];
  readonly trouble: Trouble;
}

const networkState = fc.record({ state: fc.constantFrom('up' as const, 'lost' as const, 'unanswered' as const) });
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({ do: fc.constantFrom('pause' as const, 'stall' as const), ms: fc.integer({ min: 100, max: 40_000 }) }),
  fc.record({ do: fc.constantFrom('lease network' as const, 'data network' as const), change: networkState }),
  // A renewal may take for ever on its way, a write no longer than the margin: that is what the margin is for.
  fc.record({ do: fc.constant('lease network' as const), change: fc.record({ thereMs: fc.nat(20_000), backMs: fc.nat(20_000) }) }),
  fc.record({ do: fc.constant('data network' as const), change: fc.record({ thereMs: fc.nat(900), backMs: fc.nat(5_000) }) }),
);
const steps = fc.array(fc.record({ afterMs: fc.integer({ min: 1, max: 12_000 }), who: fc.constantFrom(...NAMES), trouble }), {
  minLength: 3,
  maxLength: 14,
});
/** How clocks differ at the start, and one leap of each, either way, at some step. */
const clocks = fc.tuple(
  ...NAMES.map(() =>
    fc.record({
      offsetMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
      leapMs: fc.integer({ min: -60_000, max: 60_000 }),
      atStep: fc.nat(20),
    }),
  ),
);

function suffer({ clock, leases, data }: Replica, what: Trouble): void {
  if ('change' in what) Object.assign(what.do === 'lease network' ? leases : data, what.change);
  else if (what.do === 'pause') clock.pause(what.ms);
  else clock.stall(what.ms);
}

async function live(
  script: readonly Step[],
  setting: readonly { readonly offsetMs: number; readonly leapMs: number; readonly atStep: number }[],
  shards: number,
) {
  await using house = await startReplicasAt(openLeaseServer, [], { shards });
  NAMES.forEach((name, number) => {
    house.start(name).clock.offsetMs = setting[number]?.offsetMs ?? 0;
  });
  await house.clock.advance(15_000);
  for (const [number, step] of script.entries()) {
    suffer(house.replica(step.who), step.trouble);
    NAMES.forEach((name, at) => {
      if (setting[at]?.atStep === number) house.replica(name).clock.offsetMs += setting[at]?.leapMs ?? 0;
    });
    await house.clock.advance(step.afterMs);
  }
  const strays = house.written.filter(({ by, holder }) => by !== holder);
  // Trouble over: somebody must act again, for a fence that lets nothing pass would be easy.
  for (const name of NAMES) {
    const { leases, data } = house.replica(name);
    Object.assign(leases, { state: 'up', thereMs: 0, backMs: 0 });
    Object.assign(data, { state: 'up', thereMs: 0, backMs: 0 });
  }
  // It is over when the last of them runs again: only then are shards shared out anew, and a handover in doubt takes the length of a Lease.
  const isWell = ({ clock }: Replica) => !clock.paused && !clock.stalled;
  while (!NAMES.every((name) => isWell(house.replica(name)))) await house.clock.advance(1_000);
  await house.clock.advance(45_000);
  return { strays, acting: house.acting(), after: house.written.filter(({ by, holder }) => by !== holder) };
}

describe('fencing under whatever happens', () => {
  // Thousands of writes are refused, and to find out where each was refused from takes longer than all the rest.
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  it('[issue 4] no write ever succeeds for a shard whose Lease another replica holds', async () => {
    await fc.assert(
      fc.asyncProperty(steps, clocks, fc.constantFrom(1, 2, 3), async (script, setting, shards) => {
        const { strays, acting, after } = await live(script, setting, shards);
        expect(strays).toEqual([]);
        expect(after).toEqual([]);
        expect(acting.map((holders) => holders.length)).toEqual(acting.map(() => 1));
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
});
