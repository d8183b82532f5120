import { listAppUsers } from "@place-access/domain/connection"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "users", (handlers) =>
  handlers.handle("list", ({ path, urlParams: { cursor, limit } }) =>
    Effect.gen(function* () {
      const page = yield* listAppUsers(yield* SignedIn, path.app_id, { limit, cursor })
      return {
        users: page.users.map((user) => ({
          sub: user.sub,
          external_user_id: user.externalUserId,
          grant_id: user.grantId,
          live: user.live,
          scopes: user.scopes,
          held_scopes: user.heldScopes,
          grant_expires_at: user.grantExpiresAt,
          sensitive_expires_at: user.sensitiveExpiresAt,
          sensitive_lapsed_at: user.sensitiveLapsedAt,
          renewal_grace_ends_at: user.renewalGraceEndsAt,
          connected_at: user.connectedAt,
          ended_at: user.endedAt,
          end_reason: user.endReason
        })),
        nextCursor: page.nextCursor
      }
    }).pipe(toWire)
  )
)
