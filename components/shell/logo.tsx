/** The sign of Slipway: a hull on its way down the ramp. */
export function Logo({ size = 20 }: { readonly size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32" className="shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent-fill" />
      <path d="M7 22.5h18" stroke="#fff" strokeOpacity=".55" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M8 18.5 22.5 9" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="22.5" cy="9" r="3" fill="#fff" />
    </svg>
  );
}
