import { Signature } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { createHmac } from "node:crypto"
import * as EventCatalogue from "./EventCatalogue.js"
import * as Values from "./ExampleValues.js"

/**
 * The secret with which the example delivery of this file is signed. Developers can test their own verification with
 * this secret and this delivery.
 */
export const secret = Values.tokens.signing

export const at = Timestamp.make(Date.parse("2026-03-31T09:15:02.000Z"))

export const body = EventCatalogue.ENTRIES.find(({ name }) => name === "ping")?.examples[0]?.body ?? ""

const hmac = (key: string): string => createHmac("sha256", key).update(Signature.message(at, body)).digest("hex")

export const header = Signature.header(at, [hmac(secret)])
