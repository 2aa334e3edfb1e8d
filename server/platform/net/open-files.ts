/** How many files this process may have open; undefined where there is no limit, or the system tells none. */
export function readOpenFilesLimit(): number | undefined {
  const { report } = process;
  Object.assign(report, { excludeNetwork: true }); // or names of peers are looked up
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }; // typed as any object
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
