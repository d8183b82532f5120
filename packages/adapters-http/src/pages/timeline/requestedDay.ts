import { LocalDays } from "@place-access/domain/fixes"
import { TimeZone } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import * as Visitor from "../kit/Visitor.js"

/** The day with the date `date` in the visitor's time zone. The present day when `date` is not a date. */
export const requestedDay = (visitor: Visitor.Visitor, date: string) =>
  Effect.gen(function* () {
    const locale = yield* Visitor.locale(visitor)
    const zone = locale.zone ?? TimeZone.UTC
    const today = Option.getOrThrow(LocalDays.dayOf(zone, LocalDays.dateOf(zone, locale.now)))
    const day = Option.getOrElse(LocalDays.dayOf(zone, date), () => today)
    return { locale, zone, day, today: today.date }
  })
