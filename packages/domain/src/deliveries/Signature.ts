import { SECOND, type Timestamp } from "../shared/Timestamp.js"

export const HEADER = "X-Service-Signature"

/** What is signed: unix seconds, a dot, the raw body (Spec §6.4.2). */
export const message = (at: Timestamp, body: string): string => `${unixSeconds(at)}.${body}`

/** `t=<unix_seconds>,v1=<hex>[,v1=<hex>]`, one v1 per valid secret (Spec §6.4.3). */
export const header = (at: Timestamp, signatures: ReadonlyArray<string>): string =>
  [`t=${unixSeconds(at)}`, ...signatures.map((hex) => `v1=${hex}`)].join(",")

const unixSeconds = (at: Timestamp): number => Math.floor(at / SECOND)
