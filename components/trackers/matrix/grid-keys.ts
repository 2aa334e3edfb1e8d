/** A cell of the grid: its line, and its column; column -1 is the object itself. */
export interface Cell {
  readonly line: number;
  readonly column: number;
}

interface Extent {
  readonly lines: number;
  readonly columns: number;
  /** Lines of one screen. */
  readonly screen: number;
}

interface Pressed {
  readonly key: string;
  /** With Control or Command: of the whole grid, not of the line. */
  readonly isWhole: boolean;
}

/** Where a key leads to; undefined when it leads nowhere. */
export function cellAfter({ key, isWhole }: Pressed, { line, column }: Cell, { lines, columns, screen }: Extent): Cell | undefined {
  const at = (toLine: number, toColumn: number): Cell => ({
    line: Math.min(Math.max(0, lines - 1), Math.max(0, toLine)),
    column: Math.min(columns - 1, Math.max(-1, toColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return at(line + 1, column);
    case 'ArrowUp':
      return at(line - 1, column);
    case 'ArrowRight':
      return at(line, column + 1);
    case 'ArrowLeft':
      return at(line, column - 1);
    case 'PageDown':
      return at(line + screen, column);
    case 'PageUp':
      return at(line - screen, column);
    case 'Home':
      return isWhole ? at(0, -1) : at(line, -1);
    case 'End':
      return isWhole ? at(lines - 1, columns - 1) : at(line, columns - 1);
    default:
      return undefined;
  }
}
