import { SelectBox, TextField } from '@/components/ui/form/field';
import { t } from '@/lib/words/catalogue/releases/edit';
import type { ValueField } from './values-text';
import { readValue, writeValue } from './values-text';

interface ValueFieldsProps {
  readonly fields: readonly ValueField[];
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** The plain values at the top that the chart's schema knows, as a form over the same text. */
export function ValueFields({ fields, text, onText }: ValueFieldsProps) {
  return (
    <fieldset className="grid grid-cols-1 gap-3 px-4 py-3 sm:grid-cols-2" aria-label={t.values}>
      {fields.map((field) => {
        const written = readValue(text, field.name);
        const props = {
          field,
          value: written.kind === 'plain' ? written.value : '',
          onValue: (value: string) => onText(writeValue(text, field, value)),
        };
        return <OneField key={field.name} {...props} isElsewhere={written.kind === 'elsewhere'} />;
      })}
    </fieldset>
  );
}

interface OneFieldProps {
  readonly field: ValueField;
  readonly value: string;
  /** Where only the text can change it. */
  readonly isElsewhere: boolean;
  readonly onValue: (value: string) => void;
}

function OneField({ field: { name, kind, help, fallback, choices }, value, isElsewhere, onValue }: OneFieldProps) {
  const hint = isElsewhere ? t.writtenBelowInAForm : help;
  if (kind === 'boolean' || kind === 'choice') {
    const options = kind === 'boolean' ? ['true', 'false'] : choices;
    return (
      <div>
        <p className="mb-1 font-medium text-ink-2 text-xs">{name}</p>
        <SelectBox
          label={name}
          className="h-8! w-full"
          disabled={isElsewhere}
          value={value}
          onChange={({ target }) => onValue(target.value)}
        >
          <option value="">{fallback === null ? t.notSet : t.notSetOf(fallback)}</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
          {value === '' || options.includes(value) ? null : <option value={value}>{value}</option>}
        </SelectBox>
        {hint === null ? null : <p className="mt-1 text-ink-3 text-xs">{hint}</p>}
      </div>
    );
  }
  return (
    <TextField
      label={name}
      hint={hint}
      disabled={isElsewhere}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={fallback ?? ''}
      value={value}
      onChange={({ target }) => onValue(target.value)}
    />
  );
}
