/** A thin bar of how much, drawn in SVG since the policy refuses style attributes. */
export function Meter({ percent, label, className }: { readonly percent: number; readonly label: string; readonly className?: string }) {
  const width = Math.max(0, Math.min(100, percent));
  return (
    <svg role="img" aria-label={label} className={className} width="100%" height="4" preserveAspectRatio="none" viewBox="0 0 100 4">
      <rect width="100" height="4" rx="1" className="fill-pressed" />
      <rect width={width} height="4" rx="1" fill="currentColor" />
    </svg>
  );
}
