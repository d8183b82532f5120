/**
 * The migrations of every released version, in order; each release adds its own. Databases in use have run them, so
 * they never change.
 */
export const released: ReadonlyArray<string> = []
