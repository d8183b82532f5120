import { Delivery, type listDeliveries } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { EndpointId, EventId } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import { Status, typeFilter } from "../../deliveries/DeliveriesApi.js"
import type { Locale } from "../../html/Locale.js"
import { texts } from "../../languages/index.js"
import * as Day from "../kit/Day.js"
import type { ShownProblem } from "../kit/Fields.js"
import type * as Form from "../kit/Form.js"

export const State = Delivery.DeliveryState
export const Type = Schema.Literal(...Event.SUBSCRIBABLE, ...Event.RuleFired.fields.type.literals, "ping")

const NAMES = ["endpoint", "event", "type", "state", "reason", "status", "from", "to"] as const

/** The filters of the delivery log. */
export interface DeliveriesQuery {
  /** The values of the filters, as they are in the address. */
  readonly shown: Readonly<Record<(typeof NAMES)[number], string>>
  readonly filter: Omit<Parameters<typeof listDeliveries>[2], "limit" | "cursor">
  /** Whether the event id in the filter is not a valid id, so that no delivery can match. */
  readonly isNone: boolean
  readonly problems: ReadonlyArray<ShownProblem>
}

/** Reads the filters from the query. Dates are days in `zone`, or in UTC when the zone is null. */
export const read = (query: Form.Form, { zone }: Pick<Locale, "zone">): DeliveriesQuery => {
  const shown = Object.fromEntries(NAMES.map((name) => [name, query.value(name)])) as DeliveriesQuery["shown"]
  const problems: Array<ShownProblem> = []
  const chosen = <A, I>(name: "endpoint" | "reason" | "state" | "type", schema: Schema.Schema<A, I>): A | undefined => {
    if (shown[name] === "") return undefined
    const found = Schema.decodeUnknownOption(schema)(shown[name])
    if (Option.isNone(found)) problems.push({ field: name, message: texts.webhooks.deliveries.notOfList })
    return Option.getOrUndefined(found)
  }
  const endpointId = chosen("endpoint", EndpointId)
  const state = chosen("state", State)
  const type = chosen("type", Type)
  const failReason = chosen("reason", Delivery.FailReason)
  const status = Schema.decodeOption(Status)(shown.status.trim().toLowerCase())
  if (shown.status.trim() !== "" && Option.isNone(status)) {
    problems.push({ field: "status", message: texts.webhooks.deliveries.notStatus })
  }
  const event = shown.event.trim()
  const eventId = Schema.decodeOption(EventId)(event)
  const isNone = event !== "" && Option.isNone(eventId)
  if (isNone) problems.push({ field: "event", message: texts.webhooks.deliveries.notEventId })
  return {
    shown,
    filter: {
      endpointId,
      eventId: Option.getOrUndefined(eventId),
      ...typeFilter(type),
      ...Day.between(query, problems, zone ?? undefined),
      state,
      failReason,
      status: Option.getOrUndefined(status)
    },
    isNone,
    problems
  }
}
