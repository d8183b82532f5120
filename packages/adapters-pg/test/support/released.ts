/**
 * The migrations of every released version, in order; each release adds its migrations. Databases in use have applied
 * these migrations, so they never change.
 */
export const released: ReadonlyArray<string> = []
