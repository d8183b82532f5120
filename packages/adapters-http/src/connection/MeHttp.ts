import { describeConnection } from "@place-access/domain/connection"
import { gen } from "@place-access/domain/shared"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { BearerCaller } from "../security/BearerAuth.js"

export const layer = Group.group(Api, "me", (handlers) =>
  handlers.handle("get", () =>
    gen(function* () {
      const me = yield* describeConnection(yield* BearerCaller)
      const answer = {
        sub: me.sub,
        external_user_id: me.externalUserId,
        scopes: me.scopes,
        held_scopes: me.heldScopes,
        places_version: me.placesVersion,
        grant_expires_at: me.grantExpiresAt,
        sensitive_expires_at: me.sensitiveExpiresAt,
        sensitive_lapsed_at: me.sensitiveLapsedAt,
        renewal_grace_ends_at: me.renewalGraceEndsAt,
        connected_at: me.connectedAt
      }
      return { answer, disclosed: "the terms of the connection" }
    })
  )
)
