/**
 * The two tiers of a connection's consent: the standard tier, which may have an end date, and the sensitive tier, which
 * always has an end date. The database does not store whether a tier is active: `Tier` compares its end with the
 * present time at every check. `SensitiveNotice` has the notices to the app about the end of the sensitive tier.
 * Consent, steering and sweeps use both modules; guards use only `Tier`.
 *
 * @module
 */

export * as SensitiveNotice from "./SensitiveNotice.js"
export * as Tier from "./Tier.js"
