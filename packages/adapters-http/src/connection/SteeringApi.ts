import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Connection, ConsentEntry, Pause } from "@place-access/domain/connection"
import { PlaceId, Scope } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { At, NullableAt, optional, request } from "../wire/Fields.js"
import { ConnectionIdText } from "../wire/PathIds.js"
import { UserConnection } from "./ConnectionsApi.js"
import { PauseBody } from "./ConsentsApi.js"

const Length = request({
  for: Pause.PauseLength.annotations({
    message: () => "must be hour, day or until_resumed",
    description: "How long the pause lasts, from now"
  })
})

const Change = request({
  scopes: optional(Scope.listOf(Schema.String)).annotations({
    description: "Every scope that the app has from now on, each of them one of `agreed_scopes`"
  }),
  standard_days: optional(Tier.StandardDays).annotations({
    description: "The connection ends this many days from now"
  }),
  sensitive_days: optional(Tier.SensitiveDays).annotations({
    description: "Exact location ends this many days from now. Required to give exact location back after it has ended"
  })
})

const Difference = Schema.Struct({
  scopes: Schema.Array(Scope.Scope).annotations({ description: "The scopes that the change added or removed" }),
  places: Schema.Array(PlaceId).annotations({ description: "The places that the change added or removed" }),
  earlier_visits: Schema.Array(PlaceId).annotations({
    description: "Places whose visits from before the sharing are shared too"
  })
})

/** One change of a connection, with the connection's scopes, places and end dates after the change. */
export const HistoryEntry = Schema.Struct({
  at: At,
  change: ConsentEntry.ConsentChange,
  by: Schema.Literal("consent", "user", "app", "service").annotations({
    description: "`consent`: the user on the app's consent page; `user`: the user alone"
  }),
  end_reason: Schema.NullOr(Connection.EndReason),
  scopes: Schema.Array(Scope.Scope).annotations({ description: "The scopes that the app had after the change" }),
  places: Schema.Array(Schema.Struct({ id: PlaceId, label: Schema.String })).annotations({
    description: "The places that were shared after the change, with their present names"
  }),
  earlier_visits: Schema.NullOr(Schema.Array(PlaceId)).annotations({
    description: "Places whose visits from before the sharing are shared too; null: not recorded at that time"
  }),
  grant_expires_at: NullableAt,
  sensitive_expires_at: NullableAt,
  pause: Schema.NullOr(PauseBody),
  added: Difference,
  removed: Difference
}).annotations({ identifier: "ConsentHistoryEntry" })

const Count = Schema.Struct({ connections: Schema.Int.annotations({ description: "How many live connections" }) })

const id = HttpApiSchema.param("id", ConnectionIdText)

export const SteeringApi = HttpApiGroup.make("steering")
  .add(
    HttpApiEndpoint.patch("change")`/v1/user/connections/${id}`
      .annotate(OpenApi.Summary, "Take permissions away, give them back, or move the end")
      .annotate(
        OpenApi.Description,
        "Fields that are left out stay as they are. Tokens, rules and places stay. A scope that the user never agreed to in this connection needs the app to ask. Sharing exact location without an end needs a fresh sign-in."
      )
      .setPayload(Change)
      .addSuccess(UserConnection)
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
  )
  .add(
    HttpApiEndpoint.del("endExactLocation")`/v1/user/connections/${id}/exact-location`
      .annotate(OpenApi.Summary, "End exact location now")
      .annotate(OpenApi.Description, "Idempotent. A connection that shared nothing else ends.")
      .addSuccess(UserConnection)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
  )
  .add(
    HttpApiEndpoint.put("pause")`/v1/user/connections/${id}/pause`
      .annotate(OpenApi.Summary, "Pause the app")
      .annotate(
        OpenApi.Description,
        "The app learns nothing about where the user is or was, and its rules send nothing. Its tokens work: answers are unknown or empty, with `reason: paused`."
      )
      .setPayload(Length)
      .addSuccess(UserConnection)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
  )
  .add(
    HttpApiEndpoint.del("resume")`/v1/user/connections/${id}/pause`
      .annotate(OpenApi.Summary, "Resume the app")
      .annotate(OpenApi.Description, "Idempotent. Its rules begin anew: what happened during the pause fires nothing.")
      .addSuccess(UserConnection)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
  )
  .add(
    HttpApiEndpoint.put("pauseAll", "/v1/user/pause")
      .annotate(OpenApi.Summary, "Pause every connected app")
      .annotate(OpenApi.Description, "A pause that lasts longer already stays as it is.")
      .setPayload(Length)
      .addSuccess(Count)
  )
  .add(
    HttpApiEndpoint.del("resumeAll", "/v1/user/pause")
      .annotate(OpenApi.Summary, "Resume every connected app")
      .addSuccess(Count)
  )
  .add(
    HttpApiEndpoint.get("history")`/v1/user/connections/${id}/history`
      .annotate(OpenApi.Summary, "What was agreed in a connection, and when, newest first")
      .annotate(OpenApi.Description, "The last 400 changes, and the end.")
      .addSuccess(Schema.Struct({ history: Schema.Array(HistoryEntry) }))
      .addError(Errors.NotFound)
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Steering connected apps")
  .annotate(OpenApi.Description, "What the signed-in user changes without the app asking")
