/** At least this much: an embedded database answers at once, and without a pause other requests would never run. */
const SHORTEST_MS = 1

/**
 * The pause after work that took this long, in milliseconds; 0: none. `share`: the share of the time that the work may
 * take, above 0; from 1 on it never pauses.
 */
export const pauseMs = ({ share }: { readonly share: number }, tookMs: number): number =>
  share >= 1 ? 0 : Math.max(SHORTEST_MS, Math.round(tookMs * (1 / share - 1)))
