// Time zones by their IANA names. Decision accounts-19.
import { DateTime, Option, Schema } from "effect"

/** A time zone that this platform knows. Its `id` is an IANA name, such as `Europe/Amsterdam`. */
export type TimeZone = DateTime.TimeZone.Named

/**
 * The pattern of IANA names. It refuses an offset such as `+02:00`: an offset does not name a place, and platforms
 * disagree about its sign.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** The time zone of this name; none when the platform has no such zone. */
export const find = (name: string): Option.Option<TimeZone> =>
  NAME.test(name) ? DateTime.zoneMakeNamed(name) : Option.none()

/**
 * The name of a time zone that a person chose. A stored name is not checked again, because zones are renamed over time.
 */
export const Name = Schema.String.pipe(
  Schema.annotations({ jsonSchema: { type: "string", maxLength: 64 } }),
  Schema.filter((text) => Option.isSome(find(text)), {
    message: () => "must be the IANA name of a time zone, such as Europe/Amsterdam"
  })
)

export const UTC: TimeZone = DateTime.zoneUnsafeMakeNamed("UTC")
