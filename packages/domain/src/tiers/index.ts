/**
 * The two tiers of a connection's consent: the standard tier and the shorter sensitive tier, each with an end date. A
 * tier is never stored as active or ended: `Tier` compares its end with the present time at every look.
 * `SensitiveNotice` has the notices to the app about the end of the sensitive tier. Guards, consent and sweeps use
 * both.
 *
 * @module
 */

export * as SensitiveNotice from "./SensitiveNotice.js"
export * as Tier from "./Tier.js"
