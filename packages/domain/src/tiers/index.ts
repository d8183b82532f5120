/**
 * The two tiers of a connection's consent: the standard tier and the shorter sensitive tier, each with an end date. A
 * tier is never stored as active or ended: `Tier` compares its end with the present time at every look.
 * `SensitiveNotice` has the e-mails that warn before the sensitive tier ends. Guards, consent and sweeps use both.
 *
 * @module
 */

export * as SensitiveNotice from "./SensitiveNotice.js"
export * as Tier from "./Tier.js"
