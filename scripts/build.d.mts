/** Builds when a source is newer than the last build, or always when forced; true when it built. */
export function buildWhatIsMissing(options?: { readonly force?: boolean }): Promise<boolean>;
/** Puts each program, with what it imports, into one file of a folder below which packages are found. */
export function bundle(entryPoints: readonly string[], outdir: string): Promise<void>;
