import { listAccessLog } from "@place-access/domain/access-log"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Span from "../wire/Span.js"
import { toWire } from "../wire/toWire.js"
import * as EntryWords from "./EntryWords.js"

export const layer = Group.group(Api, "accessLog", (handlers) =>
  handlers.handle("list", ({ urlParams }) =>
    Effect.gen(function* () {
      yield* Span.check(urlParams)
      const { app_id: appId, cursor, from, limit, purpose: purposeId, to } = urlParams
      const page = yield* listAccessLog((yield* SignedIn).id, { appId, purposeId, from, to }, limit, cursor)
      return {
        entries: page.entries.map((entry) => ({
          at: entry.at,
          app_id: entry.appId,
          app_name: entry.appName,
          endpoint: entry.endpoint,
          endpoint_description: EntryWords.deed(entry.endpoint) ?? null,
          times: entry.times,
          purpose: entry.purpose?.id ?? null,
          purpose_description: entry.purpose?.description ?? null,
          outcome: entry.error ?? "ok",
          outcome_description: EntryWords.outcomeText(entry.error),
          disclosed: entry.disclosed
        })),
        nextCursor: page.nextCursor
      }
    }).pipe(toWire)
  )
)
