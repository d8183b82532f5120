import { listVisits, VisitWords } from "@place-access/domain/visits"
import { gen } from "@place-access/domain/shared"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { BearerCaller } from "../security/BearerAuth.js"
import { orPaused } from "../answers/orPaused.js"
import * as Span from "../wire/Span.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "visits", (handlers) =>
  handlers.handle("list", ({ urlParams }) =>
    gen(function* () {
      yield* Span.check(urlParams)
      const { cursor, from = null, limit, to = null } = urlParams
      const caller = yield* BearerCaller
      const page = yield* listVisits(caller.connection, caller.at, { from, to, limit, cursor })
      return orPaused(caller, page.visits.length === 0, { answer: page, disclosed: VisitWords.of(page.visits) })
    }).pipe(toWire)
  )
)
