import type { ReactNode } from 'react';
import { Ago, Elapsed } from '@/components/live/ago';
import { ConditionList } from '@/components/live/condition-list';
import { CopyButton } from '@/components/ui/copy-button';
import { Panel } from '@/components/ui/panel';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { shortRevision } from '@/lib/words/say-release';

/** What is released from where, who acted last, and when it is looked at next. */
export function FactsPanel({ release }: { readonly release: ReleaseDetail }) {
  const { chart, origin, ns, actsAs, revision, stored, lastAct, nextCheckAt, webhook } = release;
  return (
    <Panel title="Release">
      <dl className="divide-y">
        <Fact term="Chart">{chart === null ? '–' : `${chart.name} ${chart.version}${chart.appVersion === null ? '' : `, app ${chart.appVersion}`}`}</Fact>
        <Fact term="Source">{sayOrigin(origin)}</Fact>
        <Fact term={origin.kind === 'git' ? 'Commit' : 'Version'}>
          {revision === null ? (
            '–'
          ) : (
            <code title={revision} className="font-mono text-xs">
              {shortRevision(revision)}
            </code>
          )}
        </Fact>
        <Fact term="Runs as">{sayActor(actsAs, ns)}</Fact>
        <Fact term="Helm reported">{stored ?? 'nothing yet'}</Fact>
        <Fact term="Last act">
          {lastAct === null ? (
            'none yet'
          ) : (
            <>
              {lastAct.outcome} <Ago at={lastAct.at} />
              {lastAct.by === null ? null : <span className="text-ink-3">, by {lastAct.by}</span>}
              {lastAct.storedRevision === null ? null : <span className="text-ink-3">, revision {lastAct.storedRevision}</span>}
            </>
          )}
        </Fact>
        <Fact term="Next check">
          {nextCheckAt === null ? (
            '–'
          ) : (
            <>
              in <Elapsed until={nextCheckAt} />
            </>
          )}
        </Fact>
        {origin.kind === 'git' ? (
          <Fact term="Webhook">
            <Webhook webhook={webhook} />
          </Fact>
        ) : null}
      </dl>
    </Panel>
  );
}

/** Where the git server tells of pushes, so that a commit need not wait for the next fetch. */
function Webhook({ webhook }: Pick<ReleaseDetail, 'webhook'>) {
  if (webhook === null) {
    return (
      <span className="text-ink-3">
        off: annotate the resource with <code className="font-mono text-xs">slipway.dev/webhook-secret</code>, the name of a Secret with the key{' '}
        <code className="font-mono text-xs">webhook</code>
      </span>
    );
  }
  const { path, secret } = webhook;
  return (
    <>
      <span className="flex items-start gap-1">
        <code className="min-w-0 font-mono text-xs wrap-anywhere">{path}</code>
        <CopyButton text={path} what="the path of the webhook" />
      </span>
      <span className="text-ink-3">
        signed by key <code className="font-mono text-xs">webhook</code> of Secret {secret.name} in {secret.namespace}
      </span>
    </>
  );
}

/** Conditions as chart sync wrote them. */
export function ConditionsPanel({ conditions }: { readonly conditions: ReleaseDetail['conditions'] }) {
  if (conditions.length === 0) return null;
  return (
    <Panel title="Conditions">
      <ConditionList conditions={conditions} className="px-4" />
    </Panel>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 px-4 py-2">
      <dt className="text-ink-3">{term}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}

/** As whom Helm makes and reads what the chart wants. */
function sayActor({ account, named }: ReleaseDetail['actsAs'], namespace: string): string {
  if (account === null) return 'the server, which may do everything on its own cluster';
  return `ServiceAccount ${account} in ${namespace}${named ? ', named by the resource' : ''}`;
}

function sayOrigin(origin: ReleaseDetail['origin']): string {
  if (origin.kind === 'repository') return `${origin.name} ${origin.version} of ${origin.url}`;
  const where = origin.url === null ? 'the repository of charts' : `${origin.url}${origin.ref === null ? '' : ` at ${origin.ref}`}`;
  return `${origin.path || 'the top folder'} of ${where}`;
}
