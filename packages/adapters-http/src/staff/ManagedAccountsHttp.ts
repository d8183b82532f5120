import { Account } from "@place-access/domain/accounts"
import { changeRole, findAccount, listAudit, resumeAccount, suspendAccount } from "@place-access/domain/staff"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { requireFreshSignIn } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Span from "../wire/Span.js"
import { toWire } from "../wire/toWire.js"
import { toBody, toEntry } from "./ManagedAccountsApi.js"

export const layer = Group.group(Api, "managedAccounts", (handlers) =>
  handlers
    .handle("find", ({ payload }) =>
      Effect.gen(function* () {
        return toBody(yield* findAccount(yield* SignedIn, payload.account))
      }).pipe(toWire)
    )
    .handle(
      "giveRole",
      ({ path: { account_id, role } }) =>
        Effect.gen(function* () {
          if (Account.isStaff({ roles: [role] })) yield* requireFreshSignIn
          return toBody(yield* changeRole(yield* SignedIn, account_id, { role, isGiven: true }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "takeRole",
      ({ path: { account_id, role } }) =>
        Effect.gen(function* () {
          return toBody(yield* changeRole(yield* SignedIn, account_id, { role, isGiven: false }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "suspend",
      ({ path }) =>
        Effect.gen(function* () {
          return toBody(yield* suspendAccount(yield* SignedIn, path.account_id))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "resume",
      ({ path }) =>
        Effect.gen(function* () {
          return toBody(yield* resumeAccount(yield* SignedIn, path.account_id))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("audit", ({ urlParams: { account_id, cursor, limit, ...filter } }) =>
      Effect.gen(function* () {
        yield* Span.check(filter)
        const page = { limit, cursor }
        const { events, nextCursor } = yield* listAudit(yield* SignedIn, { ...filter, userId: account_id }, page)
        return { events: events.map(toEntry), nextCursor }
      }).pipe(toWire)
    )
)
