/** Builds when a source is newer than the last build, or always when forced; true when it built. */
export function buildWhatIsMissing(options?: { readonly force?: boolean }): Promise<boolean>;
