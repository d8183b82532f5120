import { listVisits, VisitWords } from "@place-access/domain/visits"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { Caller } from "../security/BearerAuth.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "visits", (handlers) =>
  handlers.handle("list", ({ urlParams: { cursor, from = null, limit, to = null } }) =>
    Effect.gen(function* () {
      const { at, connection } = yield* Caller
      const page = yield* listVisits(connection, at, { from, to, limit, cursor })
      yield* CurrentRequest.disclose(VisitWords.of(page.visits))
      return page
    }).pipe(toWire)
  )
)
