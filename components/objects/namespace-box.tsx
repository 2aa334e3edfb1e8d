'use client';

import { useStatus } from '@/components/live/staleness';
import { SelectBox } from '@/components/ui/form/field';
import { t } from '@/lib/words/catalogue/objects/objects';

export interface NamespaceBoxProps {
  readonly value: string | undefined;
  readonly onChange: (ns: string) => void;
}

/** One namespace, or all of them. One that the server does not know of, but the address names, can be chosen as well. */
export function NamespaceBox({ value, onChange }: NamespaceBoxProps) {
  const known = useStatus()?.namespaces ?? [];
  const namespaces = value === undefined || known.includes(value) ? known : [...known, value];
  return (
    <SelectBox label={t.namespace} value={value ?? ''} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t.allNamespaces}</option>
      {namespaces.map((ns) => (
        <option key={ns}>{ns}</option>
      ))}
    </SelectBox>
  );
}
