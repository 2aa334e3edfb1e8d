import fc from 'fast-check';
import type { Strike } from '../../support/cut-connection';
import type { Ailment } from '../../support/fake-informers';

/** What an application is to be: no names at all is its deletion. A name, a component and a version may come and go. */
export interface Wish {
  readonly names: readonly string[];
  readonly value: string;
  readonly component: string;
  readonly version: string;
}

export type Edit = 'removed' | 'added' | 'duplicated' | 'junk' | 'unlabelled';

/** What goes wrong in one turn of a history. */
export type Trouble =
  | { readonly kind: 'none' }
  | { readonly kind: 'crash'; readonly atRequest: number; readonly how: Strike }
  | {
      readonly kind: 'refusals';
      readonly verb: 'create' | 'patch' | 'delete' | 'get' | 'list' | 'updateStatus' | 'dryRun';
      readonly times: number;
    }
  | { readonly kind: 'edited'; readonly edit: Edit; readonly which: number; readonly atRequest: number }
  | { readonly kind: 'changed'; readonly atRequest: number; readonly to: Wish }
  | { readonly kind: 'ailing'; readonly of: string; readonly ailment: Ailment; readonly restarts: boolean }
  | {
      readonly kind: 'two';
      readonly wish: Wish;
      readonly pace: readonly number[];
      readonly behind: readonly string[];
      readonly to: Wish;
      readonly atRequest: number;
    };

export interface Turn {
  readonly wish: Wish;
  readonly trouble: Trouble;
}

const NAMES = ['a', 'b', 'c', 'd'];

const change = fc.record<Wish>({
  names: fc.subarray(NAMES, { minLength: 1 }),
  value: fc.constantFrom('1', '2'),
  component: fc.constantFrom('set', 'kit'),
  version: fc.constantFrom('v1', 'v1beta1'),
});
const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 1, arbitrary: change.map((one): Wish => ({ ...one, names: [] })) },
);
const atRequest = fc.integer({ min: 1, max: 40 });
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.constant({ kind: 'none' } as const),
  fc.record({ kind: fc.constant('crash' as const), atRequest, how: fc.constantFrom<Strike>('before', 'after', 'hang') }),
  fc.record({
    kind: fc.constant('refusals' as const),
    verb: fc.constantFrom('create', 'patch', 'delete', 'get', 'list', 'updateStatus', 'dryRun'),
    times: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    kind: fc.constant('edited' as const),
    edit: fc.constantFrom<Edit>('removed', 'added', 'duplicated', 'junk', 'unlabelled'),
    which: fc.nat(3),
    atRequest: fc.nat(25),
  }),
  fc.record({ kind: fc.constant('changed' as const), atRequest, to: wish }),
  fc.record({
    kind: fc.constant('ailing' as const),
    of: fc.constantFrom('Thing', 'ConfigMap'),
    ailment: fc.constantFrom<Ailment>('unlisted', 'partial', 'lost', 'behind'),
    restarts: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('ailing' as const),
    of: fc.constantFrom('Application', 'ResourceTracker', 'ApplicationRevision'),
    ailment: fc.constantFrom<Ailment>('lost', 'behind'),
    restarts: fc.constant(false),
  }),
  fc.record({
    kind: fc.constant('two' as const),
    pace: fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }),
    behind: fc.subarray(['Application', 'ResourceTracker', 'ApplicationRevision', 'Thing', 'ConfigMap']),
    wish,
    to: wish,
    atRequest,
  }),
);
/** Histories of one application: what it is to be, turn by turn, and what goes wrong meanwhile. */
export const histories = fc.array(fc.record<Turn>({ wish, trouble }), { minLength: 1, maxLength: 5 });
