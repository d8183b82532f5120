import {
  chooseHistory,
  eraseHistory,
  type Erasure,
  getHistoryChoice,
  type KeptHistory,
  listErasures
} from "@place-access/domain/retention-choice"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import type { ErasuresBody, HistoryBody } from "./HistoryApi.js"

export const layer = Group.group(Api, "history", (handlers) =>
  handlers
    .handle("get", () =>
      SignedIn.pipe(
        Effect.flatMap(({ id }) => getHistoryChoice(id)),
        Effect.map(encode),
        toWire
      )
    )
    .handle(
      "choose",
      ({ payload }) =>
        SignedIn.pipe(
          Effect.flatMap(({ id }) => chooseHistory(id, payload.keep_days)),
          Effect.map(encode),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle("erasures", () =>
      SignedIn.pipe(
        Effect.flatMap(({ id }) => listErasures(id)),
        Effect.map(encodeErasures),
        toWire
      )
    )
    .handle(
      "erase",
      ({ payload }) =>
        SignedIn.pipe(
          Effect.flatMap(({ id }) => Effect.zipRight(eraseHistory(id, payload), listErasures(id))),
          Effect.map(encodeErasures),
          toWire
        ),
      { uninterruptible: true }
    )
)

const encode = ({ cutoff, keep }: KeptHistory): typeof HistoryBody.Type => ({ keep_days: keep, kept_since: cutoff })

const encodeErasures = (erasures: ReadonlyArray<Erasure.Erasure>): typeof ErasuresBody.Type => ({
  erasures: erasures.map(({ erasedAt, from, until }) => ({ from, until, erased_at: erasedAt }))
})
