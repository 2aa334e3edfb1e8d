/** How a terminal stands. */
export type TerminalState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly container: string }
  | {
      readonly kind: 'ended';
      readonly sentence: string;
      readonly wasOpen: boolean;
      readonly code: string | null;
      /** The commands by which somebody would be granted what is missing. */
      readonly grant?: readonly string[];
    };
