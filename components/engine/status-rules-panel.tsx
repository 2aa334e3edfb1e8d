import { Panel } from '@/components/ui/panel';
import type { StatusPolicy } from '@/lib/contract/health';
import type { StatusRulesView } from '@/lib/contract/system-rows';

const POLICY_WORDS: Readonly<Record<StatusPolicy, string>> = {
  'await-first-consumer': 'a PersistentVolumeClaim that waits for its first consumer is current',
  'load-balancer-address': 'a Service of type LoadBalancer without an address is in progress',
  'image-pull-failure': 'a Pod whose images cannot be pulled for five minutes has failed',
};

/** By what rules the status of objects is told beside those of kstatus, and which setting each comes from. Read-only: they change with a start. */
export function StatusRulesPanel({ rules: { house, file, policies } }: { readonly rules: StatusRulesView }) {
  return (
    <Panel title="Status rules" note="read when the server starts">
      <dl className="grid gap-x-6 gap-y-2 px-4 py-2.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <dt className="text-ink-3">Of the server</dt>
        <dd>kstatus, and {house} further kinds</dd>
        <dt className="text-ink-3">Of a file</dt>
        <dd>{file === null ? <NotSet setting="--status-rules" variable="SLIPWAY_STATUS_RULES" /> : <RuleFile {...file} />}</dd>
        <dt className="text-ink-3">Policies</dt>
        <dd>
          {policies.length === 0 ? <NotSet setting="--status-policies" variable="SLIPWAY_STATUS_POLICIES" /> : null}
          <ul aria-label="Status policies" className="space-y-0.5">
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

function RuleFile({ path, kinds }: NonNullable<StatusRulesView['file']>) {
  return (
    <>
      <span className="break-all font-mono text-xs">{path}</span>
      <span className="text-ink-3">{kinds.length === 0 ? ', which has no rules' : `, for ${kinds.join(', ')}`}</span>
    </>
  );
}

function NotSet({ setting, variable }: { readonly setting: string; readonly variable: string }) {
  return (
    <span className="text-ink-3">
      none: neither {setting} nor {variable} is set
    </span>
  );
}
