import { Elapsed } from '@/components/live/ago';
import { Panel } from '@/components/ui/panel';
import { StatusGlyph } from '@/components/ui/status/status-glyph';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { StatusPolicy } from '@/lib/contract/health';
import type { StatusRulesView } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';

const POLICY_WORDS: Readonly<Record<StatusPolicy, string>> = {
  'await-first-consumer': t.aPersistentVolumeClaimThatWaitsFor,
};

/** By what rules the status of objects is told beside those of kstatus, where each comes from, and what is wrong there. */
export function StatusRulesPanel({ rules: { house, sources, policies } }: { readonly rules: StatusRulesView }) {
  const of = (setting: string) => sources.filter((source) => source.setting === setting);
  const [files, checks] = [of('--status-rules'), of('--health-lua')];
  return (
    <Panel title={t.statusRules} note={t.readAgainWhenTheyChange}>
      <dl className="grid gap-x-6 gap-y-2 px-4 py-2.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <dt className="text-ink-3">{t.ofTheServer}</dt>
        <dd>{t.kstatusAndFurtherKindsAnd(house)}</dd>
        <dt className="text-ink-3">{t.yourRules}</dt>
        <dd>{files.length === 0 ? <NotSet setting="--status-rules" variable="SLIPWAY_STATUS_RULES" /> : <Sources sources={files} />}</dd>
        <dt className="text-ink-3">{t.argoCDHealthChecks}</dt>
        <dd>{checks.length === 0 ? <NotSet setting="--health-lua" variable="SLIPWAY_HEALTH_LUA" /> : <Sources sources={checks} />}</dd>
        <dt className="text-ink-3">{t.policies}</dt>
        <dd>
          {policies.length === 0 ? <NotSet setting="--status-policies" variable="SLIPWAY_STATUS_POLICIES" /> : null}
          <ul aria-label={t.statusPolicies} className="space-y-0.5">
            {policies.map((policy) => (
              <li key={policy}>
                <span className="font-medium">{policy}</span> <span className="text-ink-2">– {POLICY_WORDS[policy]}</span>
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </Panel>
  );
}

type Source = StatusRulesView['sources'][number];

/** Kinds named beside a source; a whole folder of checks has hundreds. */
const NAMED = 12;

function Sources({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <ul className="space-y-1">
      {sources.map((source) => (
        <li key={source.place}>
          <span className="break-all font-mono text-xs">{source.place}</span>
          <span className="text-ink-3">{describeKeys(source)}</span>
          {source.fault === null ? null : <Fault fault={source.fault} kept={source.readAt !== null} />}
        </li>
      ))}
    </ul>
  );
}

function describeKeys({ keys, readAt }: Source): string {
  if (readAt === null) return t.notReadYet;
  if (keys.length === 0) return t.whichHasNoRules;
  const more = keys.length - NAMED;
  return t.forOf(keys.slice(0, NAMED).join(', '), more > 0 ? t.andMoreAfter(more) : '');
}

function Fault({ fault: { since, sentences }, kept }: { readonly fault: NonNullable<Source['fault']>; readonly kept: boolean }) {
  return (
    <div className="mt-1 border-bad border-l-2 pl-2">
      <p className="flex flex-wrap items-center gap-x-1.5 font-medium text-bad">
        <StatusGlyph health="Failed" />
        <span>{rich(t.rejectedFor(<Elapsed from={since} />, kept ? t.thePreviousRulesStayIn : ''))}</span>
      </p>
      <ul className="text-ink-2">
        {sentences.map((sentence) => (
          <li key={sentence} className="break-words">
            <Sentence text={sentence} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function NotSet({ setting, variable }: { readonly setting: string; readonly variable: string }) {
  return <span className="text-ink-3">{t.noneNeitherNorIsSet(setting, variable)}</span>;
}
