/**
 * Migrations of every version that was ever released, in order; the release adds its own. Somebody's database holds them, so
 * they stay as they are.
 */
export const released: ReadonlyArray<string> = []
