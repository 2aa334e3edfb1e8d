export interface Rule {
  readonly fact: string;
  readonly sign: RegExp;
  readonly example: string;
  readonly home: RegExp;
  readonly instead: string;
  readonly licensed?: Readonly<Record<string, string>>;
}
export const RULES: readonly Rule[];
