import type { Device } from "@place-access/domain/devices"
import { Schema, Struct } from "effect"

// This module says which kinds of phones have an app for each upload format (`PhoneFormat`).

/** The kind of phone that a person has. It decides the apps that the page for a new phone offers. */
export const PhoneKind = Schema.Literal("iphone", "android", "other")
export type PhoneKind = typeof PhoneKind.Type

/**
 * For each format, the kinds of phones for which the page for a new phone offers this format. The owner of a phone with
 * this format reads the advice for these kinds (`troubleWords`). The page offers formats in the order of this table:
 * the first app for a kind suits most people. The page offers `browser` for no kind, because it has a separate link for
 * this format.
 */
export const KINDS: Readonly<Record<Device.PhoneFormat, ReadonlyArray<PhoneKind>>> = {
  overland: ["iphone"],
  owntracks: ["iphone", "android"],
  traccar: ["iphone", "android"],
  gpslogger: ["android"],
  osmand: ["android"],
  json: ["other"],
  browser: []
}

/** The formats that the page offers for a kind of phone. */
export const formatsFor = (kind: PhoneKind): ReadonlyArray<Device.PhoneFormat> =>
  Struct.keys(KINDS).filter((format) => KINDS[format].includes(kind))
