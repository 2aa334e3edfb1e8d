import { ShieldAlert, UserCheck } from 'lucide-react';
import { Ago } from '@/components/live/ago';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { sayCount } from '@/lib/words/figures';

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
        {isTold
          ? 'What it loosens'
          : `A looser policy waits for ${sayCount(missing, given.length === 0 ? 'person' : 'more person', given.length === 0 ? 'people' : 'more people')}`}
      </h3>
      {isTold ? null : <p className="mt-1 max-w-2xl text-ink-2">Until then the stricter one stays in force.</p>}
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

/** Field by field, what is in force beside what is asked for. */
export function LooserFields({ fields }: Pick<Props['loosening'], 'fields'>) {
  return (
    <table aria-label="What the policy loosens" className="mt-2 text-left">
      <thead className="text-2xs text-ink-3">
        <tr>
          <th className="py-1 pr-6 font-normal">Field</th>
          <th className="py-1 pr-6 font-normal">In force</th>
          <th className="py-1 font-normal">Asked for</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, inForce, asked }) => (
          <tr key={field} className="align-baseline">
            <th className="py-1 pr-6 font-mono font-normal text-xs wrap-anywhere">{field}</th>
            <td className="py-1 pr-6 font-medium wrap-anywhere">{inForce}</td>
            <td className="py-1 font-medium text-warn wrap-anywhere">{asked}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
