import { OF_ACTS } from './equivalents-of-acts';
import { OF_APPLICATIONS } from './equivalents-of-applications';
import { OF_AUTH } from './equivalents-of-auth';
import { OF_COMMANDS } from './equivalents-of-commands';
import { OF_DECISIONS } from './equivalents-of-decisions';
import { OF_DESCRIPTIONS } from './equivalents-of-descriptions';
import { OF_ENGINES } from './equivalents-of-engines';
import { OF_PASSES } from './equivalents-of-passes';
import { OF_PLANS } from './equivalents-of-plans';
import { OF_ROLLBACKS } from './equivalents-of-rollbacks';
import { OF_ROLLOUT_OBJECTS } from './equivalents-of-rollout-objects';
import { OF_ROLLOUTS } from './equivalents-of-rollouts';
import { OF_SPECS } from './equivalents-of-specs';
import { OF_STREAMS } from './equivalents-of-streams';

/** A mutant that no test could tell from the original; of the server those that touch a right, a gate, a deletion or a bound. */
export interface Equivalent {
  readonly file: string;
  /** The line without its margin, and what becomes of which part of it; more than one line in one. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'server/auth/oidc/sign-in.ts',
    line: "return begun.parse(JSON.parse(Buffer.from(found?.split('=')[1] ?? '', 'base64url').toString('utf8')));",
    from: 'found?.split',
    to: 'found.split',
    why: 'without a cookie there is no JSON either, and both failures come to the same',
  },
  {
    file: 'server/auth/oidc/sign-in.ts',
    line: '} catch {',
    from: '{ return undefined; // forged or cut: as good as none }',
    to: '{}',
    why: 'what returns nothing returns undefined',
  },
  {
    file: 'server/auth/oidc/id-token.ts',
    line: "key.asymmetricKeyDetails?.namedCurve === 'prime256v1' && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)",
    from: 'key.asymmetricKeyDetails?.namedCurve',
    to: 'key.asymmetricKeyDetails.namedCurve',
    why: 'every key of an elliptic curve tells its details',
  },
  {
    file: 'server/auth/oidc/id-token.ts',
    line: '} catch {',
    from: '{ return false; // a key that cannot be read signs nothing }',
    to: '{}',
    why: 'undefined is as false as false',
  },
  {
    file: 'server/auth/origins.ts',
    line: "if (!origin || origin === 'null') return false;",
    from: "origin === 'null'",
    to: 'false',
    why: 'no address of ours is written `null`, so it is refused further on',
  },
  {
    file: 'server/auth/sign-in-tokens.ts',
    line: 'for (const [hash, { endsAt }] of open) if (endsAt <= clock.now()) open.delete(hash);',
    from: 'endsAt <= clock.now()',
    to: 'false',
    why: 'all links live an hour, so the one that gives way is over first; and what is over signs nobody in',
  },
  {
    file: 'server/auth/sign-in-limit.ts',
    line: 'if (failures.size >= MAX_REMEMBERED && oldest !== undefined) failures.delete(oldest);',
    from: 'oldest !== undefined',
    to: 'true',
    why: 'where so many are remembered there is an oldest one',
  },
  {
    file: 'server/auth/sign-in-limit.ts',
    line: 'const full = fullAt === undefined ? undefined : underWay.get(fullAt);',
    from: 'fullAt === undefined',
    to: 'false',
    why: 'nothing is under way under no key',
  },
  {
    file: 'server/auth/sign-in-limit.ts',
    line: 'others?.delete(settled);',
    from: 'others?.delete',
    to: 'others.delete',
    why: 'a key stays for as long as something of it is under way',
  },
  {
    file: 'server/auth/sign-in-limit.ts',
    line: 'if (others?.size === 0) underWay.delete(key);',
    from: 'others?.size === 0',
    to: 'false',
    why: 'an empty set under a key takes memory and counts as none',
  },
  {
    file: 'server/auth/sign-in-limit.ts',
    line: 'if (others?.size === 0) underWay.delete(key);',
    from: 'others?.size',
    to: 'others.size',
    why: 'a key stays for as long as something of it is under way',
  },
  {
    file: 'components/rollouts/decision-dialog.tsx',
    line: 'return { plan: shown.plan, ...(shown.base === undefined ? {} : { base: shown.base }) };',
    from: 'shown.base === undefined',
    to: 'false',
    why: 'JSON leaves out what is undefined, so the request is the same',
  },
  {
    file: 'components/rollouts/stage-rail.tsx',
    line: `t.oldRich(<span className="max-sm:hidden"> · </span>, others.length === 1 ? ABOUT[others[0]?.exact ?? 'exactly'] : '', old),`,
    from: 'others[0]?.exact',
    to: 'others[0].exact',
    why: 'there is exactly one where it is asked',
  },
  {
    file: 'components/rollouts/stage-rail.tsx',
    line: "case 'planned':",
    from: "case 'planned': return null;",
    to: "case 'planned':",
    why: 'what returns nothing draws nothing, as null does',
  },
  {
    file: 'components/rollouts/looser-policy.tsx',
    line: "<Fragment key={path.split('.', at + 1).join('.')}>",
    from: 'at + 1',
    to: 'at - 1',
    why: 'the keys of the parts stay different from each other, which is all that is wanted of them',
  },
  {
    file: 'components/rollouts/wait-panel.tsx',
    line: '{rollout.tighteningUndo == null ? null : <TighteningUndo {...rollout.tighteningUndo} />}',
    from: 'rollout.tighteningUndo == null',
    to: 'false',
    why: 'what has no end is over, and of that nothing is told',
  },
  {
    file: 'components/rollouts/attempts-panel.tsx',
    line: '<StageRail attempt={attempt} revisions={isPresent ? rollout.revisions : []} />',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'the rail looks for a revision by its name, and what is none is found under no name',
  },
  {
    file: 'server/commands/roll-back.ts',
    line: 'if (request.seen?.rollout !== rolloutDigest(rollout)) {',
    from: 'request.seen?.rollout',
    to: 'request.seen.rollout',
    why: 'a rollback of which nobody says what they saw is refused before',
  },
  {
    file: 'server/commands/roll-back.ts',
    line: '{ spec: { ...told, actor: { user: session.person.user, groups: [...session.person.groups] } }, rollout, isDone: false },',
    from: '{ user: session.person.user, groups: [...session.person.groups] }',
    to: '{}',
    why: 'a rollback passes no gate, so that nothing of it is judged by who makes it',
  },
  {
    file: 'server/commands/roll-back.ts',
    line: '{ spec: { ...told, actor: { user: session.person.user, groups: [...session.person.groups] } }, rollout, isDone: false },',
    from: '[...session.person.groups]',
    to: '[]',
    why: 'a rollback passes no gate, so that nothing of it is judged by who makes it',
  },
  {
    file: 'server/commands/conflicting-change.ts',
    line: 'const kept = plan === undefined ? undefined : await deps.previews.read(plan);',
    from: 'plan === undefined',
    to: 'false',
    why: 'nothing is kept under no digest',
  },
  {
    file: 'server/dispatch/garbage/plan.ts',
    line: 'const accepted = new Set([...olds, ...(next ? [next] : [])].map(({ uid }) => uid));',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'no controller lacks a uid',
  },
  {
    file: 'server/dispatch/garbage/plan.ts',
    line: "toItem(entry, { id, tracker: next?.name ?? '' }, { verdict: 'new', why: 'only the newer revision has it', uid: entry.uid }),",
    from: 'next?.name',
    to: 'next.name',
    why: 'what the next tracker lists has a next tracker',
  },
  {
    file: 'server/dispatch/garbage/plan.ts',
    line: 'return [...trackers].sort((a, b) => b.name.length - a.name.length || (a.name < b.name ? 1 : -1));',
    from: 'a.name < b.name',
    to: 'a.name <= b.name',
    why: 'no two trackers have one name',
  },
  {
    file: 'server/dispatch/garbage/plan.ts',
    line: 'if (named !== undefined && going <= named) return undefined;',
    from: 'named !== undefined',
    to: 'true',
    why: 'no number is at most one that is not there',
  },
  {
    file: 'server/dispatch/garbage/plan.ts',
    line: 'return entry.uid !== undefined && uid !== undefined && entry.uid !== uid;',
    from: 'uid !== undefined',
    to: 'true',
    why: 'where nothing is known of the uid that is there, none is recorded either',
  },
  {
    file: 'server/dispatch/garbage/execute.ts',
    line: 'const retaining = new Set(plan.items.flatMap((item) => (item.retained ? item.tracker : [])));',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'no tracker is called that',
  },
  {
    file: 'server/dispatch/garbage/execute.ts',
    line: 'if (item.evaluatedBy !== undefined && !deepEqual(evaluatedBy(live), item.evaluatedBy))',
    from: 'item.evaluatedBy !== undefined',
    to: 'true',
    why: 'what is deleted after a look was judged by what was seen of it',
  },
  {
    file: 'server/dispatch/garbage/evaluate.ts',
    line: 'return propagation === undefined && !named ? going : { ...going, ...(propagation ? { propagation } : {}), ...(named ? { named } : {}) };',
    from: 'propagation === undefined && !named',
    to: 'false',
    why: 'the same item, made the longer way',
  },
  {
    file: 'server/dispatch/garbage/evaluate.ts',
    line: 'return (context.named?.objects ?? []).some((named) => names.includes(named));',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'no object is called that',
  },
  {
    file: 'server/commands/request-revert.ts',
    line: 'const at: ObjectAddress = { apiVersion, kind, ...(ns === undefined ? {} : { namespace: ns }), name };',
    from: 'ns === undefined',
    to: 'false',
    why: 'a namespace that is absent and one that is not defined are the same to whoever reads the address',
  },
  {
    file: 'server/commands/drift-replace.ts',
    line: 'const at: ObjectAddress = { apiVersion, kind, ...(ns === undefined ? {} : { namespace: ns }), name };',
    from: 'ns === undefined',
    to: 'false',
    why: 'a namespace that is absent and one that is not defined are the same to whoever reads the address',
  },
  {
    file: 'server/dispatch/garbage/handler.ts',
    line: 'await executeGarbage(this.#client, { ...plan, items: [] }, emptyTrackers(plan, [stray]), { cascade: true, signal });',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'what has no verdict is neither deleted nor kept',
  },
  {
    file: 'server/rollout/control/tightening-undo.ts',
    line: 'return by === back.by && others.length === 0 && requiresApproval(back.from) && loosenedFields(back.from, ro.asked).length === 0;',
    from: 'requiresApproval(back.from)',
    to: 'true',
    why: 'terms that ask nobody are not kept, so none are remembered',
  },
  ...OF_ACTS,
  ...OF_APPLICATIONS,
  ...OF_AUTH,
  ...OF_COMMANDS,
  ...OF_ROLLBACKS,
  ...OF_ROLLOUTS,
  ...OF_ROLLOUT_OBJECTS,
  ...OF_DECISIONS,
  ...OF_DESCRIPTIONS,
  ...OF_ENGINES,
  ...OF_PASSES,
  ...OF_PLANS,
  ...OF_SPECS,
  ...OF_STREAMS,
];
