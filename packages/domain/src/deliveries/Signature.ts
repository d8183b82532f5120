import { SECOND, type Timestamp } from "../shared/Timestamp.js"

// What is signed, and the header with the signatures (decision deliveries-2).

export const HEADER = "X-Service-Signature"

/** The signed text: unix seconds, a dot, the raw body (Spec §6.4.2). */
export const message = (at: Timestamp, body: string): string => `${unixSeconds(at)}.${body}`

/** The header's value, `t=<unix_seconds>,v1=<hex>[,v1=<hex>]`, with one v1 for each valid secret (Spec §6.4.3). */
export const header = (at: Timestamp, signatures: ReadonlyArray<string>): string =>
  [`t=${unixSeconds(at)}`, ...signatures.map((hex) => `v1=${hex}`)].join(",")

const unixSeconds = (at: Timestamp): number => Math.floor(at / SECOND)
