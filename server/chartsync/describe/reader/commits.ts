import type { ApprovableCommit, ReleaseCommits } from '@/lib/contract/release-comparison';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { Cluster, Store } from '@/server/kube';
import { chartAsSeen, describeApproval } from '../../decisions/approvals';
import { decisionsAbout, indexByResource } from '../../decisions/hold';
import { mayApprove } from '../../gate/gate-policy';
import { gateIn, nameOf } from '../../gate/gates';
import type { DeclaredRelease } from '../../model/declared';
import { readDeclared } from '../../model/declared';
import type { RequestedCommit } from '../../preview/charts-of-commits';
import type { ReleasePreviews } from '../../preview/release-previews';

type Actor = ReleaseDecisionSpec['actor'];

/** How far the approval of a commit has come, as messages. */
interface ShownApproval {
  readonly given: ReleaseMessage;
  readonly why: ReleaseMessage | null;
}

/** The newest commits of a release's chart, with their approvals. */
export interface ShownCommits extends Omit<ReleaseCommits, 'commits'> {
  readonly commits: readonly (Omit<ReleaseCommits['commits'][number], 'approval'> & { readonly approval?: ShownApproval })[];
}

/** A commit as somebody may approve it now. */
export type ShownApprovable = ShownApproval & Pick<ApprovableCommit, 'commit' | 'chart'>;

/** Whose approval of which commit. */
export interface RequestedApproval extends Pick<RequestedCommit, 'commit' | 'asking'> {
  readonly actor: Actor;
  /** True of whoever may not approve anything of the release. */
  readonly lacksRight?: boolean;
}

interface CommitsReaderDeps {
  readonly cluster: Cluster;
  readonly decisions: Store;
  readonly previews: Pick<ReleasePreviews, 'commits' | 'approvable'>;
}

/** Reads the commits of charts, and what of their approval is known: by the copies of what people decided, and the judgement of the engine. */
export function createCommitsReader({ cluster, decisions, previews }: CommitsReaderDeps) {
  indexByResource(decisions);
  const read = async (at: ObjectAddress) => readDeclared(await cluster.get(at));
  const known = ({ uid, at: { namespace } }: DeclaredRelease): Known => ({
    gate: gateIn(decisions.get(toObjectKey({ namespace, name: nameOf(uid) }))),
    decisions: decisionsAbout(decisions, uid),
  });
  return {
    async commits(at: ObjectAddress, actor: Actor): Promise<ShownCommits> {
      const resource = await read(at);
      const { gate, decisions: about } = known(resource);
      const { commits, ...listed } = await previews.commits(resource, { isGated: gate !== undefined });
      return {
        ...listed,
        commits: commits.map(({ facts, ...one }) => {
          const { commit, state } = one;
          if (gate === undefined || facts === undefined || (state === 'taken' && gate.waiting?.commit !== commit)) return one;
          const chart = facts.chart && chartAsSeen({ commit, tree: facts.chart }, gate, about);
          return { ...one, approval: describeApproval({ commit, actor }, { gate, facts: { ...facts, chart }, decisions: about }) };
        }),
      };
    },
    async approvable(at: ObjectAddress, { commit, actor, lacksRight = false, asking }: RequestedApproval): Promise<ShownApprovable> {
      const resource = await read(at);
      const { gate: before } = known(resource);
      if (before === undefined) return notGated(commit);
      // What costs much is done for those alone who may go on to approve it.
      const isWhole = !lacksRight && mayApprove(before, actor);
      const facts = await previews.approvable(resource, { commit, isWhole, asking });
      const { gate, decisions: about } = known(resource);
      if (gate === undefined) return notGated(commit);
      const chart = isWhole ? facts.chart : facts.chart && chartAsSeen({ commit, tree: facts.chart }, gate, about);
      const told = describeApproval({ commit, actor }, { gate, facts: { ...facts, chart }, decisions: about });
      return { commit, chart: chart ?? null, ...told };
    },
  };
}

function notGated(commit: string): ShownApprovable {
  return { commit, chart: null, given: { id: 'act.not-gated' }, why: { id: 'act.not-gated' } };
}

interface Known {
  readonly gate: KeptGate | undefined;
  readonly decisions: readonly KubeObject[];
}
