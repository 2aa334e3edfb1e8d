import { ShieldAlert, Undo2, UserCheck } from 'lucide-react';
import { Fragment } from 'react';
import { Ago, Elapsed } from '@/components/live/ago';
import { useFormattedNow } from '@/components/ui/time/use-now';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { parseInstant } from '@/lib/std/instant';
import { POLICY_WORDS } from '@/lib/words/format-policy';

interface Props {
  readonly loosening: NonNullable<RolloutDetail['loosening']>;
  readonly required: number;
  /** Whether the sentence above says already that it waits, and for whom. */
  readonly isTold: boolean;
}

/** A policy that lets more through than the one in force: what would change, and who has decided that it may. */
export function LooserPolicy({ loosening, required, isTold }: Props) {
  const { fields, given } = loosening;
  const missing = Math.max(1, required - given.length);
  return (
    <section aria-labelledby="looser" className="border-t py-4 pr-5 pl-6">
      <h3 id="looser" className="flex items-center gap-2 font-medium">
        <ShieldAlert size={15} aria-hidden className="shrink-0 text-warn" />
        {isTold ? POLICY_WORDS.loosens : POLICY_WORDS.waitsFor(missing, given.length === 0)}
      </h3>
      {isTold ? null : <p className="mt-1 max-w-2xl text-ink-2">{POLICY_WORDS.meanwhile}</p>}
      <LooserFields fields={fields} />
      {given.length === 0 ? null : (
        <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1.5">
          {given.map(({ user, at }) => (
            <li key={user} className="flex items-center gap-2">
              <UserCheck size={14} aria-hidden className="shrink-0 text-good" />
              <span className="font-medium wrap-anywhere">{user}</span>
              <span className="text-ink-3 text-xs">
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Who may still take back what they made stricter, and how long. */
export function TighteningUndo({ by, until }: NonNullable<RolloutDetail['tighteningUndo']>) {
  const isOver = useFormattedNow((now) => (now < (parseInstant(until) ?? 0) ? '' : 'over')) === 'over';
  if (isOver) return null;
  return (
    <p className="flex items-start gap-2 border-t py-3 pr-5 pl-6 text-ink-2">
      <Undo2 size={15} aria-hidden className="mt-[2.5px] shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {POLICY_WORDS.tighteningUndo(by)} <Elapsed until={until} /> {POLICY_WORDS.left}
      </span>
    </p>
  );
}

/** Field by field, what is in force beside what is asked for. */
export function LooserFields({ fields }: Pick<Props['loosening'], 'fields'>) {
  return (
    <table aria-label={POLICY_WORDS.fields} className="mt-2 text-left">
      <thead className="text-2xs text-ink-3">
        <tr>
          <th scope="col" className="py-1 pr-6 font-normal">
            {POLICY_WORDS.field}
          </th>
          <th scope="col" className="py-1 pr-6 font-normal">
            {POLICY_WORDS.inForce}
          </th>
          <th scope="col" className="py-1 font-normal">
            {POLICY_WORDS.asked}
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, inForce, requested }) => (
          <tr key={field} className="align-baseline">
            <th scope="row" className="py-1 pr-6 font-mono font-normal text-xs">
              <Path path={field} />
            </th>
            <td className="py-1 pr-6 font-medium wrap-anywhere">{inForce}</td>
            <td className="py-1 font-medium text-warn wrap-anywhere">{requested}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A path of fields, which breaks at its dots where there is no room. */
function Path({ path }: { readonly path: string }) {
  return path.split('.').map((name, at) => (
    <Fragment key={path.split('.', at + 1).join('.')}>
      {at === 0 ? '' : '.'}
      <wbr />
      {name}
    </Fragment>
  ));
}
