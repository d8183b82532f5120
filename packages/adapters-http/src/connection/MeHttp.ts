import { describeConnection } from "@place-access/domain/connection"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { Caller } from "../security/BearerAuth.js"

export const layer = Group.group(Api, "me", (handlers) =>
  handlers.handle("get", () =>
    Effect.gen(function* () {
      const me = yield* describeConnection(yield* Caller)
      yield* CurrentRequest.disclose("the terms of the connection")
      return {
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
    })
  )
)
