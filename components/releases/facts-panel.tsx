import { Ago, Elapsed } from '@/components/live/ago';
import { CopyButton } from '@/components/ui/copy-button';
import { Fact, Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { formatList } from '@/lib/words/figures';
import { formatOutcome } from '@/lib/words/format-reconcile';
import { shortRevision } from '@/lib/words/format-release';

/** What is released from where, who acted last, and when it is looked at next. */
export function FactsPanel({ release }: { readonly release: ReleaseDetail }) {
  const { chart, origin, ns, actsAs, commit, stored, lastAct, nextCheckAt, webhook } = release;
  return (
    <Panel title={t.release}>
      <dl className="grid grid-cols-1 py-1 md:grid-cols-2 xl:grid-cols-3">
        <Fact term={t.chart}>
          {chart === null ? '–' : `${chart.name} ${chart.version}${chart.appVersion === null ? '' : t.app(chart.appVersion)}`}
        </Fact>
        <Fact term={t.source}>{formatOrigin(origin)}</Fact>
        <Fact term={origin.kind === 'git' ? t.commit : t.version}>
          <Revision release={release} />
        </Fact>
        {commit === null ? null : (
          <Fact term={t.chartCommit}>
            <code title={commit.commit} className="font-mono text-xs">
              {shortRevision(commit.commit)}
            </code>{' '}
            {commit.subject} <span className="text-ink-3">{rich(t.authorAgo(commit.author, <Ago at={commit.at} />))}</span>
          </Fact>
        )}
        <Fact term={t.runsAs}>{formatActor(actsAs, ns)}</Fact>
        <Fact term={t.helmReported}>{stored ?? t.nothingYet}</Fact>
        <Fact term={t.lastAct}>
          {lastAct === null ? (
            t.noneYet
          ) : (
            <>
              {formatOutcome(lastAct.outcome)} <Ago at={lastAct.at} />
              {lastAct.by === null ? null : (
                <span className="text-ink-3">
                  {t.by(lastAct.users.length === 0 ? lastAct.by : t.loopOf(lastAct.by, formatList(lastAct.users)))}
                </span>
              )}
              {lastAct.storedRevision === null ? null : <span className="text-ink-3">{t.revision(lastAct.storedRevision)}</span>}
            </>
          )}
        </Fact>
        <Fact term={t.nextCheck}>{nextCheckAt === null ? '–' : rich(t.in(<Elapsed until={nextCheckAt} />))}</Fact>
        {origin.kind === 'git' ? (
          <Fact term={t.webhook}>
            <Webhook webhook={webhook} />
          </Fact>
        ) : null}
      </dl>
    </Panel>
  );
}

/** The commit or version that is released, or that was attempted and failed. */
function Revision({ release: { revision, onlyAttempted } }: { readonly release: ReleaseDetail }) {
  if (revision === null) return '–';
  return (
    <>
      <code title={revision} className="font-mono text-xs">
        {shortRevision(revision)}
      </code>
      {onlyAttempted ? <span className="text-ink-3">{t.attemptedNotReleased}</span> : null}
    </>
  );
}

/** Where the git server tells of pushes, so that a commit need not wait for the next fetch. */
function Webhook({ webhook }: Pick<ReleaseDetail, 'webhook'>) {
  if (webhook === null) {
    return (
      <span className="text-ink-3">
        {rich(
          t.offAnnotateTheResourceWith(
            <code className="font-mono text-xs">slipway.dev/webhook-secret</code>,
            <code className="font-mono text-xs">webhook</code>,
          ),
        )}
      </span>
    );
  }
  const { path, secret } = webhook;
  return (
    <>
      <span className="flex items-start gap-1">
        <code className="min-w-0 font-mono text-xs wrap-anywhere">{path}</code>
        <CopyButton text={path} what={t.thePathOfTheWebhook} />
      </span>
      <span className="text-ink-3">
        {rich(t.signedByKeyOfSecret(<code className="font-mono text-xs">webhook</code>, secret.name, secret.namespace))}
      </span>
    </>
  );
}

/** As whom Helm makes and reads what the chart wants. */
function formatActor({ account, named }: ReleaseDetail['actsAs'], namespace: string): string {
  if (account === null) return t.theServerWhichMayDo;
  return t.serviceAccountIn(account, namespace, named ? t.namedByTheResource : '');
}

function formatOrigin(origin: ReleaseDetail['origin']): string {
  if (origin.kind === 'repository') return t.of(origin.name, origin.version, origin.url);
  const where = origin.url === null ? t.theRepositoryOfCharts : `${origin.url}${origin.ref === null ? '' : t.at(origin.ref)}`;
  return t.ofOf(origin.path || t.theTopFolder, where);
}
