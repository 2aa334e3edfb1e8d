/** Prints a measured figure beside its limit; a busy machine makes it worse, so that tests tell and do not judge. */
export function printFigure(what: string, found: number, limit: number, unit: string): void {
  process.stdout.write(`figure: ${what} ${Math.round(found)} ${unit} (limit ${limit} ${unit})\n`);
}
