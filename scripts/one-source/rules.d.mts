export const RULES: readonly {
  readonly fact: string;
  readonly sign: RegExp;
  readonly example: string;
  readonly home: RegExp;
  readonly licensed?: Readonly<Record<string, string>>;
  readonly offenders: readonly string[];
}[];
