import { t } from '@/lib/words/catalogue/console/filters';
import { cx } from '../cx';
import { Menu, MenuCheck, MenuItem, MenuLabel, MenuSeparator } from '../overlay/menu';
import { DROP_DOWN, DropDownMark } from './drop-down';

export interface Choice {
  readonly id: string;
  readonly word: string;
  /** How many there are, where that is known. */
  readonly count?: number;
}

export interface ChoiceMenuProps {
  readonly label: string;
  /** How none of them is called: `All namespaces`. */
  readonly any: string;
  readonly options: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Said where there is nothing to choose. */
  readonly none?: string;
  readonly onOpen?: () => void;
}

/** Any of several, in a menu that stays open; what is chosen stays listed, whether it is an option or not. */
export function ChoiceMenu({ label, any, options, chosen, onChange, none, onOpen }: ChoiceMenuProps) {
  const wordOf = (id: string) => options.find((option) => option.id === id)?.word ?? id;
  const listed = [
    ...chosen.filter((id) => !options.some((option) => option.id === id)).map((id): Choice => ({ id, word: id })),
    ...options,
  ];
  const words = chosen.map(wordOf);
  const toggle = (id: string, isChosen: boolean) => onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <Menu
      {...(onOpen ? { onOpen } : {})}
      trigger={
        <button
          type="button"
          aria-label={t.filterBy(label, words.length === 0 ? any : words.join(', '))}
          className={cx(DROP_DOWN, 'relative inline-flex h-7 max-w-52 items-center')}
        >
          <span className="truncate">{words.length === 0 ? any : words.length === 1 ? words[0] : t.several(label, words.length)}</span>
          <DropDownMark />
        </button>
      }
    >
      <MenuLabel>{listed.length === 0 && none !== undefined ? none : label}</MenuLabel>
      {listed.map(({ id, word, count }) => (
        <MenuCheck key={id} checked={chosen.includes(id)} onChange={(isChosen) => toggle(id, isChosen)}>
          <span className="max-w-80 truncate">{count === undefined ? word : t.choice(word, count)}</span>
        </MenuCheck>
      ))}
      {chosen.length === 0 ? null : (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => onChange([])}>{any}</MenuItem>
        </>
      )}
    </Menu>
  );
}
